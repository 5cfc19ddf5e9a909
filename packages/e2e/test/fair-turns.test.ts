import { type Answer, call, type Gatehouse, startGatehouse, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Credentials, passwordKind, postClient, registerClient } from './support/clients.ts';
import { administrator, idpAdministrator, plainUser } from './support/people.ts';
import { from } from './support/strangers.ts';
import { getAdministratorToken, postToken } from './support/tokens.ts';

const usersPath = '/organization/api/organization/user';
/** Milliseconds, on a machine that has other things to do; `npm run bench -- --cases fair` measures on a quiet one. */
const patience = 4_000;
const busy = 'too many credentials are being checked at the moment; try again';

/** Nobody with few rights keeps the turns of all others. */
describe.each(testDialects)('those who ask without end, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let bearer: string;

  beforeAll(async () => {
    const env = { TRUST_PROXY: 'loopback' };
    gatehouse = await startGatehouse({ dialect, env: { 'auth-server': env, 'org-api': env } });
    app = await registerClient(gatehouse, passwordKind());
    bearer = await getAdministratorToken(gatehouse, app);
  });
  afterAll(() => gatehouse?.stop());

  const signIn = ([username, password]: readonly string[], address: string, secret = app[1]) => {
    const form = { grant_type: 'password', username: username as string, password: password as string };
    return postToken(gatehouse, { basic: [app[0], secret], form, ...from(address) });
  };
  const importUser = (index: number) =>
    call(`${gatehouse.baseUrl}${usersPath}`, {
      ...{ bearer, ...from('203.0.113.200') },
      json: { username: `import-${index}@example.com`, userType: 'Person', password: `password of ${index}` },
    });
  const register = (index: number) =>
    postClient(gatehouse, passwordKind({ client_id: `many-${index}`, client_secret: `chosen-secret-of-${index}` }), {
      ...{ bearer, ...from('203.0.113.200') },
    });
  /** Asks again and again, so many at a time, until it is stopped. Gives how often each status was answered. */
  const repeat = (connections: number, ask: (index: number) => Promise<Answer>) => {
    const statuses = new Map<number, number>();
    let [index, stopped] = [0, false];
    const takeTurns = async () => {
      while (!stopped) {
        const { status } = await ask(index++);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const all = Promise.all(Array.from({ length: connections }, takeTurns));
    return async () => {
      stopped = true;
      await all;
      return statuses;
    };
  };
  /** How right passwords from eight new networks are answered, one after another, and the milliseconds of the slowest. */
  const tryNewcomers = async (subnet: number) => {
    const statuses: number[] = [];
    const times: number[] = [];
    for (let host = 1; host <= 8; host += 1) {
      const startedAt = performance.now();
      const { status } = await signIn(idpAdministrator, `192.0.2.${subnet * 8 + host}`);
      times.push(performance.now() - startedAt);
      statuses.push(status);
    }
    return { statuses: new Set(statuses), slowest: Math.max(...times) };
  };

  test('with a right password from 64 networks, keep no right password from a new network waiting', async () => {
    const user = (index: number) => signIn(plainUser, `198.18.0.${index % 64}`);
    for (let index = 0; index < 64; index += 1) expect((await user(index)).status).toBe(200);
    const stop = repeat(64, user);
    const { statuses, slowest } = await tryNewcomers(0);
    await stop();
    expect(statuses).toEqual(new Set([200]));
    expect(slowest).toBeLessThan(patience);
  });

  test('as an administrator who imports users, 32 at a time, keep nobody waiting, and are answered themselves', async () => {
    const stop = repeat(32, importUser);
    const { statuses, slowest } = await tryNewcomers(1);
    const imported = await stop();
    expect(statuses).toEqual(new Set([200]));
    expect(slowest).toBeLessThan(patience);
    expect(imported).toEqual(new Map([[201, expect.any(Number)]]));
  });

  test('as one who registers clients with chosen secrets, 64 at a time, keep no client of a new network waiting', async () => {
    const stop = repeat(64, register);
    const startedAt = performance.now();
    const statuses: number[] = [];
    for (let host = 1; host <= 8; host += 1) {
      const other = passwordKind({ client_id: `other-${host}`, client_secret: 'another-secret' });
      expect((await postClient(gatehouse, other, { bearer, ...from('203.0.113.201') })).status).toBe(200);
      const token = { form: { grant_type: 'password', username: 'x@example.com', password: 'x' } };
      const basic: Credentials = [other.client_id, 'another-secret'];
      statuses.push((await postToken(gatehouse, { basic, ...token, ...from(`198.51.100.${host}`) })).status);
    }
    await stop();
    // The secret is right, and the password is not.
    expect(new Set(statuses)).toEqual(new Set([400]));
    expect((performance.now() - startedAt) / 8).toBeLessThan(patience);
  });

  test('fill the places, and others are told that too many ask, not that the organization is out of reach', async () => {
    // 512 hashes and more of one network wait.
    const flood = Array.from({ length: 600 }, (_, index) => importUser(100_000 + index));
    const [name] = administrator;
    const guesses = await Promise.all(
      Array.from({ length: 120 }, (_, index) => signIn([name, 'wrong'], `198.51.${100 + (index >> 6)}.${index & 63}`)),
    );
    const clients = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        call(`${gatehouse.authUrl}/clients`, {
          ...{ basic: [`z${index}@example.com`, 'wrong'] as [string, string], json: {}, ...from(`198.19.0.${index}`) },
        }),
      ),
    );
    const imports = await Promise.all(flood);
    const refused = [...guesses, ...clients, ...imports].filter(({ status }) => status !== 400 && status !== 401);
    expect(refused.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
    for (const { status, text, headers } of refused.filter(({ status }) => status !== 201)) {
      expect([status, text]).toEqual([503, expect.stringContaining(busy)]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
  }, 120_000);
});
