import { randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type Authenticator,
  call,
  createAuthenticator,
  createTestBrowser,
  type Gatehouse,
  runServiceScript,
  type ServiceName,
  showCode,
  startGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerAdministeringClient } from '../support/administering-client.ts';
import { buildAuthorizeUrl, createPkce, getLocation } from '../support/authorization.ts';
import {
  type Credentials,
  passwordKind,
  postClient,
  redirectUri,
  registerClient,
  serviceAccountKind,
} from '../support/clients.ts';
import { type CommandLine, createCommandLine } from '../support/command-line.ts';
import { logo } from '../support/logo.ts';
import { administrator } from '../support/people.ts';
import { getAdministratorToken, getTokens, getUserTokens, postToken, readClaims } from '../support/tokens.ts';
import { createUserAdministration } from '../support/users.ts';

const password = 'the password of everybody here';
const codeKey = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const orders = 'https://orders.example.com';

type Line = Record<string, unknown> & { kind: string };

/** People and clients of each kind that there is. The clients have names of their own, so that another deployment can take them. */
async function fill(gatehouse: Gatehouse, authenticator: Authenticator) {
  const app = await registerClient(gatehouse, passwordKind({ client_id: 'app' }));
  const users = createUserAdministration(gatehouse, await getAdministratorToken(gatehouse, app));
  for (const name of ['staff', 'staff/it']) await users.makeGroup(name);
  await users.create({
    ...{ username: 'plain@example.com', userType: 'Person', password, lastName: 'Plain', firstName: 'Ann' },
    ...{ roles: ['DirectoryReader'], locale: 'de', groups: ['staff/it', 'staff'], phoneNumber: '+4930123456' },
  });
  await users.create({ username: 'nightly@example.com', userType: 'Robot' });
  await users.create({ username: 'away@example.com', userType: 'Person', password, lastName: 'Away', enabled: false });
  const moved = (name: string, more: object) => ({
    ...{ id: randomUUID(), username: `${name}@example.com`, userType: 'Person', lastName: name, ...more },
  });
  const { credentialId, publicKey } = authenticator;
  const userHandle = randomBytes(16).toString('base64url');
  await users.importAll(
    moved('code', { passwordHash: hashElsewhere(), codeApp: { secret: codeKey } }),
    moved('key', {
      passkeys: [
        { credentialId, publicKey, userHandle, counter: 0, name: 'Laptop', backupEligible: false, userVerified: true },
      ],
    }),
    moved('hashed', { passwordHash: hashElsewhere(), externalId: 'auth0|5f7c' }),
    moved('linked', { identities: [{ issuer: 'https://login.partner.example', subject: '1234' }] }),
  );
  authenticator.create({ challenge: '', userHandle });

  const resource = { resource: orders, name: 'Orders', 'name#de': 'Aufträge', groups: ['staff/*'] };
  const scopes = [{ name: 'orders:read', description: 'see your orders' }];
  await call(`${gatehouse.authUrl}/resources`, { basic: administrator, json: { ...resource, scopes } });
  await registerClient(
    gatehouse,
    passwordKind({
      client_id: 'shop',
      resources: [orders],
      default_resource: orders,
      scope: ['openid', 'orders:read'],
    }),
  );
  await call(`${gatehouse.authUrl}/clients/shop/logo`, {
    ...{ method: 'PUT', basic: administrator, headers: { 'content-type': 'image/png' }, body: logo },
  });
  const robot = { srvc_ac_user_name: 'nightly@example.com' };
  const { client_secret: _made, ...machine } = serviceAccountKind({ client_id: 'machine', ...robot });
  const made = await postClient(gatehouse, machine, { headers: { prefer: 'return=representation' } });
  const replaced = await call(`${gatehouse.authUrl}/clients/machine/secret`, {
    ...{ basic: administrator, json: { grace_seconds: 3_600 } },
  });
  await registerClient(gatehouse, passwordKind({ client_id: 'off' }));
  await call(`${gatehouse.authUrl}/clients/off`, { method: 'PATCH', basic: administrator, json: { enabled: false } });
  return {
    olderSecret: String(made.json().client_secret),
    madeSecret: String(replaced.json().client_secret),
    olderWorksUntil: Date.now() + 3_600_000,
  };
}

function hashElsewhere(): string {
  const salt = randomBytes(16);
  const [shownSalt, key] = [salt, scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 })].map((bytes) =>
    bytes.toString('base64').replaceAll('=', ''),
  );
  return `$scrypt$ln=10,r=8,p=1$${shownSalt}$${key}`;
}

const names: ServiceName[] = ['org-api', 'auth-server'];
const moves = testDialects.map((from, index) => ({
  from,
  to: testDialects[(index + 1) % testDialects.length] as (typeof testDialects)[number],
}));

describe.each(moves)('export.js with credentials on $from', ({ from, to }) => {
  let [here, there] = [] as unknown as [Gatehouse, Gatehouse];
  let cli: CommandLine;
  let folder: string;
  let filled: Awaited<ReturnType<typeof fill>>;
  let authenticator: Authenticator;
  /** By the service that printed them. */
  const bundles = new Map<ServiceName, { head: Line; lines: Line[]; text: string }>();

  const exportOf = async (gatehouse: Gatehouse, name: ServiceName, ...args: string[]) => {
    const { code, output } = await runServiceScript(name, 'export', gatehouse.env[name], args);
    expect(code).toBe(0);
    const [head, ...lines] = readLines(output);
    return { head: head as Line, lines, text: output };
  };
  const find = (name: ServiceName, member: string, value: string) =>
    bundles.get(name)?.lines.find((line) => line[member] === value);

  beforeAll(async () => {
    [here, there] = await Promise.all([startGatehouse({ dialect: from }), startGatehouse({ dialect: to })]);
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-export-'));
    cli = createCommandLine(there.authUrl);
    authenticator = createAuthenticator({ rpId: 'localhost', origin: there.authUrl });
    filled = await fill(here, authenticator);
    for (const name of names) bundles.set(name, await exportOf(here, name, '--with-credentials'));
  }, 120_000);
  afterAll(async () => {
    cli?.remove();
    rmSync(folder, { recursive: true });
    await Promise.all([here?.stop(), there?.stop()]);
  });

  test('prints bundles of users and of clients, with what each of them has', () => {
    const users = bundles.get('org-api');
    expect(users?.head).toEqual({
      ...{ kind: 'bundle', version: 1, source: { product: 'gatehouse', version: expect.any(String) } },
      createdAt: expect.stringMatching(/^20.*Z$/),
    });
    expect(users?.lines.slice(0, 2)).toEqual([
      { kind: 'group', name: 'staff' },
      { kind: 'group', name: 'staff/it' },
    ]);
    expect(find('org-api', 'username', 'plain@example.com')).toMatchObject({
      ...{ kind: 'user', userType: 'Person', enabled: true, roles: ['DirectoryReader'], locale: 'de' },
      ...{ groups: ['staff', 'staff/it'], passwordHash: expect.stringMatching(/^\$argon2id\$/) },
    });
    expect(find('org-api', 'username', 'code@example.com')).toMatchObject({ codeApp: { secret: codeKey } });
    expect(find('org-api', 'username', 'nightly@example.com')).not.toHaveProperty('passwordHash');
    expect(find('auth-server', 'client_id', 'machine')).toMatchObject({
      ...{
        srvc_ac_user_name: 'nightly@example.com',
        client_secret_hash: expect.stringMatching(/^\$gh-made\$[\w-]{43}$/),
        previous_client_secret_hash: expect.stringMatching(/^\$gh-made\$[\w-]{43}$/),
      },
    });
    expect(find('auth-server', 'client_id', 'shop')).toMatchObject({
      ...{ resources: [orders], client_secret_hash: expect.stringMatching(/^\$argon2id\$/) },
    });
    expect(find('auth-server', 'client_id', 'gatehouse-console')).toBeUndefined();
  });

  test('prints neither hash nor method without --with-credentials, and each export is an event', async () => {
    for (const name of names) {
      const { text, lines } = await exportOf(here, name);
      expect(text).not.toMatch(/Hash"|codeApp|passkeys|\$argon2|JBSWY3DP/);
      const isObject = ({ kind }: Line) => kind !== 'note';
      expect(lines.filter(isObject)).toHaveLength(bundles.get(name)?.lines.filter(isObject).length ?? 0);
      const machine = lines.find(({ client_id: id }) => id === 'machine');
      // A secret that nobody has: without one, the client would be a public one.
      expect(machine?.client_secret_hash).not.toBe(find(name, 'client_id', 'machine')?.client_secret_hash ?? '');
      if (machine === undefined) continue;
      for (const problem of ['needs_secret', 'previous_secret']) {
        expect(lines).toContainEqual({ kind: 'note', about: 'client machine', problem });
      }
    }
    const events = async (url: string, type: string) => {
      const bearer = await getAdministratorToken(here, ['app', 'app-secret']);
      const answer = await call(`${url}?type=${type}`, { bearer });
      return (answer.json().events as { actor: object; details: object }[]).map(({ actor, details }) => ({
        actor,
        details,
      }));
    };
    const expected = [false, true].map((withCredentials) => ({
      actor: expect.objectContaining({ kind: 'service', name: 'export' }),
      details: { with_credentials: withCredentials },
    }));
    expect(await events(`${here.authUrl}/audit-events`, 'clients.exported')).toEqual(expected);
    const ofUsers = `${here.baseUrl}/organization/api/organization/audit-events`;
    expect(await events(ofUsers, 'users.exported')).toEqual(expected);
  });

  test(`signs everybody in as before, once ${to} has imported it`, async () => {
    const env = await registerAdministeringClient(there);
    for (const name of names) {
      const path = join(folder, `${name}.jsonl`);
      writeFileSync(path, bundles.get(name)?.text ?? '', { mode: 0o600 });
      const { code, stdout } = await cli.run(['import', path, '--allow-roles', '--output', 'json'], { env });
      // The demo users of both have other ids.
      const refused = (JSON.parse(stdout).lines as { result: string; about: string }[])
        .filter(({ result }) => result === 'refused')
        .map(({ about }) => about);
      expect(refused.filter((about) => !isOfDemo(about))).toEqual([]);
      expect(code).toBe(name === 'org-api' ? 2 : 0);
    }
    const idOf = (name: string) => find('org-api', 'username', `${name}@example.com`)?.id;
    const app: Credentials = ['app', 'app-secret'];

    for (const name of ['plain', 'hashed']) {
      const tokens = await getUserTokens(there, app, [`${name}@example.com`, password]);
      expect(readClaims(tokens.id_token ?? '').sub).toBe(idOf(name));
    }
    const away = { grant_type: 'password', username: 'away@example.com', password };
    expect((await postToken(there, { basic: app, form: away })).status).toBe(400);
    const byCode = await signIn({ username: 'code@example.com', password }, { code: showCode(codeKey) });
    expect(byCode).toBe(idOf('code'));
    expect(await signIn((challenge) => ({ credential: authenticator.get({ challenge }) }))).toBe(idOf('key'));

    for (const secret of [filled.madeSecret, filled.olderSecret]) {
      const machine: Credentials = ['machine', secret];
      expect((await getTokens(there, machine, { grant_type: 'client_credentials' })).token_type).toBe('Bearer');
    }
    const machine = await call(`${there.authUrl}/clients/machine`, { basic: administrator });
    const until = Date.parse(String(machine.json().previous_secret_expires_at));
    expect(Math.abs(until - filled.olderWorksUntil)).toBeLessThan(10_000);
    const off = { grant_type: 'password', username: 'plain@example.com', password };
    expect((await postToken(there, { basic: ['off', 'app-secret'], form: off })).status).toBe(401);
    await call(`${there.authUrl}/clients/off`, { method: 'PATCH', basic: administrator, json: { enabled: true } });
    expect((await postToken(there, { basic: ['off', 'app-secret'], form: off })).status).toBe(200);
  }, 60_000);

  test('what was imported is exported as it was', async () => {
    const isOurs = ({ kind, username = '', client_id: id }: Line) =>
      kind !== 'note' &&
      !isOfDemo(`user ${username}`) &&
      !/^administering|^(app|machine)-|^off$/.test(String(username || id));
    for (const name of names) {
      const [before, after] = [await exportOf(here, name), await exportOf(there, name)];
      const [some, others] = [before, after].map(({ lines }) =>
        lines
          .filter(isOurs)
          // Of an export without credentials, nobody knows the secret.
          .map(({ client_secret_hash: _random, ...line }) => line)
          .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
      );
      expect(others).toEqual(some);
    }
  });

  test('gatehouse export --bundle has the same over HTTP', async () => {
    const env = { ...(await registerAdministeringClient(here)), GATEHOUSE_ISSUER: here.authUrl };
    const path = join(folder, 'all.jsonl.gz');
    const { code, stdout, stderr } = await cli.run(['export', '--bundle', path], { env });
    expect([code, stderr]).toEqual([2, '']);
    expect(stdout).toMatch(
      /^\S+\nusers +\d+\ngroups +2\nclients +\d+\nresources +\d+\nnote has_a_logo +1\nnote needs_secret +\d+\nnote previous_secret +1\n$/,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [head, ...lines] = readLines(gunzipSync(readFileSync(path)).toString());
    expect(head).toMatchObject({ kind: 'bundle', source: { product: 'gatehouse', realm: here.authUrl } });
    const strip = ({ client_secret_hash: _random, ...line }: Line) => line;
    for (const name of names) {
      const { lines: printed } = await exportOf(here, name);
      expect(lines.map(strip)).toEqual(expect.arrayContaining(printed.map(strip)));
    }
    const identities = [{ issuer: 'https://login.partner.example', subject: '1234' }];
    expect(lines.filter((line) => 'identities' in line)).toMatchObject([
      { username: 'linked@example.com', identities },
    ]);
    expect(lines).toContainEqual({ kind: 'note', about: 'client shop', problem: 'has_a_logo' });
    const both = await cli.run(['export', '--bundle', join(folder, 'other.jsonl'), '--project', 'x'], { env });
    expect(both.code).toBe(64);
  });

  test('gatehouse export --bundle says so where the administrator may read no accounts', async () => {
    const env = await registerAdministeringClient(here, 'IdpAdministrator');
    const path = join(folder, 'by-idp-administrator.jsonl');
    const { code, stderr } = await cli.run(['export', '--bundle', path, '--issuer', here.authUrl], { env });
    expect([code, stderr]).toEqual([2, '']);
    const lines = readLines(readFileSync(path, 'utf8'));
    expect(lines.filter((line) => 'identities' in line)).toEqual([]);
    expect(lines.filter(({ problem }) => problem === 'identities_not_shown')).toEqual([
      { kind: 'note', about: 'users', problem: 'identities_not_shown' },
    ]);
    const ids = (name: string) => lines.map((line) => line[name]).filter((id) => id !== undefined);
    expect(ids('username')).toEqual(expect.arrayContaining(['plain@example.com', 'linked@example.com']));
    expect(ids('client_id')).toContain('shop');
  });

  test('is refused with other arguments', async () => {
    const { code, output } = await runServiceScript('org-api', 'export', here.env['org-api'], ['--everything']);
    expect([code, output]).toEqual([64, 'usage: export [--with-credentials] > BUNDLE\n']);
  });

  /** The way of a person at the other deployment, by these fields of the first page and the next; gives `sub`. */
  async function signIn(
    first: Record<string, string> | ((challenge: string) => Record<string, string>),
    second?: Record<string, string>,
  ) {
    const { verifier, parameters } = createPkce();
    const url = buildAuthorizeUrl(there, {
      ...{ response_type: 'code', client_id: 'app', redirect_uri: redirectUri, scope: 'openid', ...parameters },
    });
    const browser = createTestBrowser();
    const page = await browser.get(url);
    const options = /<script type="application\/json" id="webauthn">(.*?)<\/script>/s.exec(page.text)?.[1] ?? '{}';
    const fields = typeof first === 'function' ? first(JSON.parse(options).get.challenge) : first;
    const next = await browser.submit(page, url, fields);
    const last = second === undefined ? next : await browser.submit(next, url, second);
    const code = getLocation(last).searchParams.get('code') ?? '';
    const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    return readClaims((await getTokens(there, ['app', 'app-secret'], redemption)).id_token ?? '').sub;
  }
});

function readLines(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const isOfDemo = (about: string): boolean => /^user (admin|idp\.admin|user|robot)@/.test(about);
