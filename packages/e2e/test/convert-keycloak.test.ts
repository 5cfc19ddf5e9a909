import { pbkdf2Sync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSlowHash } from '@gatehouse/service-kit';
import { showCode } from '@gatehouse/test-kit';
import { afterAll, expect } from '@jest/globals';
import { acme, keyOfUrsula, passwordOf, redirectUri, signInAtShop, withPassword } from './support/acme-realm.ts';
import { registerAdministeringClient } from './support/administering-client.ts';
import { passwordKind, registerClient } from './support/clients.ts';
import { createCommandLine } from './support/command-line.ts';
import { exportRealms } from './support/keycloak.ts';
import { testWithMaven } from './support/registries.ts';
import { describeGatehouse } from './support/suite.ts';
import { getUserTokens, postToken, readClaims } from './support/tokens.ts';

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

let exporting: ReturnType<typeof exportRealms> | undefined;
/** It takes a minute, so all tests share one. */
const exportOnce = () => {
  exporting ??= exportRealms([acme, old]);
  return exporting;
};
const cli = createCommandLine('');
afterAll(async () => {
  cli.remove();
  await (await exporting)?.remove();
});

/** The bundle of a realm, which the tool makes of the files of that realm. */
async function convert(folder: string, realm: string) {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${realm}-`));
  const bundle = join(mkdtempSync(join(cli.folder, 'bundle-')), `${realm}.jsonl`);
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
  return { bundle, head, lines, find };
}

testWithMaven(
  'an export of a real Keycloak becomes a bundle: ids, hashes that verify, code app, groups, clients',
  async () => {
    const { folder, version } = await exportOnce();
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
      codeApp: { secret: keyOfUrsula },
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
        redirect_uri: redirectUri,
      },
      ...{
        client_secret_hash: expect.stringMatching(/^\$scrypt\$/),
        post_logout_redirect_uris: [redirectUri],
      },
    });
    expect(lines.filter(({ kind }) => kind === 'client')).toHaveLength(2);
    const problems = lines.flatMap(({ problem }) => problem ?? []);
    expect(problems.sort()).toEqual(['new_signing_keys', 'session_lifetimes']);

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

describeGatehouse('a realm of a real Keycloak', (getGatehouse) => {
  testWithMaven(
    'moves in: its users sign in at its clients with the passwords and code apps of then, and keep sub',
    async () => {
      const gatehouse = getGatehouse();
      const { folder } = await exportOnce();
      const env = { GATEHOUSE_ISSUER: gatehouse.authUrl, ...(await registerAdministeringClient(gatehouse)) };
      const importRealm = (bundle: string) => cli.run(['import', bundle, '--output', 'json'], { env });
      const [realm, hashedAsBefore] = [await convert(folder, 'acme'), await convert(folder, 'old')];
      const idOf = (name: string, { find } = realm) => find('username', `${name}@example.com`)?.id;
      const sumsOf = (result: 'created' | 'unchanged' | 'skipped', users = result) => ({
        ...{ groups: { [result]: 4 }, users: { [users]: 3 }, clients: { [result]: 2 }, notes: 2 },
      });
      const { code, stdout, stderr } = await importRealm(realm.bundle);
      expect({ code, stderr, sums: JSON.parse(stdout).sums }).toEqual({ code: 0, stderr: '', sums: sumsOf('created') });
      const again = await importRealm(realm.bundle);
      expect([again.code, JSON.parse(again.stdout).sums]).toEqual([0, sumsOf('unchanged', 'skipped')]);
      expect((await importRealm(hashedAsBefore.bundle)).code).toBe(0);

      const ben = await signInAtShop(gatehouse, 'ben');
      expect(ben.sub).toBe(idOf('ben'));
      const ursula = await signInAtShop(gatehouse, 'ursula', showCode(keyOfUrsula));
      expect(ursula.sub).toBe(idOf('ursula'));

      const app = await registerClient(gatehouse, passwordKind());
      const dora = await getUserTokens(gatehouse, app, ['dora@example.com', passwordOf('dora')]);
      expect(readClaims(dora.id_token ?? '').sub).toBe(idOf('dora', hashedAsBefore));
      const wrong = { grant_type: 'password', username: 'dora@example.com', password: passwordOf('ben') };
      expect((await postToken(gatehouse, { basic: app, form: wrong })).status).toBe(400);
    },
    600_000,
  );
});
