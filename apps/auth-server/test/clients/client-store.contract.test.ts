import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '@gatehouse/service-kit';
import { type ClientProfile, roles } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/clients/client.ts';
import { completeMetadata } from '../../src/clients/client-demands.ts';
import type { ClientStore, SecretChange } from '../../src/clients/client-store.ts';
import { buildClient, start } from '../support/builders.ts';
import { interruptNext } from '../support/interruption.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('client store on %s', (dialect) => {
  let test: TestStores;
  let clients: ClientStore;
  let replica: ClientStore;

  beforeAll(async () => {
    test = await openStores(dialect);
    clients = test.clients;
    replica = test.onReplica.clients;
  });
  afterAll(() => test.close());

  const insert = async (fields: Partial<Client> = {}): Promise<Client> => {
    const client = buildClient(fields);
    expect(await clients.insert(client)).toBe(true);
    return client;
  };

  const secretChange = (fields: Partial<SecretChange> = {}): SecretChange => ({
    newHash: 'two',
    newDigest: undefined,
    setAt: start + 1,
    previousExpiresAt: start + 60_000,
    ...{ ceiling: roles, tokenGeneration: 0, updatedAt: start + 1 },
    ...fields,
  });

  it('gives back what was inserted, field by field', async () => {
    const client = await insert({
      secretDigest: 'digest',
      secretSetAt: start - 3,
      previousSecret: { hash: 'former', digest: 'former digest', expiresAt: start + 5 },
      serviceAccount: { userId: 'robot-id', username: 'Röbot@example.com' },
      metadata: {
        client_name: 'Ünïcode 🔑 App',
        redirect_uris: ['https://app.example.com/other'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43) } as { kty: string }] },
        require_consent: false,
      },
      ceiling: ['IdpAdministrator', 'DirectoryReader'],
      ceilingGivenAt: start - 2,
      tokenGeneration: 3,
      grantGeneration: 2,
      codeGeneration: 1,
      dynamic: {
        tokenHash: Buffer.alloc(32, 7),
        initialToken: {
          id: createId(),
          limits: { grantTypes: ['authorization_code'], scope: ['openid'], resources: ['https://api.example.com/'] },
        },
        applicationType: 'native',
      },
      lapsesAt: start + 9,
    });
    expect(await clients.find(client.clientId)).toEqual(client);
    expect(await replica.find(client.clientId)).toEqual(client);
  });

  describe('with a profile that the release before does not know', () => {
    const readRow = async ({ clientId }: Client) => {
      const sql = 'SELECT metadata, profile_name FROM clients WHERE client_id = ?';
      const [row] = await test.database.query<{ metadata: string; profile_name: string | null }>(sql, [clientId]);
      return { ...JSON.parse(row?.metadata ?? ''), name: row?.profile_name };
    };
    /** As the release before writes metadata, which drops members that it does not know. */
    const writeMetadata = ({ clientId }: Client, metadata: object) =>
      test.database.execute('UPDATE clients SET metadata = ? WHERE client_id = ?', [
        JSON.stringify(metadata),
        clientId,
      ]);
    const insertWith = (profile: ClientProfile) => insert({ metadata: completeMetadata({ profile }) });

    it('says fapi2 for fapi2_message_signing to it, with all that it implies', async () => {
      const client = await insertWith('fapi2_message_signing');
      expect(await clients.find(client.clientId)).toEqual(client);
      expect(await readRow(client)).toEqual({
        ...{ ...client.metadata, profile: 'fapi2' },
        ...{ require_signed_request_object: true, require_pkce: true, name: 'fapi2_message_signing' },
      });
    });

    it('says nothing for oauth21 to it, and what it implies', async () => {
      const client = await insertWith('oauth21');
      expect(await clients.find(client.clientId)).toEqual(client);
      expect(await readRow(client)).toEqual({ require_pkce: true, name: 'oauth21' });
    });

    it('names fapi2 where it always did', async () => {
      expect(await readRow(await insertWith('fapi2'))).toMatchObject({ profile: 'fapi2', name: null });
      const client = await insertWith('oauth21');
      const changed = { ...client, metadata: completeMetadata({ profile: 'fapi2' }), updatedAt: start + 1 };
      expect(await clients.update(changed, client.updatedAt)).toBe(true);
      expect(await readRow(client)).toMatchObject({ profile: 'fapi2', name: null });
    });

    it('has in force what it implies where the release before wrote its row meanwhile', async () => {
      const client = await insertWith('fapi2_message_signing');
      const { require_signed_request_object: _, ...known } = client.metadata;
      await writeMetadata(client, { ...known, profile: 'fapi2', client_name: 'Changed' });
      const found = await replica.find(client.clientId);
      expect(found?.metadata).toEqual({ ...client.metadata, client_name: 'Changed' });
    });

    it('is none where a later release set one that this does not know', async () => {
      const client = await insertWith('oauth21');
      const sql = 'UPDATE clients SET profile_name = ? WHERE client_id = ?';
      await test.database.execute(sql, ['of_a_later_release', client.clientId]);
      expect((await replica.find(client.clientId))?.metadata).toEqual({ require_pkce: true });
    });

    it('is gone where the release before took it away, or set another one', async () => {
      const signing = await insertWith('fapi2_message_signing');
      await writeMetadata(signing, { require_pkce: true });
      expect((await replica.find(signing.clientId))?.metadata).toEqual({ require_pkce: true });
      const oauth21 = await insertWith('oauth21');
      await writeMetadata(oauth21, { profile: 'fapi2' });
      expect((await replica.find(oauth21.clientId))?.metadata).toEqual({ profile: 'fapi2' });
    });
  });

  it('keeps what a client does not have as undefined', async () => {
    const client = await insert({ secretHash: undefined, redirectUri: undefined });
    expect(await clients.find(client.clientId)).toEqual(client);
  });

  it('keeps all of a disabled client, also where the release before wrote its row meanwhile', async () => {
    const client = await insert({ enabled: false, serviceAccount: { userId: 'robot-id', username: 'Röbot' } });
    expect(await clients.find(client.clientId)).toEqual(client);
    await test.database.execute("UPDATE clients SET grant_types = 'password', scope = 'openid' WHERE client_id = ?", [
      client.clientId,
    ]);
    expect(await clients.find(client.clientId)).toEqual(client);
  });

  it('takes as much metadata as a body may bring', async () => {
    const uri = (index: number) => `https://app.example.com/${index}`.padEnd(1_024, 'x');
    const uris = Array.from({ length: 20 }, (_, index) => uri(index));
    const modulus = 'n'.repeat(1366);
    const client = await insert({
      metadata: {
        client_name: '🔑'.repeat(128),
        redirect_uris: uris,
        post_logout_redirect_uris: uris,
        jwks: { keys: Array.from({ length: 10 }, () => ({ kty: 'RSA', n: modulus, e: 'AQAB' }) as { kty: string }) },
        backchannel_logout_uri: uri(0),
      },
    });
    expect(await clients.find(client.clientId)).toEqual(client);
  });

  it('reads a row of the release before, which has no metadata, as a client without', async () => {
    const { clientId } = await insert({ metadata: { client_name: 'App' } });
    await test.database.execute('UPDATE clients SET metadata = NULL WHERE client_id = ?', [clientId]);
    expect((await clients.find(clientId))?.metadata).toEqual({});
  });

  it.each<[string, Client['ceiling']]>([
    ['all roles', roles],
    ['no role', []],
  ])('keeps a ceiling of %s', async (_what, ceiling) => {
    const client = await insert({ ceiling });
    expect((await replica.find(client.clientId))?.ceiling).toEqual(ceiling);
  });

  it('writes no ceiling of all roles, so that it holds the roles of later releases', async () => {
    const [all, less] = [await insert({ ceiling: roles }), await insert({ ceiling: ['DirectoryReader'] })];
    const sql = 'SELECT ceiling FROM clients WHERE client_id = ?';
    const rows = await Promise.all([all, less].map(({ clientId }) => test.database.query(sql, [clientId])));
    expect(rows).toEqual([[{ ceiling: null }], [{ ceiling: 'DirectoryReader' }]]);
  });

  it('reads a row of the release before, which has no ceiling, as a client with all roles', async () => {
    const client = await insert({ ceiling: [] });
    await test.database.execute('UPDATE clients SET ceiling = NULL WHERE client_id = ?', [client.clientId]);
    expect((await clients.find(client.clientId))?.ceiling).toEqual(roles);
  });

  it('finds no client under another client_id', async () => {
    expect(await clients.find('nobody')).toBeUndefined();
  });

  it('inserts a client_id once and leaves the first as it was', async () => {
    const client = await insert();
    expect(await clients.insert(buildClient({ clientId: client.clientId, accessTokenValidity: 7 }))).toBe(false);
    expect(await clients.find(client.clientId)).toEqual(client);
  });

  it('inserts exactly one of sixteen clients of one client_id at the same moment', async () => {
    const winners = await countWinners((turn) =>
      (turn % 2 === 0 ? clients : replica).insert(buildClient({ clientId: 'wanted', accessTokenValidity: turn + 1 })),
    );
    expect(winners).toBe(1);
  });

  it('compares client_ids byte for byte', async () => {
    const names = ['App', 'app', 'APP', 'app.', 'ap_', 'ap~'];
    for (const [index, clientId] of names.entries()) await insert({ clientId, accessTokenValidity: index + 1 });
    const found = await Promise.all(names.map((name) => clients.find(name)));
    expect(found.map((client) => [client?.clientId, client?.accessTokenValidity])).toEqual(
      names.map((name, index) => [name, index + 1]),
    );
    expect(await clients.find('aPp')).toBeUndefined();
    expect(await clients.delete(found[2] as Client)).toBe(true);
    expect(await clients.find('app')).toBeDefined();
  });

  it('looks up nothing that cannot be a client_id', async () => {
    const isMet = interruptNext(test.database, /FROM clients/, {});
    for (const text of ['', 'a b', 'größe', '🔑']) expect(await clients.find(text)).toBeUndefined();
    expect(isMet()).toBe(false);
  });

  it('reads a client in demand again before what is known of it is too old', async () => {
    const { clientId } = await insert();
    await clients.findRecent(clientId);
    await sleep(600);
    const isMet = interruptNext(test.database, /FROM clients/, {});
    await clients.findRecent(clientId);
    // Longer than clients are gathered for.
    await sleep(100);
    expect(isMet()).toBe(true);
  });

  it('finds no client under its client_id with blanks behind it', async () => {
    const { clientId } = await insert();
    for (const blanks of [' ', '   ', '\t', '\0']) expect(await clients.find(clientId + blanks)).toBeUndefined();
  });

  it('takes a client_id of 255 characters', async () => {
    const { clientId } = await insert({ clientId: 'x'.repeat(255) });
    expect((await clients.find(clientId))?.clientId).toBe(clientId);
    expect(await clients.find('x'.repeat(254))).toBeUndefined();
  });

  it('updates everything but the secret where nobody changed the client meanwhile', async () => {
    const client = await insert();
    const changed: Client = {
      ...client,
      scope: ['openid'],
      grantTypes: ['client_credentials', 'service_account'],
      redirectUri: undefined,
      accessTokenValidity: 60,
      serviceAccount: { userId: 'id', username: 'robot@example.com' },
      metadata: { client_name: 'Another name', require_consent: true },
      ceiling: ['DirectoryReader'],
      tokenGeneration: 1,
      grantGeneration: 1,
      updatedAt: start + 1,
    };
    expect(await clients.update({ ...changed, secretHash: 'ignored' }, client.updatedAt)).toBe(true);
    expect(await clients.find(client.clientId)).toEqual(changed);
    expect(await clients.update({ ...changed, accessTokenValidity: 1, updatedAt: start + 2 }, start)).toBe(false);
    expect(await clients.find(client.clientId)).toEqual(changed);
  });

  it('lets exactly one of sixteen updates that saw the same client through', async () => {
    const client = await insert();
    const winners = await countWinners((turn) =>
      (turn % 2 === 0 ? clients : replica).update(
        { ...client, accessTokenValidity: turn + 1, updatedAt: start + 1 + turn },
        client.updatedAt,
      ),
    );
    expect(winners).toBe(1);
  });

  it('does not update a client that is gone', async () => {
    expect(await clients.update(buildClient(), start)).toBe(false);
  });

  it('makes the current secret the previous one', async () => {
    const client = await insert({ secretHash: 'one', secretDigest: 'digest of one' });
    const lower = { ceiling: ['DirectoryReader' as const], tokenGeneration: 1 };
    expect(await clients.replaceSecret(client, secretChange(lower))).toBe(true);
    expect(await clients.find(client.clientId)).toEqual({
      ...client,
      secretHash: 'two',
      secretDigest: undefined,
      secretSetAt: start + 1,
      previousSecret: { hash: 'one', digest: 'digest of one', expiresAt: start + 60_000 },
      ...lower,
      updatedAt: start + 1,
    });
  });

  it('refuses to replace a secret that is not the current one any more', async () => {
    const client = await insert({ secretHash: 'one' });
    const replace = (newHash: string) => clients.replaceSecret(client, secretChange({ newHash, newDigest: 'new' }));
    expect(await replace('two')).toBe(true);
    expect(await replace('three')).toBe(false);
    expect(await clients.find(client.clientId)).toMatchObject({ secretHash: 'two', secretDigest: 'new' });
  });

  it('lets exactly one of sixteen replacements of one secret through', async () => {
    const client = await insert({ secretHash: 'one' });
    const winners = await countWinners((turn) =>
      (turn % 2 === 0 ? clients : replica).replaceSecret(client, secretChange({ newHash: `new-${turn}` })),
    );
    expect(winners).toBe(1);
    expect((await clients.find(client.clientId))?.previousSecret?.hash).toBe('one');
  });

  it('does not give a public client a secret', async () => {
    const client = await insert({ secretHash: undefined });
    expect(await clients.replaceSecret(client, secretChange())).toBe(false);
  });

  it('deletes a client once', async () => {
    const client = await insert();
    expect(await countWinners((turn) => (turn % 2 === 0 ? clients : replica).delete(client))).toBe(1);
    expect(await clients.find(client.clientId)).toBeUndefined();
  });

  it.each<[string, (seen: Client) => Promise<boolean>]>([
    ['changes', (seen) => clients.update({ ...seen, updatedAt: start + 9 }, seen.updatedAt)],
    ['gives a secret to', (seen) => clients.replaceSecret(seen, secretChange({ updatedAt: start + 9 }))],
    ['deletes', (seen) => clients.delete(seen)],
  ])('%s no client that was changed, or registered again, since it was seen', async (_what, act) => {
    const client = await insert({ secretHash: 'one' });
    expect(await act({ ...client, updatedAt: start - 1 })).toBe(false);
    expect(await act({ ...client, registrationId: createId() })).toBe(false);
    expect(await clients.find(client.clientId)).toEqual(client);
    expect(await act(client)).toBe(true);
  });

  it('lists page by page in the byte order of the client_ids, every client once', async () => {
    const all: string[] = [];
    for (let after: string | undefined; ; after = all.at(-1)) {
      const page = await clients.list({ after, limit: 3 });
      all.push(...page.map(({ clientId }) => clientId));
      if (page.length < 3) break;
    }
    const [counted] = await test.database.query<{ n: number }>('SELECT COUNT(*) AS n FROM clients');
    expect(all).toHaveLength(Number(counted?.n));
    expect(all.length).toBeGreaterThan(10);
    expect(all).toEqual([...new Set(all)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(await clients.list({ after: all.at(-1), limit: 3 })).toEqual([]);
  });

  const buildDynamic = (fields: Partial<Client> = {}): Partial<Client> => ({
    dynamic: { tokenHash: Buffer.alloc(32, 1), initialToken: undefined, applicationType: undefined },
    lapsesAt: start,
    ...fields,
  });

  it('replaces a client as a whole, its registration and secret too, but not the time that a use wrote meanwhile', async () => {
    const seen = await insert(buildDynamic());
    expect(await test.lapsing.putOff(seen, start + 100)).toBe(true);
    const replaced = buildClient({
      ...buildDynamic({ lapsesAt: start + 1 }),
      ...{ clientId: seen.clientId, secretHash: undefined, scope: ['openid'], updatedAt: start + 1 },
    });
    expect(await clients.replace(seen, replaced)).toBe(true);
    expect(await replica.find(seen.clientId)).toEqual({ ...replaced, lapsesAt: start + 100 });
    expect(await clients.replace(seen, replaced)).toBe(false);
    expect(await clients.update({ ...seen, scope: ['roles'] }, seen.updatedAt)).toBe(false);
  });

  it('does not write the time of the last use back with a change', async () => {
    const seen = await insert(buildDynamic());
    await test.lapsing.putOff(seen, start + 100);
    expect(await clients.update({ ...seen, updatedAt: start + 1 }, seen.updatedAt)).toBe(true);
    expect((await clients.find(seen.clientId))?.lapsesAt).toBe(start + 100);
  });

  it('lists and deletes unused clients: each is deleted once, and none that was used meanwhile', async () => {
    const [unused, used, later] = [
      await insert(buildDynamic({ lapsesAt: start - 2 })),
      await insert(buildDynamic({ lapsesAt: start - 1 })),
      await insert(buildDynamic({ lapsesAt: start + 1 })),
    ];
    await insert();
    const pick = ({ clientId, registrationId }: Client) => ({ clientId, registrationId });
    const listed = await test.lapsing.list(start, 100);
    expect(listed).toEqual(expect.arrayContaining([pick(unused), pick(used)]));
    expect(listed).not.toContainEqual(pick(later));
    expect(await test.lapsing.list(start, 1)).toEqual([pick(unused)]);
    expect(await test.onReplica.lapsing.putOff(used, start + 1)).toBe(true);
    expect(await test.lapsing.delete(used, start)).toBe(false);
    expect(await test.lapsing.delete({ ...unused, registrationId: createId() }, start)).toBe(false);
    const stores = [test.lapsing, test.onReplica.lapsing];
    expect(await countWinners(async (turn) => stores[turn % 2]?.delete(unused, start) ?? false)).toBe(1);
    expect(await clients.find(unused.clientId)).toBeUndefined();
    expect(await test.lapsing.putOff(unused, start + 1)).toBe(false);
  });
});
