import { pbkdf2Sync } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSlowHash } from '@gatehouse/service-kit';
import { type Gatehouse, quickestDialect, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, expect } from '@jest/globals';
import { passwordKind, registerClient } from './support/clients.ts';
import { createCommandLine } from './support/command-line.ts';
import { exportRealms } from './support/keycloak.ts';
import { testWithMaven } from './support/registries.ts';
import { getAdministratorToken, getTokens, isActive, readClaims } from './support/tokens.ts';

const passwordOf = (name: string) => `the password of ${name}`;
const withPassword = (name: string) => ({
  ...{ username: `${name}@example.com`, email: `${name}@example.com`, emailVerified: true, enabled: true },
  credentials: [{ type: 'password', value: passwordOf(name) }] as object[],
});

const ursula = withPassword('ursula');
ursula.credentials.push({
  type: 'otp',
  secretData: JSON.stringify({ value: 'the key of her code app' }),
  credentialData: JSON.stringify({ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' }),
});

const acme = {
  ...{ realm: 'acme', enabled: true },
  roles: { realm: [{ name: 'manager', composite: true, composites: { realm: ['clerk'] } }, { name: 'clerk' }] },
  groups: [{ name: 'staff', subGroups: [{ name: 'it', realmRoles: ['manager'] }] }],
  users: [{ ...ursula, groups: ['/staff/it'] }, withPassword('ben')],
  clients: [
    { clientId: 'shop', secret: 'the secret of the shop', redirectUris: ['https://shop.example.com/cb'] },
    { clientId: 'nightly', serviceAccountsEnabled: true },
  ],
};
/** Hashes as releases before 24 did. */
const old = {
  ...{ realm: 'old', enabled: true, passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(27500)' },
  users: [withPassword('dora')],
};

interface Line {
  kind: string;
  about?: string;
  problem?: string;
  [member: string]: unknown;
}

let gatehouse: Gatehouse | undefined;
let exported: Awaited<ReturnType<typeof exportRealms>> | undefined;
const cli = createCommandLine('');
afterAll(async () => {
  cli.remove();
  await gatehouse?.stop();
  await exported?.remove();
});

/** The bundle of a realm, which the tool makes of the files of that realm. */
async function convert(folder: string, realm: string) {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${realm}-`));
  const bundle = join(cli.folder, `${realm}.jsonl`);
  const { code, stderr } = await cli.run([
    'convert',
    'keycloak',
    ...files.map((name) => join(folder, name)),
    '--out',
    bundle,
  ]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  expect(statSync(bundle).mode & 0o777).toBe(0o600);
  const [head, ...lines] = readFileSync(bundle, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const find = (member: string, value: string) => lines.find((line) => line[member] === value);
  return { head, lines, find };
}

testWithMaven(
  'an export of a real Keycloak becomes a bundle, and moves in: ids, hashes that verify, code app, groups, clients',
  async () => {
    exported = await exportRealms([acme, old]);
    const { folder, version } = exported;
    const { head, lines, find } = await convert(folder, 'acme');
    expect(head).toMatchObject({ kind: 'bundle', source: { product: 'keycloak', version, realm: 'acme' } });

    const [users] = readdirSync(folder).filter((name) => name.startsWith('acme-users'));
    const there = JSON.parse(readFileSync(join(folder, users ?? ''), 'utf8')).users as {
      id: string;
      username: string;
    }[];
    for (const { id, username } of there.filter((user) => user.username.includes('@'))) {
      expect(find('username', username)).toMatchObject({ kind: 'user', id, userType: 'Person', enabled: true });
    }
    const { verify } = createSlowHash();
    for (const name of ['ursula', 'ben']) {
      const hash = String(find('username', `${name}@example.com`)?.passwordHash);
      expect(hash).toMatch(/^\$argon2id\$v=19\$/);
      expect(await verify(hash, passwordOf(name))).toBe(true);
      expect(await verify(hash, `${passwordOf(name)}.`)).toBe(false);
    }
    expect(find('username', 'ursula@example.com')).toMatchObject({
      groups: ['role:clerk', 'role:manager', 'staff', 'staff/it'],
      // Base32 of the text.
      codeApp: { secret: 'ORUGKIDLMV4SA33GEBUGK4RAMNXWIZJAMFYHA' },
    });
    const robot = find('username', 'service-account-nightly@robots.invalid');
    expect(robot).toMatchObject({ userType: 'Robot' });
    const types = ['client_credentials', 'service_account'];
    expect(find('client_id', 'nightly')).toMatchObject({
      ...{ authorized_grant_types: types, srvc_ac_user_name: robot?.username },
    });
    expect(find('client_id', 'shop')).toMatchObject({
      ...{
        authorized_grant_types: ['authorization_code', 'refresh_token'],
        redirect_uri: 'https://shop.example.com/cb',
      },
      ...{
        client_secret_hash: expect.stringMatching(/^\$scrypt\$/),
        post_logout_redirect_uris: ['https://shop.example.com/cb'],
      },
    });
    expect(lines.filter(({ kind }) => kind === 'client')).toHaveLength(2);
    const problems = lines.flatMap(({ problem }) => problem ?? []);
    expect(problems.sort()).toEqual(['new_signing_keys', 'session_lifetimes']);

    // Moved in: the passwords, ids and secrets of then are good here.
    gatehouse = await startGatehouse({ dialect: quickestDialect, env: { 'auth-server': { CLI_CLIENT: 'device' } } });
    const own = createCommandLine(gatehouse.authUrl);
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    const env = { GATEHOUSE_TOKEN: token };
    const bundle = join(cli.folder, 'acme.jsonl');
    const moved = await own.run(['import', bundle], { env });
    expect(moved.stdout).toMatch(/users: 3 created\nclients: 2 created\nnotes: 2\n$/);
    expect(moved).toMatchObject({ code: 0, stderr: '' });
    const again = await own.run(['import', bundle], { env });
    expect(again.stdout).toMatch(/users: 3 (skipped|unchanged)\nclients: 2 unchanged\nnotes: 2\n$/);
    own.remove();
    const [ben] = there.filter(({ username }) => username === 'ben@example.com');
    const app = await registerClient(gatehouse, passwordKind({ scope: ['openid', 'profile', 'groups'] }));
    const claimsOf = async (username: string) => {
      const form = { grant_type: 'password', username, password: passwordOf('ben') };
      return readClaims((await getTokens(gatehouse as Gatehouse, app, form)).id_token ?? '');
    };
    expect(await claimsOf('ben@example.com')).toMatchObject({ sub: ben?.id });
    // The second sign-in is by the hash that replaced it.
    expect(await claimsOf('ben@example.com')).toMatchObject({ sub: ben?.id });
    const shop: [string, string] = ['shop', 'the secret of the shop'];
    expect(await isActive(gatehouse, shop, 'a token of nobody')).toBe(false);
    await expect(isActive(gatehouse, ['shop', 'another secret'], 'a token of nobody')).rejects.toThrow('401');

    const hash = String((await convert(folder, 'old')).find('username', 'dora@example.com')?.passwordHash);
    const [, name, iterations, salt = '', key = ''] = hash.split('$');
    expect([name, iterations]).toEqual(['pbkdf2-sha256', 'i=27500']);
    const expected = Buffer.from(key, 'base64');
    expect(pbkdf2Sync(passwordOf('dora'), Buffer.from(salt, 'base64'), 27_500, expected.length, 'sha256')).toEqual(
      expected,
    );

    const all = await cli.run(['convert', 'keycloak', folder, '--out', join(cli.folder, 'all.jsonl')]);
    expect(all.code).toBe(1);
    expect(all.stderr).toMatch(/^gatehouse: files: the files are of \w+ and of another realm: name those of one\n$/);
  },
  600_000,
);
