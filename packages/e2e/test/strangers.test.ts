import { call, createTestBrowser, type Gatehouse, startGatehouse, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Credentials, passwordKind, registerClient } from './support/clients.ts';
import { administrator, plainUser } from './support/people.ts';
import { from, measureTurns, startStrangers } from './support/strangers.ts';
import { isActive, postToken, type TokenResponse } from './support/tokens.ts';

/**
 * Milliseconds, on a machine that has other things to do; `npm run bench -- --cases strangers` measures on a quiet one. A
 * machine on which a sign-in alone takes a second has other things to do for all of the time.
 */
const patienceOf = (alone: number) => Math.max(4_000, 10 * alone);
/** The same while both services take in hundreds of requests at once. */
const patienceWithBurstOf = (alone: number) => 2 * patienceOf(alone);
const home = from('203.0.113.7');

/** Nobody without credentials slows somebody with them. */
describe.each(testDialects)('strangers who guess fifty times a second from a thousand addresses, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let strangers: ReturnType<typeof startStrangers> | undefined;

  beforeAll(async () => {
    const env = { TRUST_PROXY: 'loopback' };
    gatehouse = await startGatehouse({ dialect, env: { 'auth-server': env } });
    app = await registerClient(gatehouse, passwordKind());
  });
  afterAll(async () => {
    await strangers?.stop();
    await gatehouse?.stop();
  });

  const [username, password] = plainUser;
  const signIn = async (options: Pick<Parameters<typeof call>[1] & object, 'headers'> = home) => {
    const form = { grant_type: 'password', username, password };
    const answer = await postToken(gatehouse, { basic: app, form, ...options });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<TokenResponse & Record<string, unknown>>();
  };

  /** The longest of the sign-ins of a second without strangers. */
  const measureAlone = async () => (await measureTurns(() => signIn(), 1)).at(-1) ?? 0;

  test('slow nobody down who signs in from where they did before, refreshes, asks userinfo or introspects', async () => {
    let { access_token: accessToken, refresh_token: refreshToken = '' } = await signIn();
    const alone = await measureAlone();
    strangers = startStrangers(gatehouse, 50);
    const refresh = async () => {
      const answer = await postToken(gatehouse, {
        basic: app,
        form: { grant_type: 'refresh_token', refresh_token: refreshToken },
        ...home,
      });
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      ({ access_token: accessToken, refresh_token: refreshToken = '' } = answer.json<Required<TokenResponse>>());
    };
    const askUserinfo = async () => {
      const { status } = await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: accessToken, ...home });
      if (status !== 200 && status !== 401) throw new Error(String(status));
    };
    const times = await Promise.all([
      measureTurns(() => signIn(), 6),
      measureTurns(refresh, 6),
      measureTurns(askUserinfo, 6),
      measureTurns(() => isActive(gatehouse, app, accessToken), 6),
    ]);
    for (const turns of times) expect(turns.at(-1)).toBeLessThan(patienceOf(alone));
    const statuses = await strangers.stop();
    strangers = undefined;
    // Nobody of them was let in, and each was told something: wrong, too often, or to come again.
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(100);
    for (const status of statuses.keys()) expect([401, 429, 503]).toContain(status);
  });

  test('are refused at once where there is no place, however many come at the same moment', async () => {
    const alone = await measureAlone();
    const flood = Promise.all(
      Array.from({ length: 400 }, (_, index) => {
        const options = {
          basic: [`z${index}@example.com`, 'wrong'] as [string, string],
          ...from(`198.51.100.${index % 250}`),
        };
        return call(`${gatehouse.authUrl}/clients`, options);
      }),
    );
    const [slowest] = (await measureTurns(() => signIn(), 3)).slice(-1);
    const answers = await flood;
    expect(slowest).toBeLessThan(patienceWithBurstOf(alone));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test('keep nobody out of a browser or a network in which they signed in, when all guess at one user', async () => {
    const [name, secret] = administrator;
    const url = `${gatehouse.authUrl}/oauth/authorize?${new URLSearchParams({
      ...{ response_type: 'code', client_id: app[0], redirect_uri: passwordKind().redirect_uri ?? '', prompt: 'login' },
    })}`;
    const browser = createTestBrowser();
    const signInAt = async () => browser.submit(await browser.get(url), url, { username: name, password: secret });
    expect((await signInAt()).status).toBe(303);
    const guess = (index: number, guessed: string) => {
      const form = { grant_type: 'password', username: name, password: guessed };
      return postToken(gatehouse, { basic: app, form, ...from(`192.0.2.${index}`) });
    };
    for (let index = 0; index < 100; index += 1) expect((await guess(index, 'wrong')).status).toBe(400);
    const later = await Promise.all(Array.from({ length: 10 }, (_, index) => guess(index + 100, 'wrong')));
    expect(later.filter(({ status }) => status === 503).length).toBeGreaterThanOrEqual(8);
    expect(later.find(({ status }) => status === 503)?.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await signInAt()).status).toBe(303);
  });
});
