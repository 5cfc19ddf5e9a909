import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { type CallOptions, idpAdministrator, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const secret = 'the secret of then';
const toBase64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
const salt = Buffer.from('salt of another');
/** The secret, as other servers keep it. */
const hashes = {
  bcrypt: '$2b$04$yDwsXa2e0KqB9G1JxTnof.jMnCVibwhL5mfpvaHJ34P1Ut.M5liz6',
  argon2: '$argon2id$v=19$m=7168,t=5,p=1$CbgofU2gHMVweTvElqkEKQ$eh/kVBD7PXPdZDZwp4gc1PtS8SYwB2X7PAd3CR5Aadw',
  pbkdf2: `$pbkdf2-sha256$i=1000$${toBase64(salt)}$${toBase64(pbkdf2Sync(secret, salt, 1000, 32, 'sha256'))}`,
};

describe.each(testDialects)('secrets that other servers hashed, on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    replica = await startReplica(realm, {});
  });
  afterAll(async () => {
    await replica.close();
    await realm.close();
  });

  const manage = (path: string, options: CallOptions = {}) => realm.send(path, { basic: administrator, ...options });
  const body = (changes: object = {}) => ({
    client_id: `moved-${randomBytes(6).toString('hex')}`,
    ...{ client_secret_hash: hashes.bcrypt, scope: ['profile'], authorized_grant_types: ['client_credentials'] },
    ...changes,
  });
  const register = async (changes: object = {}) => {
    const registration = body(changes);
    const answer = await manage('/clients', { json: registration });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    expect(answer.text).not.toContain('$');
    return registration.client_id;
  };
  const ask = (client_id: string, client_secret = secret, { send }: Pick<Realm, 'send'> = realm) =>
    send('/oauth/token', { basic: [client_id, client_secret], form: { grant_type: 'client_credentials' } });
  const statusOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).status;
  const rowOf = async (client_id: string) => {
    const sql =
      'SELECT secret_hash, secret_digest, imported_secret_hash, imported_previous_hash FROM clients WHERE client_id = ?';
    const [row] = await realm.deps.database.query<Record<string, string | null>>(sql, [client_id]);
    return row;
  };
  const problemOf = async (path: string, options: CallOptions) => {
    const answer = await manage(path, { headers: { accept: 'application/problem+json' }, ...options });
    return [answer.status, answer.json<{ detail?: string }>().detail];
  };

  it.each(Object.entries(hashes))('work as they are, and are then kept as ours: %s', async (_, client_secret_hash) => {
    const client_id = await register({ client_secret_hash });
    expect((await rowOf(client_id))?.imported_secret_hash).toMatch(/^[\w-]{22}\.\$/);
    expect(await statusOf(client_id, 'another secret')).toBe(401);
    const first = (await ask(client_id)).json<{ access_token: string }>();
    expect(await rowOf(client_id)).toEqual({
      secret_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/),
      ...{ secret_digest: null, imported_secret_hash: null, imported_previous_hash: null },
    });
    expect(await statusOf(client_id)).toBe(200);
    expect(await statusOf(client_id, secret, replica)).toBe(200);
    expect(await statusOf(client_id, 'another secret')).toBe(401);
    const introspection = await realm.send('/oauth/introspect', {
      ...{ basic: [client_id, secret], form: { token: first.access_token } },
    });
    expect(introspection.json()).toMatchObject({ active: true });
  });

  it('give a release that knows none of them a secret that nobody has', async () => {
    const client_id = await register();
    await realm.deps.database.execute('UPDATE clients SET imported_secret_hash = NULL WHERE client_id = ?', [
      client_id,
    ]);
    expect(await statusOf(client_id)).toBe(401);
    const asPublic = await realm.send('/oauth/token', { form: { grant_type: 'client_credentials', client_id } });
    expect(asPublic.status).toBe(401);
  });

  it('are gone where a release that knows none of them sets another secret', async () => {
    const client_id = await register();
    const other = await register({ client_secret_hash: undefined, client_secret: 'the secret of now' });
    const { secret_hash } = (await rowOf(other)) as { secret_hash: string };
    await realm.deps.database.execute('UPDATE clients SET secret_hash = ? WHERE client_id = ?', [
      secret_hash,
      client_id,
    ]);
    expect(await statusOf(client_id)).toBe(401);
    expect(await statusOf(client_id, 'the secret of now')).toBe(200);
  });

  it('take no other secret away where a check of them was under way', async () => {
    const client_id = await register();
    const other = await register({ client_secret_hash: undefined, client_secret: 'the secret of now' });
    const { secret_hash: next } = (await rowOf(other)) as { secret_hash: string };
    const { database } = realm.deps;
    const { execute } = database;
    // Between the check and the new hash a release that knows none of this sets another secret.
    database.execute = async (sql, parameters) => {
      if (/SET secret_hash = .* imported_secret_hash = NULL/s.test(sql)) {
        await execute.call(database, 'UPDATE clients SET secret_hash = ? WHERE client_id = ?', [next, client_id]);
      }
      return execute.call(database, sql, parameters);
    };
    await ask(client_id);
    database.execute = execute;
    expect((await rowOf(client_id))?.secret_hash).toBe(next);
  });

  it('are replaced by one of ours by one of many requests at two replicas', async () => {
    const client_id = await register();
    const asked = Array.from({ length: 20 }, (_, index) => statusOf(client_id, secret, index % 2 ? replica : realm));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    expect((await rowOf(client_id))?.imported_secret_hash).toBeNull();
    expect(await statusOf(client_id)).toBe(200);
  });

  it('go on as the secret before, for as long as that works', async () => {
    const client_id = await register();
    const replaced = await manage(`/clients/${client_id}/secret`, { json: { grace_seconds: 60 } });
    const { client_secret } = replaced.json<{ client_secret: string }>();
    expect(await statusOf(client_id)).toBe(200);
    expect(await statusOf(client_id, client_secret)).toBe(200);
    expect(await statusOf(client_id, 'another secret')).toBe(401);
    await manage(`/clients/${client_id}/secret/previous`, { method: 'DELETE' });
    expect(await rowOf(client_id)).toMatchObject({ imported_secret_hash: null, imported_previous_hash: null });
    expect(await statusOf(client_id)).toBe(401);
  });

  it('come in the place of a secret, too, which is told as imported', async () => {
    const client_id = await register({ client_secret_hash: undefined, client_secret: 'the secret of before' });
    const answer = await manage(`/clients/${client_id}/secret`, { json: { client_secret_hash: hashes.argon2 } });
    expect([answer.status, answer.json()]).toEqual([200, { client_id, previous_secret_expires_in: 0 }]);
    expect(await statusOf(client_id, 'the secret of before')).toBe(401);
    const check = (typed: string) => manage(`/clients/${client_id}/secret-checks`, { json: { secret: typed } });
    expect((await check(secret)).json()).toMatchObject({ matches: true });
    expect((await check('another')).json()).toMatchObject({ matches: false });
    expect(await statusOf(client_id)).toBe(200);
    expect((await manage(`/clients/${client_id}`)).json()).toMatchObject({ public: false, secret_made_here: false });
    const moved = await register();
    const events = async (id: string) => {
      const list = await manage(`/audit-events?subject=${id}&limit=10`);
      return list
        .json<{ events: { type: string; details: object }[] }>()
        .events.map(({ type, details }) => [type, details]);
    };
    expect(await events(client_id)).toContainEqual(['client.secret_replaced', { grace_seconds: 0, imported: true }]);
    expect(await events(moved)).toEqual([
      ['client.registered', { grant_types: ['client_credentials'], imported: true }],
    ]);
  });

  it('are shown in a dry run as a secret, and not kept', async () => {
    const registration = body();
    const answer = await manage('/clients?dry_run=true', { json: registration });
    expect(answer.json()).toMatchObject({ after: { client_id: registration.client_id, public: false } });
    expect(await rowOf(registration.client_id)).toBeUndefined();
  });

  it('are taken from a SystemAdministrator alone', async () => {
    const requires = 'importing the hash of a secret requires SystemAdministrator';
    expect(await problemOf('/clients', { json: body(), basic: idpAdministrator })).toEqual([403, requires]);
    const own = body({ client_secret_hash: undefined, client_secret: 'the secret of now' });
    await realm.send('/clients', { json: own, basic: idpAdministrator });
    const json = { client_secret_hash: hashes.bcrypt };
    expect(await problemOf(`/clients/${own.client_id}/secret`, { json, basic: idpAdministrator })).toEqual([
      403,
      requires,
    ]);
  });

  it.each([
    ['with a secret', { client_secret: 'the secret of now' }],
    ['of no known form', { client_secret_hash: '$6$salt$hash' }],
    ['that cost too much', { client_secret_hash: hashes.bcrypt.replace('$04$', '$14$') }],
    ['that are no text', { client_secret_hash: 1 }],
    ['that are empty', { client_secret_hash: '' }],
  ])('are refused %s, with 400, and not repeated', async (_, changes) => {
    const [status, detail] = await problemOf('/clients', { json: body(changes) });
    expect([status, detail]).toEqual([400, expect.stringMatching(/^client_secret_hash must /)]);
    expect(detail).not.toContain('$6$');
  });

  it('are no member of a change, nor of a registration without an administrator', async () => {
    const client_id = await register();
    const json = { client_secret_hash: hashes.argon2 };
    expect(await problemOf(`/clients/${client_id}`, { method: 'PATCH', json })).toEqual([
      ...[400, expect.stringMatching(/client_secret_hash is not a known field/)],
    ]);
  });
});
