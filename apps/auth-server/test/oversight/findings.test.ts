import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idFromBytes } from '@gatehouse/service-kit';
import { createAuditTrail } from '@gatehouse/service-kit/audit';
import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UseKind } from '../../src/clients/client-use.ts';
import { createClientUseStore } from '../../src/clients/client-use-store.ts';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { createKeyRotation } from '../../src/keys/key-rotation.ts';
import { createSigningKeyStore } from '../../src/keys/signing-key-store.ts';
import { administerOrganization } from '../support/organization.ts';
import { administrator, type Realm, type Registration, webClient } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { silentLog } from '../support/stores.ts';

interface Finding {
  kind: string;
  weight: string;
  subject?: string;
  count: number;
  count_is_exact: boolean;
  text: string;
  path: string;
}

const day = 86_400_000;
const idp: [string, string] = ['idp.admin@example.com', 'idp-password'];
const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);

describe.each(testDialects)('GET /findings on %s', (dialect) => {
  let realm: Realm;
  let folder: string;
  /** Passes everything on to org-api, but what a release before does not know. */
  let older: Server;
  let beside: Replica;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'findings-'));
    const bootstrap = {
      BOOTSTRAP_ADMIN_USERNAME: 'admin@example.com',
      BOOTSTRAP_ADMIN_PASSWORD: 'admin-password',
    };
    const mails = { MAIL_URL: `file:${folder}`, MAIL_FROM: 'no-reply@example.com' };
    realm = await startRealmOn(dialect, {}, { orgEnv: { ...bootstrap, ...mails } });
    older = createServer((incoming, answer) => {
      if (incoming.url === directoryPaths.findings) {
        incoming.resume();
        answer.writeHead(404).end();
        return;
      }
      const { method, headers, url } = incoming;
      const passed = forward(realm.orgUrl + url, { method, headers } as object, (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      });
      incoming.pipe(passed);
    });
    older.listen(0, '127.0.0.1');
    await once(older, 'listening');
    const { port } = older.address() as AddressInfo;
    beside = await startReplica(realm, { ORG_API_URL: `http://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await beside.close();
    older.closeAllConnections();
    older.close();
    await realm.close();
    await rm(folder, { recursive: true });
  });

  const list = async (sender: Pick<Realm, 'send'> = realm, basic = administrator): Promise<Finding[]> => {
    const answer = await sender.send('/findings', { basic });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<{ findings: Finding[] }>().findings;
  };
  const find = async (kind: string, sender?: Pick<Realm, 'send'>) =>
    (await list(sender)).filter((finding) => finding.kind === kind);
  /** The clients of the list to which a finding about several leads. */
  const listed = async (kind: string) => {
    const answer = await realm.send(`/clients?finding=${kind}`, { basic: administrator });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    return answer.json<{ clients: { client_id: string }[] }>().clients.map(({ client_id }) => client_id);
  };
  const change = async (clientId: string, json: object) => {
    const answer = await realm.send(`/clients/${clientId}`, { method: 'PATCH', basic: administrator, json });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  };
  const remove = async (...clientIds: string[]) => {
    for (const clientId of clientIds) {
      const answer = await realm.send(`/clients/${clientId}`, { method: 'DELETE', basic: administrator });
      expect(answer.status).toBe(204);
    }
  };
  const codeClient = { ...webClient, authorized_grant_types: ['authorization_code', 'refresh_token'] };
  const register = async (client_id: string, changes: object = {}) => {
    await realm.register({ ...codeClient, ...changes, client_id } as Registration);
    return client_id;
  };
  const setColumn = (clientId: string, column: string, value: number | null) =>
    realm.deps.database.execute(`UPDATE clients SET ${column} = ? WHERE client_id = ?`, [value, clientId]);
  const noteUse = async (clientId: string, kind: UseKind, usedAt: number) => {
    const sql = 'SELECT registration_id FROM clients WHERE client_id = ?';
    const [row] = await realm.deps.database.query<{ registration_id: Buffer }>(sql, [clientId]);
    const registrationId = idFromBytes(row?.registration_id as Buffer);
    await createClientUseStore(realm.deps.database).put([{ registrationId, kind, usedAt }]);
  };

  it('begins with what to mend now, and tells both administrators the same', async () => {
    const found = await list();
    expect(found).toEqual([
      {
        ...{ kind: 'bootstrap_password_unchanged', weight: 'act', subject: 'admin@example.com' },
        ...{ count: 1, count_is_exact: true, path: '/users/admin%40example.com/profile' },
        text: 'The first administrator still has the password of the configuration.',
      },
      {
        ...{ kind: 'demo_data', weight: 'act', count: 3, count_is_exact: true },
        ...{ path: '/users?enabled=true&search=example.com' },
        text: '3 demo users can sign in, by passwords that everybody knows.',
      },
      {
        ...{ kind: 'one_administrator', weight: 'look', subject: 'admin@example.com' },
        ...{ count: 1, count_is_exact: true, path: '/users?enabled=true&role=SystemAdministrator' },
        text: 'Only one SystemAdministrator can sign in.',
      },
      {
        ...{ kind: 'unverified_addresses', weight: 'know', count: 2, count_is_exact: true },
        ...{ path: '/users?finding=unverified_addresses' },
        text: '2 users have no verified address, and can ask for no link to a new password.',
      },
    ]);
    expect(await list(realm, idp)).toEqual(found);
  });

  it('leaves out what only org-api knows where it is of the release before', async () => {
    const client = await register('beside', { redirect_uri: 'http://localhost/callback' });
    expect((await list(beside)).map(({ kind }) => kind)).toEqual(['http_redirect']);
    await remove(client);
    expect(await list(beside)).toEqual([]);
  });

  it('is for administrators', async () => {
    expect((await realm.send('/findings')).status).toBe(401);
    expect((await realm.send('/findings', { basic: ['user@example.com', 'user-password'] })).status).toBe(403);
    expect((await realm.send('/findings?kind=x', { basic: administrator })).status).toBe(400);
  });

  it('names deprecated grants of enabled clients, each with the list of them', async () => {
    const one = await register('grant-one', { authorized_grant_types: ['implicit'], client_secret: undefined });
    const ofImplicit = { kind: 'deprecated_grant', weight: 'look', count_is_exact: true };
    expect(await find('deprecated_grant')).toEqual([
      {
        ...{ ...ofImplicit, subject: one, count: 1, path: `/clients/${one}/settings` },
        text: `The client ${one} may use the grant type implicit, which OAuth 2.1 leaves out.`,
      },
    ]);
    const others = ['grant-2', 'grant-3', 'grant-4', 'grant-5'];
    for (const id of others) await register(id, { authorized_grant_types: ['password', 'refresh_token'] });
    expect(await find('deprecated_grant')).toEqual([
      expect.objectContaining({ subject: one }),
      {
        ...{ ...ofImplicit, count: 4, path: '/clients?enabled=true&grant_type=password' },
        text: `4 clients may use the grant type password, which OAuth 2.1 leaves out: grant-2, grant-3, grant-4 and 1 more.`,
      },
    ]);
    await change(one, { enabled: false });
    for (const id of others.slice(2)) await change(id, { enabled: false });
    const [left, ...more] = await find('deprecated_grant');
    expect([left?.text, more]).toEqual([expect.stringMatching(/: grant-2 and grant-3\.$/), []]);
    const { path = '' } = left ?? {};
    const answer = await realm.send(path, { basic: administrator });
    expect(answer.json<{ clients: object[] }>().clients).toHaveLength(2);
    await remove(one, ...others);
    expect(await find('deprecated_grant')).toEqual([]);
  });

  it('names http redirect URIs but those of programs without a secret, which have an address', async () => {
    const native = { client_secret: undefined, require_pkce: true, redirect_uri: 'http://127.0.0.1:7000/cb' };
    const good = await register('redirect-native', native);
    expect(await find('http_redirect')).toEqual([]);
    const named = await register('redirect-named', { ...native, redirect_uri: 'http://localhost:7000/cb' });
    const finding = { kind: 'http_redirect', weight: 'look', count_is_exact: true };
    expect(await find('http_redirect')).toEqual([
      {
        ...{ ...finding, subject: named, count: 1, path: `/clients/${named}/settings` },
        text: `The client ${named} has an http redirect URI, which suits none but a program on the machine of its user.`,
      },
    ]);
    const server = await register('redirect-server', { redirect_uris: ['http://127.0.0.1:7000/cb'] });
    expect(await find('http_redirect')).toMatchObject([{ count: 2, path: '/clients?finding=http_redirect' }]);
    expect(await listed('http_redirect')).toEqual([named, server]);
    await change(server, { redirect_uris: null });
    expect(await find('http_redirect')).toMatchObject([{ subject: named }]);
    await change(named, { enabled: false });
    expect([await find('http_redirect'), await listed('http_redirect')]).toEqual([[], []]);
    await remove(good, named, server);
  });

  it('names clients with all roles, until a SystemAdministrator says so', async () => {
    const given = await register('roles-given');
    await realm.send('/clients', { basic: idp, json: { ...codeClient, client_id: 'roles-of-idp' } });
    expect(await find('client_all_roles')).toEqual([]);
    // As a release before leaves them.
    await setColumn(given, 'ceiling_given_at', null);
    await change(given, { access_token_validity: 901 });
    expect(await find('client_all_roles')).toEqual([
      {
        ...{ kind: 'client_all_roles', weight: 'look', subject: given, count: 1, count_is_exact: true },
        ...{ path: `/clients/${given}/settings` },
        text: `The client ${given} may use all roles of its users, and it is not known that a SystemAdministrator allowed it.`,
      },
    ]);
    const read = async () => (await realm.send(`/clients/${given}`, { basic: administrator })).json();
    expect(await read()).not.toHaveProperty('ceiling_given_at');
    expect(await listed('client_all_roles')).toEqual([given]);
    await change(given, { trusted: true });
    expect(await read()).toHaveProperty('ceiling_given_at');
    expect([await find('client_all_roles'), await listed('client_all_roles')]).toEqual([[], []]);
    await change(given, { access_token_validity: 902 });
    expect(await find('client_all_roles')).toEqual([]);
    await remove(given, 'roles-of-idp');
  });

  it('names secrets of more than a year, by what is known of their age', async () => {
    const now = realm.clock();
    const old = await register('secret-old');
    const young = await register('secret-young');
    await setColumn(old, 'secret_set_at', now - 366 * day);
    await setColumn(young, 'secret_set_at', now - 364 * day);
    for (const id of [old, young]) await change(id, { access_token_validity: 901 });
    const finding = {
      ...{ kind: 'secret_old', weight: 'look', subject: old, count: 1, count_is_exact: true },
      ...{ path: `/clients/${old}/secrets`, text: `The client ${old} has a secret that is older than 365 days.` },
    };
    expect([await find('secret_old'), await listed('secret_old')]).toEqual([[finding], [old]]);
    // A release before noted no time: the secret came with the client, or replaced another one.
    await setColumn(old, 'secret_set_at', null);
    await change(old, { access_token_validity: 902 });
    expect([await find('secret_old'), await listed('secret_old')]).toEqual([[], []]);
    await setColumn(old, 'created_at', now - 400 * day);
    await change(old, { access_token_validity: 903 });
    expect([await find('secret_old'), await listed('secret_old')]).toEqual([[finding], [old]]);
    await change(old, { enabled: false });
    expect([await find('secret_old'), await listed('secret_old')]).toEqual([[], []]);
    await change(old, { enabled: true });
    const renew = { basic: administrator, json: { grace_seconds: 0 } };
    expect((await realm.send(`/clients/${old}/secret`, renew)).status).toBe(200);
    expect(await find('secret_old')).toEqual([]);
    await setColumn(old, 'secret_set_at', null);
    await change(old, { access_token_validity: 904 });
    expect(await find('secret_old')).toEqual([]);
    await remove(old, young);
  });

  it('names a previous secret that was used within a day of its end', async () => {
    const client = await register('overlap');
    const rotated = { basic: administrator, json: { grace_seconds: 86_400 } };
    expect((await realm.send(`/clients/${client}/secret`, rotated)).status).toBe(200);
    const start = realm.clock();
    expect(await find('secret_overlap_in_use')).toEqual([]);
    await setColumn(client, 'previous_secret_expires_at', start + 3 * day);
    await noteUse(client, 'previous_secret', start);
    expect(await find('secret_overlap_in_use')).toEqual([]);
    await setColumn(client, 'previous_secret_expires_at', start + day / 2);
    const finding = {
      ...{ kind: 'secret_overlap_in_use', weight: 'act', subject: client, count: 1, count_is_exact: true },
      ...{
        path: `/clients/${client}/secrets`,
        text: `The client ${client} used its previous secret within a day of its end.`,
      },
    };
    const both = async () => [await find('secret_overlap_in_use'), await listed('secret_overlap_in_use')];
    expect(await both()).toEqual([[finding], [client]]);
    await setColumn(client, 'previous_secret_expires_at', start - 6 * day);
    expect(await both()).toEqual([[finding], [client]]);
    await setColumn(client, 'previous_secret_expires_at', start - 8 * day);
    expect(await both()).toEqual([[], []]);
    await setColumn(client, 'previous_secret_expires_at', start + 3 * day);
    expect(await both()).toEqual([[], []]);
    await setColumn(client, 'previous_secret_expires_at', start + day / 2);
    const previous = { method: 'DELETE', basic: administrator };
    expect((await realm.send(`/clients/${client}/secret/previous`, previous)).status).toBe(204);
    expect(await find('secret_overlap_in_use')).toEqual([]);
    await remove(client);
  });

  it('counts the times that refusals were left out, at both services', async () => {
    const entry = { type: 'sign_in.refused', reason: 'left_out', actor: { kind: 'service', name: 'x' } } as const;
    const { database } = realm.deps;
    const audit = createAuditTrail({ service: 'x', database, retentionDays: 365, clock: realm.clock, log: silentLog });
    await audit.write({ ...entry });
    const since = dateOf(realm.clock() - 7 * day);
    expect(await find('audit_left_out')).toEqual([
      {
        ...{ kind: 'audit_left_out', weight: 'look', count: 1, count_is_exact: true },
        path: `/events?reason=left_out&from=${since}`,
        text: 'Once in seven days there were more refusals than the audit trail takes, and the rest was left out.',
      },
    ]);
    await audit.write({ ...entry });
    expect(await find('audit_left_out')).toMatchObject([{ count: 2, text: expect.stringMatching(/^2 times /) }]);
    await audit.close();
  });

  it('follows what administrators do to users', async () => {
    const organization = await administerOrganization(realm);
    const second = { userType: 'Person', password: 'a-second-password', roles: ['SystemAdministrator'] };
    await organization.create({ ...second, username: 'second@example.com' });
    expect(await find('one_administrator')).toEqual([]);
    expect(await find('unverified_addresses')).toMatchObject([{ count: 3 }]);
    await organization.change('idp.admin@example.com', { enabled: false });
    await organization.change('user@example.com', { enabled: false });
    expect(await find('demo_data')).toMatchObject([
      { subject: 'admin@example.com', count: 1, path: '/users/admin%40example.com/profile' },
    ]);
    await organization.change('idp.admin@example.com', { enabled: true });
    await organization.change('user@example.com', { enabled: true });
    await organization.delete('second@example.com');
    await remove('organization-tool');
  });

  it('names clients that got no token for 90 days, and those that never did', async () => {
    const [never, used, recent] = [
      await register('unused-never'),
      await register('unused-used'),
      await register('unused-recent'),
    ];
    expect(await find('client_unused')).toEqual([]);
    await noteUse(used, 'token', realm.clock());
    realm.advance(91 * day);
    await noteUse(recent, 'token', realm.clock() - 89 * day);
    const since = dateOf(realm.clock() - 90 * day);
    const finding = {
      ...{ kind: 'client_unused', weight: 'look', count: 2, count_is_exact: true },
      path: `/clients?enabled=true&unused_since=${since}`,
      text: `2 clients have got no token for 90 days: ${used} and ${never}.`,
    };
    expect(await find('client_unused')).toEqual([finding]);
    const answer = await realm.send(finding.path, { basic: administrator });
    const ids = answer.json<{ clients: { client_id: string }[] }>().clients.map(({ client_id }) => client_id);
    expect(ids).toEqual(expect.arrayContaining([never, used]));
    await change(used, { enabled: false });
    expect(await find('client_unused')).toMatchObject([{ subject: never, path: `/clients/${never}/settings` }]);
    // Where uses are noted since yesterday, nobody knows.
    const begin = "UPDATE client_uses SET used_at = ? WHERE kind = 'beginning'";
    await realm.deps.database.execute(begin, [realm.clock() - day]);
    expect(await find('client_unused')).toEqual([]);
    await remove(never, used, recent);
  });

  it('names keys that have signed for long, until the next ones are there', async () => {
    expect(await find('key_old')).toEqual([
      {
        ...{ kind: 'key_old', weight: 'look', count: 2, count_is_exact: true, path: '/keys' },
        text: 'The ES256 and RS256 keys have signed for 90 days or more.',
      },
    ]);
    expect(await find('key_ending')).toEqual([]);
    const { database } = realm.deps;
    const soon = realm.clock() + 29 * day;
    await database.execute("UPDATE signing_keys SET expires_at = ? WHERE algorithm = 'ES256'", [soon]);
    await realm.deps.signingKeys.load();
    const [es256] = realm.deps.signingKeys.summary();
    expect(await find('key_ending')).toEqual([
      {
        ...{ kind: 'key_ending', weight: 'act', subject: es256?.kid, count: 1, count_is_exact: true, path: '/keys' },
        text: 'The ES256 key leaves the key set within 30 days, and no key follows.',
      },
    ]);
    expect((await list()).map(({ weight }) => weight)).toEqual(['act', 'act', 'act', 'look', 'look', 'know']);
    const encryption = createKeyEncryption(realm.deps.config.keyEncryptionKey, undefined);
    const rotation = createKeyRotation({
      signingKeys: createSigningKeyStore(database),
      encryption,
      clock: realm.clock,
    });
    await rotation.rotate(60_000);
    await realm.deps.signingKeys.load();
    expect([await find('key_old'), await find('key_ending')]).toEqual([[], []]);
  });
});
