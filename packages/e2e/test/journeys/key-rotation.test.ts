import { createDecipheriv, createHash, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  call,
  findFreePort,
  type Gatehouse,
  quickestDialect,
  type ServiceProcess,
  startServiceProcess,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, exportJWK, type JSONWebKeySet, jwtVerify } from 'jose';
import { type Credentials, passwordKind, registerClient, serviceAccountKind } from '../support/clients.ts';
import { robotUsername } from '../support/people.ts';
import { startAgain } from '../support/services.ts';
import { type Dialect, describeGatehouse } from '../support/suite.ts';
import { getTokens, getUserTokens, isActive, postToken, readHeader } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';
import { findSigner, listKeys, parseKeys, runKeys } from './support/keys-command.ts';
import { withRows } from './support/open-rows.ts';
import { askOrganization } from './support/refusal.ts';

const machineForm = { grant_type: 'client_credentials' };
/** Milliseconds between a client's use of a token and its next request. */
const thinkingTime = 150;
/** For what a command or one process says, whatever its database. */
const isQuickest = (dialect: Dialect) => dialect === quickestDialect;
const kidOf = (jwt: string) => String(readHeader(jwt).kid);
const getKeySet = async ({ authUrl }: Pick<Gatehouse, 'authUrl'>) =>
  (await call(`${authUrl}/oauth/jwks`)).json() as unknown as JSONWebKeySet;

/** Obtains tokens and uses each at once at org-api, over and over, until it is told to stop. */
function startLoad(gatehouse: Gatehouse, machine: Credentials, authUrls: readonly string[]) {
  const tokens: string[] = [];
  const failures: string[] = [];
  let stopped = false;
  const work = async (authUrl: string) => {
    while (!stopped) {
      const answer = await postToken({ ...gatehouse, authUrl }, { basic: machine, form: machineForm });
      if (answer.status !== 200) {
        failures.push(`${authUrl} issues: ${answer.status} ${answer.text}`);
        continue;
      }
      const token = String(answer.json().access_token);
      tokens.push(token);
      const status = await askOrganization(gatehouse, token, robotUsername);
      if (status !== 200) failures.push(`org-api: ${status} for a token by ${kidOf(token)}`);
      await sleep(thinkingTime);
    }
  };
  const workers = authUrls.flatMap((authUrl) => [work(authUrl), work(authUrl)]);
  return {
    tokens,
    failures,
    async stop() {
      stopped = true;
      await Promise.all(workers);
    },
  };
}

/** Ten rotations, one after another, then until the last of the new keys signs everywhere. */
async function rotateTenTimes(gatehouse: Gatehouse, authUrls: readonly string[]) {
  const machine = await registerClient(gatehouse, serviceAccountKind());
  const client = await registerClient(gatehouse, passwordKind());
  const early = await getUserTokens(gatehouse, client);
  const first = await findSigner(gatehouse);
  const load = startLoad(gatehouse, machine, authUrls);
  try {
    for (let rotation = 0; rotation < 10; rotation += 1) {
      const { code, stderr } = await runKeys(gatehouse, ['rotate', '--sign-after', '5']);
      expect([rotation, code, stderr]).toEqual([rotation, 0, '']);
    }
    const newest = (await listKeys(gatehouse)).filter(({ algorithm }) => algorithm === 'ES256').at(-1)?.kid ?? '';
    await waitFor(
      async () => load.tokens.slice(-20).map(kidOf),
      (kids) => kids.length === 20 && kids.every((kid) => kid === newest),
      20_000,
    );
    expect([await findSigner(gatehouse), kidOf(load.tokens.at(-1) ?? '')]).toEqual([newest, newest]);
  } finally {
    await load.stop();
  }
  expect(load.failures).toEqual([]);
  const kids = [...new Set(load.tokens.map(kidOf))];
  process.stdout.write(`ten rotations: ${load.tokens.length} tokens by ${kids.length} keys, none refused\n`);
  expect(kids[0]).toBe(first);
  // Each of the ten signed for as long as the next was behind it.
  expect(kids).toHaveLength(11);

  const atEnd = await Promise.all(
    load.tokens.slice(0, 50).map((token) => askOrganization(gatehouse, token, robotUsername)),
  );
  expect(new Set(atEnd)).toEqual(new Set([200]));
  return { early, client, keys: await listKeys(gatehouse) };
}

/** On MySQL at two replicas, which read one set of keys. */
describeGatehouse('keys are rotated', (getGatehouse, dialect) => {
  let gatehouse: Gatehouse;
  let replica: ServiceProcess | undefined;
  let authUrls: string[];
  beforeAll(async () => {
    gatehouse = getGatehouse();
    const env = gatehouse.env['auth-server'];
    if (dialect === 'mysql') {
      replica = await startServiceProcess({ name: 'auth-server', port: await findFreePort(), env });
    }
    authUrls = [gatehouse.authUrl, ...(replica === undefined ? [] : [replica.url])];
  });
  afterAll(() => replica?.stop());

  test('ten times under load, with no token refused, old ones included', async () => {
    const { early, client, keys } = await rotateTenTimes(gatehouse, authUrls);
    expect(keys.map(({ algorithm, generation, state }) => `${algorithm} #${generation} ${state}`)).toEqual(
      ['ES256', 'RS256'].flatMap((algorithm) => [
        ...Array.from({ length: 10 }, (_, index) => `${algorithm} #${index + 1} retiring`),
        `${algorithm} #11 signing`,
      ]),
    );
    const published = await getKeySet(gatehouse);
    expect(new Set(published.keys.map(({ kid }) => kid))).toEqual(new Set(keys.map(({ kid }) => kid)));
    for (const key of published.keys) expect(Object.keys(key)).not.toContain('d');

    // What was issued before the first of them goes on: at org-api, at auth-server, as a hint, and for a refresh.
    expect(await askOrganization(gatehouse, early.access_token)).toBe(200);
    expect(await isActive(gatehouse, client, early.access_token)).toBe(true);
    await jwtVerify(early.id_token ?? '', createLocalJWKSet(published), { issuer: gatehouse.authUrl });
    const logout = await call(`${gatehouse.authUrl}/oauth/logout?id_token_hint=${early.id_token}`);
    expect(logout.status).toBe(200);
    const form = { grant_type: 'refresh_token', refresh_token: early.refresh_token ?? '' };
    const refreshed = await getTokens(gatehouse, client, form);
    const [es256, rs256] = await Promise.all([findSigner(gatehouse, 'ES256'), findSigner(gatehouse, 'RS256')]);
    expect([kidOf(refreshed.access_token), kidOf(refreshed.id_token ?? '')]).toEqual([es256, rs256]);
  }, 120_000);

  // Of one process where there is but SQLite.
  if (dialect === testDialects.at(-1)) {
    test('a key is shown before it signs; replicas agree on the key set, and on who signs, from the moment on that was told', async () => {
      const atEach = <T>(ask: (authUrl: string) => Promise<T>) => Promise.all(authUrls.map(ask));
      const machine = await registerClient(gatehouse, serviceAccountKind());
      const ask = (authUrl: string) => getTokens({ ...gatehouse, authUrl }, machine, machineForm);
      const before = await findSigner(gatehouse);
      const { stdout } = await runKeys(gatehouse, ['rotate', '--sign-after', '12']);
      const signFrom = Date.parse(/ES256 .* waiting .* signs from (\S+)/.exec(stdout)?.[1] ?? '');
      const waiting = parseKeys(stdout).filter(({ state }) => state === 'waiting');
      expect(waiting.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'RS256']);
      const next = waiting[0]?.kid;
      // The command itself may take seconds; a service reads the keys every two.
      await sleep(signFrom - 3_000 - Date.now());
      const keySets = await atEach((authUrl) => getKeySet({ authUrl }));
      for (const keySet of keySets) expect(keySet).toEqual(keySets[0]);
      expect(keySets[0]?.keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining(waiting.map(({ kid }) => kid)));

      const samples: { started: number; ended: number; kids: string[] }[] = [];
      while (Date.now() < signFrom + 1_500) {
        const started = Date.now();
        const kids = (await atEach(ask)).map(({ access_token: token }) => kidOf(token));
        samples.push({ started, ended: Date.now(), kids });
      }
      const kidsOf = (some: typeof samples) => [...new Set(some.flatMap(({ kids }) => kids))];
      expect(kidsOf(samples.filter(({ ended }) => ended < signFrom))).toEqual([before]);
      expect(kidsOf(samples.filter(({ started }) => started >= signFrom))).toEqual([next]);
    });
  }

  test('two operators at the same moment make one generation', async () => {
    const before = await listKeys(gatehouse);
    const runs = await Promise.all([1, 2, 3].map(() => runKeys(gatehouse, ['rotate', '--sign-after', '5'])));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const generations = (await listKeys(gatehouse)).filter(({ algorithm }) => algorithm === 'ES256');
    const numbers = generations.map(({ generation }) => generation);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(generations.length).toBeGreaterThan(before.length / 2);
    expect(numbers.at(-1)).toBe(numbers.length);
  });

  if (!isQuickest(dialect)) return;

  describe('by the command', () => {
    let client: Credentials;
    let newest: string | undefined;
    let overtakenAt: number;
    const readKids = () =>
      withRows(gatehouse, 'auth-server', (query) =>
        query<{ kid: string }>('SELECT kid FROM signing_keys ORDER BY kid'),
      );
    beforeAll(async () => {
      client = await registerClient(gatehouse, passwordKind());
      const waiting = parseKeys((await runKeys(gatehouse, ['rotate', '--sign-after', '12'])).stdout);
      overtakenAt = Date.now() + 12_000;
      const hurried = parseKeys((await runKeys(gatehouse, ['rotate', '--sign-after', '5'])).stdout);
      newest = hurried.filter(({ algorithm }) => algorithm === 'ES256').at(-1)?.kid;
      expect(waiting.map(({ kid }) => kid)).not.toContain(newest);
    });

    test.each([
      [],
      ['destroy'],
      ['list', 'all'],
      ['rotate', 'now'],
      ['rotate', '--sign-after', '4'],
      ['rotate', '--sign-after', '4.999'],
      ['rotate', '--sign-after', '-5'],
      ['rotate', '--sign-after', 'soon'],
      ['rotate', '--sign-after', ''],
      ['rotate', '--sign-after', 'Infinity'],
      ['rotate', '--sign-after', '1e15'],
      ['rotate', '--sign-after'],
      ['rotate', '--at-once'],
    ])('“keys %s %s %s” says how it is used, exits 1 and changes nothing', async (...args) => {
      const before = await readKids();
      const { code, stdout, stderr } = await runKeys(
        gatehouse,
        args.filter((arg) => arg !== undefined),
      );
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
      expect(stderr).toContain('usage: keys list');
      expect(stderr).not.toMatch(/\bat .*\.js|node:/);
      expect(await readKids()).toEqual(before);
    });

    test.each([
      ['KEY_ENCRYPTION_KEY', 'short'],
      ['KEY_ENCRYPTION_KEY_PREVIOUS', 'short'],
      ['DATABASE_URL', 'postgres://x'],
    ])('a bad %s is one line', async (name, value) => {
      const { code, stdout, stderr } = await runKeys(gatehouse, ['list'], { [name]: value });
      expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringContaining(name)]]);
    });

    test.each([
      ['another KEY_ENCRYPTION_KEY', { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }, 'does not decrypt'],
      ['a made-up key beside MySQL', { KEY_ENCRYPTION_KEY: '', DATABASE_URL: 'mysql://a:b@127.0.0.1:9/c' }, 'required'],
    ])('“keys rotate” with %s is one line, exits 1 and changes nothing', async (_name, env, text) => {
      const before = await readKids();
      const { code, stdout, stderr } = await runKeys(gatehouse, ['rotate'], env);
      expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringContaining(text)]]);
      expect(stderr).toContain('KEY_ENCRYPTION_KEY');
      expect(await readKids()).toEqual(before);
    });

    // Last, as what stands above takes part of the time that this waits for.
    test('a hurried rotation overtakes one that waits, and stays ahead of it', async () => {
      await sleep(overtakenAt + 2_000 - Date.now());
      const kid = kidOf((await getUserTokens(gatehouse, client)).access_token);
      expect([await findSigner(gatehouse), kid]).toEqual([newest, newest]);
    });
  });
});

describeGatehouse('signing keys', (getGatehouse, dialect) => {
  let gatehouse: Gatehouse;
  let client: Credentials;
  let running: ServiceProcess;
  const formerKey = () => gatehouse.env['auth-server'].KEY_ENCRYPTION_KEY ?? '';
  const readTexts = () =>
    withRows(gatehouse, 'auth-server', (query) =>
      query<{ encrypted_private_key: string }>('SELECT encrypted_private_key FROM signing_keys ORDER BY kid'),
    );
  let isChanged = false;
  const restart = async (env: Record<string, string>, until: 'live' | 'ready' = 'ready') => {
    isChanged = Object.keys(env).length > 0;
    await running.stop();
    running = await startAgain(gatehouse, 'auth-server', { env, until });
  };
  beforeAll(async () => {
    gatehouse = getGatehouse();
    running = gatehouse.authServer;
    client = await registerClient(gatehouse, passwordKind());
  });
  afterAll(() => running?.stop('SIGKILL'));

  describe('a change of KEY_ENCRYPTION_KEY', () => {
    beforeEach(async () => {
      if (isChanged) await restart({});
    });

    test('with the one before encrypts again, starts without it then, and ends no token', async () => {
      const { access_token: token } = await getUserTokens(gatehouse, client);
      const [texts, keySet] = [await readTexts(), await getKeySet(gatehouse)];
      const next = randomBytes(32).toString('base64');
      await restart({ KEY_ENCRYPTION_KEY: next, KEY_ENCRYPTION_KEY_PREVIOUS: formerKey() });
      const nextId = createHash('sha256').update(Buffer.from(next, 'base64')).digest('hex').slice(0, 16);
      for (const { encrypted_private_key: text } of await readTexts()) {
        expect(texts.map((row) => row.encrypted_private_key)).not.toContain(text);
        expect(text.split('.')[1]).toBe(nextId);
      }
      expect(await isActive(gatehouse, client, token)).toBe(true);

      await restart({ KEY_ENCRYPTION_KEY: next });
      expect(await getKeySet(gatehouse)).toEqual(keySet);
      expect(await isActive(gatehouse, client, token)).toBe(true);
      expect(await askOrganization(gatehouse, token)).toBe(200);
      const fresh = await getUserTokens(gatehouse, client);
      expect(await askOrganization(gatehouse, fresh.access_token)).toBe(200);
      const rotated = await runKeys(gatehouse, ['rotate', '--sign-after', '5'], { KEY_ENCRYPTION_KEY: next });
      expect(rotated.code).toBe(0);

      // And back again, in the same way.
      await restart({ KEY_ENCRYPTION_KEY: formerKey(), KEY_ENCRYPTION_KEY_PREVIOUS: next });
      expect(await isActive(gatehouse, client, token)).toBe(true);
    });

    if (!isQuickest(dialect)) return;

    test('without the one before is not ready, and says so', async () => {
      const texts = await readTexts();
      await restart({ KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }, 'live');
      const told = await waitFor(
        async () => running.output(),
        (output) => output.includes('KEY_ENCRYPTION_KEY'),
        5_000,
      );
      expect(told).toContain(
        'encrypted with another KEY_ENCRYPTION_KEY; set the KEY_ENCRYPTION_KEY of the other replicas; where that is lost, run recover.js --new-keys',
      );
      const ready = await call(`${gatehouse.authUrl}/health/ready`);
      expect([ready.status, ready.json().checks]).toEqual([
        503,
        expect.objectContaining({ 'signing-keys': expect.stringContaining('run recover.js --new-keys') }),
      ]);
      const form = { grant_type: 'password', username: 'user@example.com', password: 'user-password' };
      expect((await postToken(gatehouse, { basic: client, form })).status).toBe(503);
      expect(await readTexts()).toEqual(texts);
    });

    test('a KEY_ENCRYPTION_KEY_PREVIOUS that is none is one line, and exit 1', async () => {
      await running.stop();
      const started = startAgain(gatehouse, 'auth-server', {
        env: { KEY_ENCRYPTION_KEY_PREVIOUS: 'short' },
        until: 'live',
      });
      await expect(started).rejects.toThrow(/ended with 1: configuration: KEY_ENCRYPTION_KEY_PREVIOUS must be .*\n$/);
    });
  });

  describe('at rest', () => {
    interface Row {
      kid: string;
      algorithm: string;
      public_jwk: string;
      encrypted_private_key: string;
    }
    const readRows = () =>
      withRows(gatehouse, 'auth-server', (query) => query<Row>('SELECT * FROM signing_keys ORDER BY kid'));
    beforeAll(async () => {
      await restart({});
      await runKeys(gatehouse, ['rotate', '--sign-after', '5']);
    });

    function decrypt({ kid, encrypted_private_key: text }: Row): string {
      const [version, id, iv = '', sealed = ''] = text.split('.');
      const key = Buffer.from(gatehouse.env['auth-server'].KEY_ENCRYPTION_KEY ?? '', 'base64');
      expect([version, id]).toEqual(['v1', createHash('sha256').update(key).digest('hex').slice(0, 16)]);
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(kid))
        .setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString();
    }

    test('are AES-256-GCM under KEY_ENCRYPTION_KEY, and stand in no table in any other form', async () => {
      const rows = await readRows();
      // Two that the service made, two of each rotation.
      expect(rows).toHaveLength(6);
      const secrets = await Promise.all(
        rows.map(async (row) => {
          const privateKey = createPrivateKey(decrypt(row));
          const { x, n } = createPublicKey(privateKey).export({ format: 'jwk' });
          expect({ x, n }).toEqual({ x: JSON.parse(row.public_jwk).x, n: JSON.parse(row.public_jwk).n });
          return String((await exportJWK(privateKey)).d);
        }),
      );
      const dump = await withRows(gatehouse, 'auth-server', async (query) => {
        const tables =
          dialect === 'mysql'
            ? await query<{ name: string }>(
                'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
              )
            : await query<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
        const contents = await Promise.all(tables.map(({ name }) => query(`SELECT * FROM ${name}`)));
        return JSON.stringify(contents, (_name, value) =>
          value?.type === 'Buffer' ? Buffer.from(value.data).toString('base64url') : value,
        );
      });
      expect(dump).toContain(rows[0]?.encrypted_private_key);
      expect(dump).not.toContain('PRIVATE KEY');
      for (const secret of secrets) {
        const raw = Buffer.from(secret, 'base64url');
        const forms = [secret, raw.toString('base64'), raw.toString('hex')];
        for (const form of forms) expect(dump.includes(form)).toBe(false);
      }
    });

    test('are not written to any log', async () => {
      const output = gatehouse.output() + running.output();
      expect(output).not.toContain('PRIVATE KEY');
      for (const row of await readRows()) expect(output).not.toContain(row.encrypted_private_key);
    });
  });
});
