import { createPrivateKey, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestBrowser, createTestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { useAccounts } from '../support/account.ts';
import { runBoundAndThirdPartyFlow } from '../support/bound-flow.ts';
import { authorizePath, codeRequest, createPkce, obtainCode, signIn } from '../support/browser.ts';
import { putLogo } from '../support/client-logos.ts';
import { commandLine, useDevices } from '../support/device.ts';
import { openBody, registerDynamically } from '../support/dynamic-clients.ts';
import { accessTokenType, tokenExchange } from '../support/exchanges.ts';
import {
  administrator,
  callback,
  passwordOf,
  type Realm,
  startRealm,
  type TokenAnswer,
  webClient,
} from '../support/realm.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const machine = {
  client_id: 'machine',
  client_secret: 'a machine secret',
  scope: ['openid'],
  authorized_grant_types: ['client_credentials'],
};

const publicClient = {
  client_id: 'public',
  scope: ['openid'],
  authorized_grant_types: ['authorization_code'],
  redirect_uri: callback,
};

const exchangerOf = (from: string, audience: string) => ({
  client_id: 'exchanger',
  client_secret: 'an exchanger secret',
  scope: ['openid'],
  authorized_grant_types: [tokenExchange],
  ...{ exchange_from: [from], exchange_audiences: [audience] },
});

async function listTables({ deps: { database } }: Realm): Promise<string[]> {
  const sql =
    database.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
  return (await database.query<{ name: string }>(sql)).map(({ name }) => name);
}

/** Every value of every row of a database, in every form in which somebody might read it. */
async function dump(realm: Realm): Promise<{ text: string; rows: Record<string, number> }> {
  const parts: string[] = [];
  const rows: Record<string, number> = {};
  for (const table of await listTables(realm)) {
    const found = await realm.deps.database.query<Record<string, unknown>>(`SELECT * FROM ${table}`);
    rows[table] = found.length;
    for (const value of found.flatMap((row) => Object.values(row))) {
      parts.push(String(value));
      // As a form would hold it.
      if (typeof value === 'string') parts.push(new URLSearchParams(`x=${value}`).get('x') ?? '');
      if (Buffer.isBuffer(value))
        parts.push(...(['latin1', 'hex', 'base64', 'base64url'] as const).map((form) => value.toString(form)));
    }
  }
  return { text: parts.join('\n'), rows };
}

/** Signs a user with a code app in, and gives the cookie of the browser, which is not asked for it again. */
async function rememberBrowser(realm: Realm): Promise<string> {
  const accounts = await useAccounts(realm);
  const visitor = await accounts.signIn();
  const { nextCode } = await accounts.addCodeApp(visitor);
  const another = accounts.visit(visitor.user);
  const page = await another.signIn();
  const form = { code: nextCode(), remember_browser: 'yes' };
  await another.send(page, '/account/second-step', form);
  const { browser } = another;
  return browser.cookies()['gatehouse-remembered-browser'] ?? '';
}

describe.each(testDialects)('the database at rest on %s', (dialect) => {
  let realm: Realm;
  let upstream: UpstreamServer;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  const keyEncryptionKey = randomBytes(32);
  const shown: Record<string, string> = {};
  let dynamicClientId: string;

  beforeAll(async () => {
    database = await createTestDatabase(dialect);
    const env = {
      DATABASE_URL: database.url,
      MIGRATE_ON_START: 'true',
      KEY_ENCRYPTION_KEY: keyEncryptionKey.toString('base64'),
      DYNAMIC_REGISTRATION: 'token',
    };
    [realm, upstream] = await Promise.all([startRealm(env, { hashesAtUsualCost: true }), startUpstreamServer()]);
    await runWholeFlow();
    await waitForUses();
  });

  /** Uses of clients and refusals are written every two seconds, counts where they are read. */
  async function waitForUses() {
    await realm.send('/statistics?measure=tokens&step=hour', { basic: administrator });
    for (const [table, condition] of [
      ['client_uses', "kind = 'token'"],
      ['refusals', '1 = 1'],
    ]) {
      const sql = `SELECT COUNT(*) AS uses FROM ${table} WHERE ${condition}`;
      const count = () => realm.deps.database.query<{ uses: number }>(sql);
      while (Number((await count())[0]?.uses) === 0) await sleep(100);
    }
  }

  afterAll(async () => {
    upstream.close();
    await realm.close();
    await database.drop();
  });

  async function runWholeFlow() {
    const orders = { resource: 'https://orders.example.com/', name: 'Orders', scopes: [{ name: 'orders:read' }] };
    await realm.send('/resources', { basic: administrator, json: orders });
    const workloads = { issuer: 'https://issuer.example.com', name: 'Workloads' };
    await realm.send('/issuers', { basic: administrator, json: workloads });
    const company = {
      ...{ alias: 'company', display_name: 'Company', kind: 'oidc', issuer: upstream.issuer },
      ...{ client_id: 'gatehouse', client_secret: 'an upstream secret', domains: ['example.org'] },
    };
    await realm.send('/upstreams', { basic: administrator, json: company });
    await realm.register(webClient);
    Object.assign(shown, await signInAtUpstream());
    await realm.register(machine);
    await realm.register(publicClient);
    shown.remembered_browser = await rememberBrowser(realm);
    const byPassword = await realm.tokens(webClient, passwordOf('user'));
    const refreshed = await realm.tokens(webClient, {
      grant_type: 'refresh_token',
      refresh_token: byPassword.refresh_token ?? '',
    });
    const { verifier, parameters } = createPkce();
    const usedCode = await obtainCode(realm, parameters);
    const freshCode = await obtainCode(realm);
    const byCode = await realm.tokens(webClient, {
      grant_type: 'authorization_code',
      code: usedCode,
      redirect_uri: callback,
      code_verifier: verifier,
    });
    const byMachine = await realm.tokens(machine, { grant_type: 'client_credentials' });
    const exchanger = exchangerOf(machine.client_id, realm.orgUrl);
    await realm.register(exchanger);
    const exchanged = await realm.tokens(exchanger, {
      ...{ grant_type: tokenExchange, subject_token: byMachine.access_token, subject_token_type: accessTokenType },
    });
    const browser = createTestBrowser();
    await signIn(realm, codeRequest, { browser });
    const replaced = await realm.send('/clients/machine/secret', { basic: administrator, json: { grace_seconds: 60 } });
    await realm.send('/oauth/revoke', { basic: ['web', 'web-secret'], form: { token: byCode.access_token } });
    await realm.tokenRequest({ client_id: 'web', client_secret: 'a wrong secret' }, passwordOf('user'));
    await realm.register(commandLine);
    const devices = useDevices(realm);
    const device = await devices.start(commandLine);
    await devices.decide(device);
    const byDevice = (await devices.poll(commandLine, device)).json<TokenAnswer>();
    const pushed = {
      client_id: 'public',
      ...{ response_type: 'code', redirect_uri: callback, ...createPkce().parameters },
    };
    await realm.send('/oauth/par', { form: pushed });
    const { createToken, register } = registerDynamically(realm);
    const initialToken = await createToken({ uses: 2 });
    const dynamic = await register(openBody, initialToken);
    dynamicClientId = dynamic.client_id;
    await putLogo(realm, 'web');
    Object.assign(shown, await runBoundAndThirdPartyFlow(realm), {
      initialToken,
      dynamicSecret: dynamic.client_secret,
      registrationAccessToken: dynamic.registration_access_token,
      webSecret: webClient.client_secret,
      machineSecret: machine.client_secret,
      exchangerSecret: exchanger.client_secret,
      upstreamSecret: company.client_secret,
      replacedSecret: replaced.json<{ client_secret: string }>().client_secret,
      wrongSecret: 'a wrong secret',
      userPassword: 'user-password',
      adminPassword: 'admin-password',
      usedCode,
      freshCode,
      deviceCode: device.device_code,
      userCode: device.user_code,
      userCodeTyped: device.user_code.replace('-', ''),
      verifier,
      session: browser.cookies()['gatehouse-session'] ?? '',
      browser: browser.cookies()['gatehouse-browser'] ?? '',
      knownBrowser: browser.cookies()['gatehouse-known-browser'] ?? '',
    });
    for (const [name, { access_token, id_token, refresh_token }] of Object.entries({
      byPassword,
      refreshed,
      byCode,
      byMachine,
      byDevice,
      exchanged,
    })) {
      Object.assign(shown, { [`${name}.access_token`]: access_token });
      if (id_token !== undefined) shown[`${name}.id_token`] = id_token;
      if (refresh_token !== undefined) shown[`${name}.refresh_token`] = refresh_token;
    }
  }

  /** Comes back from an upstream with an account that nobody has; gives what the browser and the upstream saw. */
  async function signInAtUpstream(): Promise<Record<string, string>> {
    const visitor = createTestBrowser();
    const url = realm.url + authorizePath(codeRequest);
    const leaving = await visitor.submit(await visitor.get(url), url, { upstream: 'company' });
    const there = String(leaving.headers.location);
    const back = String((await visitor.get(there)).headers.location);
    const result = await visitor.get(back);
    await visitor.get(new URL(String(result.headers.location), realm.url).href);
    const [asked, answered] = [new URL(there).searchParams, new URL(back).searchParams];
    return {
      upstreamState: asked.get('state') ?? '',
      upstreamNonce: asked.get('nonce') ?? '',
      upstreamChallenge: asked.get('code_challenge') ?? '',
      upstreamVerifier: upstream.tokenRequests[0]?.form.get('code_verifier') ?? '',
      upstreamCode: answered.get('code') ?? '',
      upstreamAccessToken: 'an access token',
    };
  }

  it('holds rows in every table after a whole flow, and none of what was shown to anybody', async () => {
    const { text, rows } = await dump(realm);
    expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([]);
    expect(Object.values(shown).filter((value) => value.length < 8)).toEqual([]);
    expect(Object.keys(shown).length).toBeGreaterThanOrEqual(35);
    const found = Object.entries(shown).filter(([, value]) => text.includes(value));
    expect(found).toEqual([]);
  });

  it('holds no part of a token: neither a signature nor the secret half of a refresh token', async () => {
    const { text } = await dump(realm);
    const parts = Object.entries(shown)
      .filter(([name]) => name.endsWith('_token'))
      .map(([name, token]) => [name, token.split('.').at(-1) ?? '']);
    expect(parts.length).toBeGreaterThanOrEqual(14);
    expect(parts.filter(([, part]) => part === '' || text.includes(part ?? ''))).toEqual([]);
  });

  it('holds private keys encrypted alone: no PEM, no private member, no form of their bytes', async () => {
    const { text } = await dump(realm);
    expect(text).not.toMatch(/PRIVATE KEY|"d":|"p":|BEGIN/);
    const rows = await realm.deps.database.query<{ kid: string; encrypted_private_key: string }>(
      'SELECT * FROM signing_keys',
    );
    expect(rows).toHaveLength(2);
    const encryption = createKeyEncryption(keyEncryptionKey);
    for (const { kid, encrypted_private_key: sealed } of rows) {
      const pem = encryption.decrypt(sealed, kid);
      const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
      expect(pem).toContain('PRIVATE KEY');
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(text).not.toContain(der.subarray(30).toString(form).slice(4, 64));
    }
    expect(text).not.toContain(keyEncryptionKey.toString('base64').slice(0, 20));
    expect(text).not.toContain(keyEncryptionKey.toString('hex'));
  });

  it('holds client secrets that people chose as argon2id hashes, and of made ones a digest beside a hash of nothing', async () => {
    const rows = await realm.deps.database.query<{
      client_id: string;
      secret_hash: string | null;
      secret_digest: string | null;
      previous_secret_hash: string | null;
    }>('SELECT client_id, secret_hash, secret_digest, previous_secret_hash FROM clients ORDER BY client_id');
    expect(rows.map(({ client_id }) => client_id)).toEqual([
      dynamicClientId,
      ...['by-key', 'command-line', 'exchanger', 'machine', 'organization-tool', 'public', 'third-party', 'web'],
    ]);
    const withoutSecret = ['by-key', 'command-line', 'public'];
    const madeSecrets = [dynamicClientId, 'machine'];
    const bySecret = rows.filter(({ client_id }) => !withoutSecret.includes(client_id));
    for (const row of rows.filter((one) => !bySecret.includes(one))) expect(row.secret_hash).toBeNull();
    for (const { client_id, secret_hash, secret_digest } of bySecret) {
      const isMade = secret_digest !== null;
      expect([client_id, isMade]).toEqual([client_id, madeSecrets.includes(client_id)]);
      expect(secret_hash).toMatch(
        isMade ? /^\$argon2id\$v=19\$m=8,t=1,p=1\$/ : /^\$argon2id\$v=19\$m=\d{5,},t=\d,p=\d\$/,
      );
    }
    const replaced = bySecret.find(({ client_id }) => client_id === 'machine');
    expect(replaced?.previous_secret_hash).toMatch(/^\$argon2id\$/);
  });
});
