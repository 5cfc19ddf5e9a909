import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSlowHash } from '@gatehouse/service-kit';
import { call, type Gatehouse, repositoryRoot, startMariaDbServer } from '@gatehouse/test-kit';
import { afterAll, expect } from '@jest/globals';
import { passwordOf, redirectUri, signInAtShop } from './support/acme-realm.ts';
import { registerAdministeringClient } from './support/administering-client.ts';
import { passwordKind, registerClient } from './support/clients.ts';
import { createCommandLine } from './support/command-line.ts';
import { isCommand, parseSteps, readGuide, readSection } from './support/guide.ts';
import { buildReaderEnvironment, doSteps } from './support/guide-terminal.ts';
import { testWithMaven } from './support/registries.ts';
import { describeGatehouseOnce } from './support/suite.ts';
import { getAdministratorToken, getTokens, isActive, postToken, readClaims } from './support/tokens.ts';
import { startUaa, type Uaa } from './support/uaa.ts';
import { getUserDetails } from './support/users.ts';

/** Milliseconds: Maven fetches UAA. */
const patience = 600_000;
const guide = readGuide('move-from-spring-or-uaa.md');
const heading = '## Bring the users, groups and clients of a UAA';
const database = { name: 'uaadb', user: 'uaa', password: 'the password of UAA' };
const keptBundle = 'kept.jsonl';
const issuer = 'https://corp.example.com';

const cli = createCommandLine('');
afterAll(() => cli.remove());

describeGatehouseOnce('a real UAA', (getGatehouse) => {
  testWithMaven(
    'moves in as the guide says: users sign in with the passwords of then and keep sub, clients keep both secrets',
    async () => {
      const gatehouse = getGatehouse();
      const administering = await registerAdministeringClient(gatehouse);
      const server = await startMariaDbServer();
      const env = { ...administering, ...describeReader(server.port) };
      try {
        const root = await server.connectAsRoot();
        await root.query(`CREATE DATABASE ${database.name}`);
        await root.query('CREATE USER ? IDENTIFIED BY ?', [database.user, database.password]);
        await root.query(`GRANT ALL ON ${database.name}.* TO ?`, [database.user]);
        const uaa = await startUaa({ port: server.port, ...database });
        const ids = await fill(uaa).finally(uaa.stop);
        await playGuide(gatehouse, env);
        await expectSameOfDatabase(server.port);
        await expectPeople(gatehouse, ids);
        await expectClients(gatehouse);
        await expectGroups(gatehouse, env);
      } finally {
        await server.drop();
      }
    },
    patience,
  );
});

/** Of the users, those of UAA's own have their passwords and all have their ids. */
async function expectPeople(gatehouse: Gatehouse, ids: Record<string, string>): Promise<void> {
  expect((await signInAtShop(gatehouse, 'ursula')).sub).toBe(ids.ursula);
  expect((await signInAtShop(gatehouse, 'ben')).sub).toBe(ids.ben);
  const app = await registerClient(gatehouse, passwordKind());
  const bearer = await getAdministratorToken(gatehouse, app);
  const ask = async (name: string, what = '') => {
    const users = `${gatehouse.baseUrl}/organization/api/organization/user`;
    return (await call(`${users}/userId/${name}%40example.com${what}`, { bearer })).json();
  };
  for (const name of ['otto', 'lea']) {
    const form = { grant_type: 'password', username: `${name}@example.com`, password: passwordOf(name) };
    expect((await postToken(gatehouse, { basic: app, form })).status).toBe(400);
    expect(await ask(name, '/methods')).toMatchObject({ password: null });
    const { json } = await getUserDetails(gatehouse, `${name}@example.com`, bearer);
    expect(json()).toMatchObject({ id: ids[name], lastName: 'Ångström, "Dr."' });
  }
  expect(await ask('otto', '/identities')).toEqual({
    identities: [expect.objectContaining({ issuer, subject: 'o-77' })],
  });
  expect(await ask('lea', '/identities')).toEqual({ identities: [] });
}

/** Both secrets of a client work; the one before ends after 30 days. */
async function expectClients(gatehouse: Gatehouse): Promise<void> {
  const lines = readFileSync(join(cli.folder, keptBundle), 'utf8').trimEnd().split('\n');
  const shop = lines.map((line) => JSON.parse(line)).find((line) => line.client_id === 'shop');
  const { verify } = createSlowHash();
  expect(await verify(shop.client_secret_hash, 'the secret of the shop')).toBe(true);
  expect(await verify(shop.previous_client_secret_hash, 'the older secret of the shop')).toBe(true);
  for (const secret of ['the secret of the shop', 'the older secret of the shop']) {
    expect(await isActive(gatehouse, ['shop', secret], 'no token')).toBe(false);
  }
  await expect(isActive(gatehouse, ['shop', 'another secret'], 'no token')).rejects.toThrow('401');
  const tokens = await getTokens(gatehouse, ['nightly', 'the secret of the job'], { grant_type: 'client_credentials' });
  expect(readClaims(tokens.access_token)).toMatchObject({ client_id: 'nightly' });
}

async function expectGroups({ authUrl }: Gatehouse, env: Record<string, string>): Promise<void> {
  const list = async (...args: string[]) => {
    const { stdout } = await cli.run([...args, '--output', 'json'], { env: { ...env, GATEHOUSE_ISSUER: authUrl } });
    return JSON.parse(stdout) as Record<string, string>[];
  };
  const membersOf = async (group: string) => (await list('groups', 'members', group)).map(({ username }) => username);
  expect(await membersOf('it')).toEqual(['ursula@example.com']);
  expect((await membersOf('staff')).sort()).toEqual(['otto@example.com', 'ursula@example.com']);
  expect((await list('groups', 'list')).find(({ name }) => name === 'it')).toMatchObject({
    description: 'People of IT',
  });
  expect((await list('clients', 'list')).map(({ client_id: id }) => id)).not.toContain('portal');
}

/** The tool makes the same bundle of the database itself. A wrong password ends it, and is not shown. */
async function expectSameOfDatabase(port: number): Promise<void> {
  const out = join(cli.folder, 'of-database.jsonl');
  const address = `mysql://${database.user}@127.0.0.1:${port}/${database.name}`;
  const convert = (password: string) =>
    cli.run(['convert', 'uaa', '--database-url', address, '--out', out], {
      env: { GATEHOUSE_DATABASE_PASSWORD: password },
    });
  const refused = await convert('a wrong password');
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/^gatehouse: database: ERROR 1045 .*Access denied[^\n]*\n$/);
  expect(refused.stderr).not.toContain('a wrong password');
  expect(await convert(database.password)).toMatchObject({ code: 2, stderr: '' });
  const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').slice(1).sort();
  expect(linesOf(out)).toEqual(linesOf(join(cli.folder, keptBundle)));
}

/** Does what the guide says, in a folder that has the packages of the clone. */
async function playGuide({ authUrl }: Gatehouse, env: Record<string, string>): Promise<void> {
  const steps = parseSteps(readSection(guide, heading).replaceAll('http://localhost:9000', authUrl)).filter(isCommand);
  // The last step deletes the bundle.
  steps.splice(-1, 0, { command: `cp acme.jsonl ${keptBundle}\n`, answer: undefined, isMeanwhile: false });
  mkdirSync(join(cli.folder, 'packages'));
  symlinkSync(join(repositoryRoot, 'packages/cli'), join(cli.folder, 'packages/cli'));
  await doSteps(steps, { folder: cli.folder, env: { ...buildReaderEnvironment(''), ...env } }, 60_000);
}

/** The environment of a reader: the settings of MariaDB's client, and a locale whose encoding is not UTF-8. */
function describeReader(port: number): Record<string, string> {
  const settings = [
    '[client]',
    'host=127.0.0.1',
    `port=${port}`,
    `user=${database.user}`,
    `password=${database.password}`,
  ];
  writeFileSync(join(cli.folder, '.my.cnf'), settings.join('\n'), { mode: 0o600 });
  return { HOME: cli.folder, LC_ALL: 'C' };
}

/** The ids that UAA gave. */
async function fill({ ask }: Uaa) {
  const shop = {
    ...{ client_id: 'shop', client_secret: 'the older secret of the shop', name: 'The shop', autoapprove: true },
    ...{ scope: ['openid', 'cloud_controller.read'], authorized_grant_types: ['authorization_code', 'refresh_token'] },
    ...{ redirect_uri: [redirectUri], access_token_validity: 600 },
  };
  await ask('POST', '/oauth/clients', shop);
  const added = { clientId: 'shop', secret: 'the secret of the shop', changeMode: 'ADD' };
  await ask('PUT', '/oauth/clients/shop/secret', added);
  await ask('POST', '/oauth/clients', {
    ...{ client_id: 'nightly', client_secret: 'the secret of the job', authorized_grant_types: ['client_credentials'] },
    ...{ scope: ['uaa.none'], authorities: ['uaa.resource'] },
  });
  await ask('POST', '/oauth/clients', {
    ...{ client_id: 'portal', client_secret: 'the secret of the portal', scope: ['openid'] },
    ...{ authorized_grant_types: ['authorization_code'], redirect_uri: ['https://*.portal.example.com/**'] },
  });
  await ask('POST', '/identity-providers', {
    ...{ originKey: 'corp', name: 'Corp', type: 'oidc1.0', active: true },
    config: {
      ...{ issuer, authUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token`, tokenKeyUrl: `${issuer}/keys` },
      ...{ relyingPartyId: 'uaa', relyingPartySecret: 'the secret at corp', showLinkText: false },
    },
  });
  const create = async (name: string, more: object) => {
    const emails = [{ value: `${name}@example.com`, primary: true }];
    const user = { userName: `${name}@example.com`, name: { givenName: name, familyName: 'Ångström, "Dr."' }, emails };
    return (await ask<{ id: string }>('POST', '/Users', { ...user, verified: true, ...more })).id;
  };
  const ursula = await create('ursula', { password: passwordOf('ursula'), phoneNumbers: [{ value: '+41446681800' }] });
  const ben = await create('ben', { userName: 'ben', password: passwordOf('ben') });
  const otto = await create('otto', { origin: 'corp', externalId: 'o-77', password: passwordOf('otto') });
  const lea = await create('lea', { origin: 'ldap', externalId: 'cn=lea', password: passwordOf('lea') });
  const addGroup = async (displayName: string, description: string, members: object[]) =>
    (await ask<{ id: string }>('POST', '/Groups', { displayName, description, members })).id;
  const it = await addGroup('it', 'People of IT', [{ type: 'USER', value: ursula }]);
  await addGroup('staff', '', [
    { type: 'GROUP', value: it },
    { type: 'USER', value: otto, origin: 'corp' },
  ]);
  return { ursula, ben, otto, lea };
}
