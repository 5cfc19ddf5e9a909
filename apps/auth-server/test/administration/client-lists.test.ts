import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { idFromBytes } from '@gatehouse/service-kit';
import { type Database, openDatabase, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { createFillTerms, createTermStore, facetTerm } from '@gatehouse/service-kit/terms';
import { explainRows, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClientListStore } from '../../src/clients/client-list-store.ts';
import { clientFromRow } from '../../src/clients/client-row.ts';
import type { ClientRow } from '../../src/clients/client-table.ts';
import { clientFacets, termedClient } from '../../src/clients/client-terms.ts';
import { clientTermTable } from '../../src/clients/client-terms-table.ts';
import { createClientUseStore } from '../../src/clients/client-use-store.ts';
import { filterByFinding, listedFindings } from '../../src/clients/listed-finding.ts';
import { authServerSchema } from '../../src/schema/auth-server-schema.ts';
import { buildClient, openlyRegistered, start } from '../support/builders.ts';
import { openBody, registerDynamically } from '../support/dynamic-clients.ts';
import { administrator, type Realm, type Registration, webClient } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { openStores, silentLog, type TestStores, waitUntilReady } from '../support/stores.ts';

interface Page {
  clients: { client_id: string; updated_at: string }[];
  next_cursor?: string;
  total?: number;
  total_is_exact?: boolean;
}

const machine = {
  client_secret: 'machine-secret',
  scope: ['openid'],
  authorized_grant_types: ['service_account'],
  access_token_validity: 900,
  srvc_ac_user_name: 'robot@example.com',
};

describe.each(testDialects)('lists of clients on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;

  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
    replica = await startReplica(realm, {});
  });
  afterAll(async () => {
    await replica.close();
    await realm.close();
  });

  const get = (query: Record<string, string>, sender: Pick<Realm, 'send'> = realm) =>
    sender.send(`/clients?${new URLSearchParams(query)}`, { basic: administrator });
  const list = async (query: Record<string, string>, sender: Pick<Realm, 'send'> = realm): Promise<Page> => {
    const answer = await get(query, sender);
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(answer.headers['cache-control']).toBe('no-store');
    return answer.json<Page>();
  };
  const ids = async (query: Record<string, string>, sender: Pick<Realm, 'send'> = realm) =>
    (await list(query, sender)).clients.map(({ client_id }) => client_id);
  /** All pages of one client each. */
  const walk = async (query: Record<string, string>) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: '1', ...query, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.clients.length).toBeLessThanOrEqual(1);
      expect((page.next_cursor ?? '').length).toBeLessThanOrEqual(512);
      seen.push(...page.clients.map(({ client_id }) => client_id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return seen;
  };
  const unique = () => `k${randomBytes(5).toString('hex')}`;
  const register = async (client_id: string, changes: object = {}) => {
    await realm.register({ ...webClient, ...changes, client_id });
    return client_id;
  };
  const registerMachine = async (client_id: string, changes: object = {}) => {
    await realm.register({ ...machine, ...changes, client_id } as Registration);
    return client_id;
  };
  const change = async (client_id: string, json: object) => {
    const answer = await realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json });
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  };
  const remove = async (client_id: string) => {
    const answer = await realm.send(`/clients/${client_id}`, { method: 'DELETE', basic: administrator });
    expect(answer.status).toBe(204);
  };
  const expectFault = async (query: Record<string, string>, detail: string) => {
    const answer = await get(query);
    expect([answer.status, answer.json().detail]).toEqual([400, detail]);
  };

  describe('search', () => {
    it('finds by the start of words of client_id, name, Robot and host, without regard to case', async () => {
      const key = unique();
      const id = await register(`My-${key}-App`, {
        client_name: `Größe ${key}name`,
        redirect_uri: `https://login.${key}host.example.com/callback`,
      });
      const found = [
        ...[key.toUpperCase(), `my ${key}`, `APP ${key}`, id, id.toLowerCase(), `${key}-app`],
        ...[`${key}na`, `GRÖßE ${key}`, `${key}HOST.example`, `login.${key}host.example.com`],
        ...[`my app ${key}n größ`],
      ];
      for (const search of found) expect([search, await ids({ search })]).toEqual([search, [id]]);
      const missed = [`x${key}`, key.slice(1), `${key} nothing`, `${key}hostx`, `callback ${key}`, `${key} o\u0308`];
      for (const search of missed) expect([search, await ids({ search })]).toEqual([search, []]);
      const robot = await registerMachine(`${key}machine`);
      expect(await ids({ search: `robot ${key}` })).toEqual([robot]);
    });

    it('finds the host of every URI', async () => {
      const key = unique();
      const uri = (n: number) => `https://${key}h${n}.example.com/`;
      const id = await register(`uris${key}`, {
        redirect_uris: [uri(1)],
        post_logout_redirect_uris: [uri(2)],
        backchannel_logout_uri: uri(3),
        client_uri: uri(4),
        policy_uri: uri(5),
        tos_uri: uri(6),
        logo_uri: uri(7),
        initiate_login_uri: uri(8),
      });
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) expect(await ids({ search: `${key}h${n}` })).toEqual([id]);
    });

    it('finds a whole client_id, also of a UUID, of signs alone, and of the greatest length', async () => {
      const uuid = 'F47AC10B-58cc-4372-a567-0e02b2c3d479';
      const signs = `~~.${'_'.repeat(20)}`;
      const long = `${unique()}${'x'.repeat(240)}`;
      for (const id of [uuid, signs, long]) await register(id);
      expect(await ids({ search: uuid.toLowerCase() })).toEqual([uuid]);
      expect(await ids({ search: signs })).toEqual([signs]);
      expect(await ids({ search: long.slice(0, 64) })).toEqual([long]);
      expect(await ids({ search: `${long.slice(0, 60)}y` })).toEqual([]);
      for (const id of [uuid, signs, long]) await remove(id);
    });

    it('takes compositions, capitals and other scripts for what they are', async () => {
      const key = unique();
      const id = await register(key, { client_name: 'Café ΟΔΟΣ Łódź 東京タワー ﬁnanz हिन्दी 🔑key' });
      const found = ['CAFÉ', 'cafe\u0301', 'οδος', 'ΟΔΟ', 'łó', '東京', 'ｆｉｎ', 'FINANZ', 'हिन्दी', 'key'];
      for (const word of found) {
        const search = `${word} ${key}`;
        expect([search, await ids({ search })]).toEqual([search, [id]]);
      }
      for (const word of ['京', 'afe', 'odo'])
        expect([word, await ids({ search: `${word} ${key}` })]).toEqual([word, []]);
    });

    it.each(['%', '_', '\\', "'", '"', '!', '=', '=public:true', '\u202e', '\u0000', '💥', "' OR 1=1", '＝public'])(
      'takes %j for itself',
      async (search) => {
        const key = unique();
        await register(key);
        expect(await ids({ search: `${key} ${search}` })).toEqual([]);
        expect((await get({ search })).status).toBe(200);
      },
    );

    it('takes 64 characters and four words, and refuses more', async () => {
      expect(await ids({ search: 'x'.repeat(64) })).toEqual([]);
      expect(await ids({ search: '💥'.repeat(64) })).toEqual([]);
      expect(await ids({ search: 'no such words here' })).toEqual([]);
      await expectFault({ search: 'x'.repeat(65) }, 'search must be a text of 1 to 64 characters');
      await expectFault({ search: '' }, 'search must be a text of 1 to 64 characters');
      await expectFault({ search: 'one two three four five' }, 'search must hold one to 4 words');
      await expectFault({ search: ' \t ' }, 'search must hold one to 4 words');
      await expectFault({ search: 'a', sort: 'client_id' }, 'sort must not stand together with search');
    });

    it('gives each client once, page by page, and counts it once', async () => {
      const key = unique();
      const all = [`${key}-${key}a`, `${key}b-${key}c`, `${key}d`];
      for (const id of all) await register(id, { client_name: `${key}z ${key}y` });
      expect((await walk({ search: key })).sort()).toEqual(all);
      expect((await walk({ search: `${key} ${key}z` })).sort()).toEqual(all);
      expect(await list({ search: key, total: 'true', limit: '1' })).toMatchObject({ total: 3, total_is_exact: true });
      expect(await list({ search: `${key} ${key}b`, total: 'true' })).toMatchObject({ total: 1, total_is_exact: true });
      expect(await list({ search: `${key}none`, total: 'true' })).toEqual({
        clients: [],
        total: 0,
        total_is_exact: true,
      });
    });

    it('follows a client that is renamed, and forgets one that is deleted', async () => {
      const [key, later] = [unique(), unique()];
      const id = await register(unique(), { client_name: `Old ${key}` });
      expect(await ids({ search: key })).toEqual([id]);
      await change(id, { client_name: `New ${later}` });
      expect(await list({ search: key, total: 'true' })).toMatchObject({ clients: [], total: 0 });
      expect(await ids({ search: later })).toEqual([id]);
      await change(id, { client_name: null });
      expect(await ids({ search: later })).toEqual([]);
      await remove(id);
      expect(await list({ search: id, total: 'true' })).toEqual({ clients: [], total: 0, total_is_exact: true });
      await register(id, { client_name: `Again ${key}` });
      expect(await ids({ search: key })).toEqual([id]);
      expect(await ids({ search: 'new', scope: 'openid' })).not.toContain(id);
      const rows = await realm.deps.database.query('SELECT 1 FROM client_terms WHERE client_id = ? AND term = ?', [
        id,
        'old',
      ]);
      expect(rows).toEqual([]);
    });
  });

  describe('filters', () => {
    it('takes each, and several together', async () => {
      const key = unique();
      const { resource, scopes } = await administerResources(realm).create({
        resource: `https://api.example.com/${key}/${'x'.repeat(200)}`,
      });
      const scope = scopes[0]?.name ?? '';
      const web = await register(`${key}web`);
      const third = await register(`${key}third`, {
        ...{ authorized_grant_types: ['authorization_code'], require_consent: true },
        ...{ scope: ['openid', scope], resources: [resource, realm.orgUrl] },
      });
      const bot = await registerMachine(`${key}bot`);
      const page = await registerMachine(`${key}page`, {
        ...{ client_secret: undefined, srvc_ac_user_name: undefined, redirect_uri: 'https://page.example.com/' },
        authorized_grant_types: ['authorization_code'],
      });
      const own = await registerDynamically(realm).register({ ...openBody, client_name: key });
      const search = key;
      const expectIds = async (query: Record<string, string>, expected: readonly string[]) => {
        const found = (await ids({ search, ...query })).sort();
        expect([query, found]).toEqual([query, [...expected].sort()]);
        const { total } = await list({ search, ...query, total: 'true' });
        expect([query, total]).toEqual([query, expected.length]);
      };
      await expectIds({ grant_type: 'service_account' }, [bot]);
      await expectIds({ grant_type: 'password' }, [web]);
      await expectIds({ resource }, [third]);
      await expectIds({ scope }, [third]);
      await expectIds({ robot: 'ROBOT@example.com' }, [bot]);
      await expectIds({ public: 'true' }, [page, own.client_id]);
      await expectIds({ public: 'false' }, [web, third, bot]);
      await expectIds({ dynamic: 'true' }, [own.client_id]);
      await expectIds({ dynamic: 'false' }, [web, third, bot, page]);
      await expectIds({ third_party: 'true' }, [third, own.client_id]);
      await expectIds({ third_party: 'false' }, [web, bot, page]);
      await expectIds({ third_party: 'true', dynamic: 'false', grant_type: 'authorization_code' }, [third]);
      await change(bot, { enabled: false });
      await expectIds({ enabled: 'false' }, [bot]);
      await expectIds({ enabled: 'true', third_party: 'false' }, [web, page]);
      await expectIds({ grant_type: 'service_account' }, [bot]);
      await expectIds({ third_party: 'false', public: 'true', robot: 'robot@example.com' }, []);
      expect(await ids({ resource })).toEqual([third]);
      expect(await ids({ resource: `${resource} ` })).toEqual([]);
      expect(await walk({ scope, public: 'false' })).toEqual([third]);
      expect(await ids({ resource: 'https://nobody.example.com/%' })).toEqual([]);
      await change(third, { require_consent: false, scope: ['openid'] });
      await expectIds({ scope }, []);
      await expectIds({ third_party: 'true' }, [own.client_id]);
    });

    it('goes on by the client_id, also where a search stands beside it', async () => {
      const key = unique();
      const all = [1, 2, 3, 4].map((n) => `${key}-${n}`);
      for (const id of all) await register(id, { scope: ['openid', 'email'], client_name: `${key}a ${key}b` });
      expect(await walk({ scope: 'email', search: key })).toEqual(all);
      const whole = await ids({ grant_type: 'password', limit: '200' });
      expect(await walk({ grant_type: 'password' })).toEqual(whole);
      expect(whole).toEqual([...whole].sort());
      expect(await ids({ grant_type: 'password', cursor: `${key}-3` })).not.toContain(`${key}-3`);
    });

    it('takes what a finding says, in every order, page by page, and counts it', async () => {
      const key = unique();
      const day = 86_400_000;
      const http = { redirect_uri: 'http://localhost:7000/callback' };
      const doubtful = [await register(`${key}a`, http), await register(`${key}b`, http)];
      const aged = [await register(`${key}c`), await register(`${key}d`)];
      const { database } = realm.deps;
      for (const id of aged) {
        const sql = 'UPDATE clients SET secret_set_at = ? WHERE client_id = ?';
        await database.execute(sql, [realm.clock() - 366 * day, id]);
      }
      const queries: Record<string, string>[] = [
        { search: key },
        { scope: 'openid', search: key },
        { scope: 'openid' },
        { sort: '-updated_at' },
        { sort: 'last_used_at' },
        {},
      ];
      for (const [finding, expected] of [
        ['http_redirect', doubtful],
        ['secret_old', aged],
      ] as const) {
        for (const query of queries) {
          expect([finding, query, (await walk({ finding, ...query })).sort()]).toEqual([finding, query, expected]);
          const { total } = await list({ finding, total: 'true', ...query });
          expect([finding, query, total]).toEqual([finding, query, expected.length]);
        }
        expect(await ids({ finding, enabled: 'false' })).toEqual([]);
      }
      const never = { unused_since: new Date(realm.clock() + day).toISOString() };
      expect(await walk({ finding: 'secret_old', ...never })).toEqual(aged);
      for (const id of [...doubtful, ...aged]) await remove(id);
      expect(await ids({ finding: 'http_redirect' })).toEqual([]);
    });

    it('refuses what is no value of a filter', async () => {
      const known = 'client_all_roles, http_redirect, secret_old, secret_overlap_in_use';
      await expectFault({ finding: 'client_unused' }, `finding must be one of ${known}`);
      await expectFault({ public: '1' }, 'public must be true or false');
      await expectFault({ total: 'yes' }, 'total must be true or false');
      await expectFault({ sort: 'updated_at' }, 'sort must be one of client_id, -updated_at, last_used_at');
      await expectFault(
        { unused_since: 'yesterday' },
        'unused_since must be a date or an instant of ISO 8601, such as 2026-01-31 or 2026-01-31T08:00:00Z',
      );
      await expectFault({ robot: '' }, 'robot must be a text of 1 to 255 characters');
      await expectFault({ scope: 'x'.repeat(256) }, 'scope must be a text of 1 to 255 characters');
      const answer = await get({ grant_type: 'magic' });
      expect([answer.status, answer.json().detail]).toEqual([
        400,
        expect.stringMatching(/^grant_type must be one of /),
      ]);
    });
  });

  describe('the last use', () => {
    it('orders and filters: those that never got a token come first, then those that got none for the longest time', async () => {
      const key = unique();
      const all = [1, 2, 3, 4, 5, 6].map((n) => `${key}-${n}`) as [string, string, string, string, string, string];
      const [never, also, old, older, recent, other] = all;
      for (const id of all)
        await register(id, { scope: ['openid', 'address'], redirect_uri: `https://${key}.example.com/` });
      const times = new Map([
        [old, 2_000],
        [older, 1_000],
        [recent, 9_000],
        [other, 2_000],
      ]);
      for (const [id, usedAt] of times) {
        const sql = 'SELECT registration_id FROM clients WHERE client_id = ?';
        const [row] = await realm.deps.database.query<{ registration_id: Buffer }>(sql, [id]);
        const registrationId = idFromBytes(row?.registration_id as Buffer);
        await createClientUseStore(realm.deps.database).put([
          { registrationId, kind: 'token', usedAt },
          // The uses of its secrets do not count.
          { registrationId, kind: 'secret', usedAt: 99_000 },
        ]);
      }
      const own = (found: readonly string[]) => found.filter((id) => id.startsWith(key));
      const inOrder = [never, also, older, old, other, recent];
      const byUse = { sort: 'last_used_at', scope: 'address' };
      expect(own(await ids({ ...byUse, limit: '200' }))).toEqual(inOrder);
      expect(own(await walk(byUse))).toEqual(inOrder);
      expect(own(await walk({ sort: 'last_used_at' }))).toEqual(inOrder);
      const since = { unused_since: new Date(2_000).toISOString() };
      const queries: Record<string, string>[] = [
        { search: key },
        { scope: 'address', search: key },
        { scope: 'address' },
        {},
      ];
      for (const query of queries) {
        expect([query, own(await walk({ ...query, ...since })).sort()]).toEqual([query, [never, also, older]]);
      }
      expect(own(await walk({ ...byUse, ...since }))).toEqual([never, also, older]);
      expect(own(await walk({ sort: '-updated_at', scope: 'address', ...since })).sort()).toEqual([never, also, older]);
      expect(await list({ search: key, total: 'true', ...since })).toMatchObject({ total: 3, total_is_exact: true });
      const { total = 0 } = await list({ total: 'true' });
      expect(await list({ total: 'true', ...since })).toMatchObject({ total: total - 3, total_is_exact: true });
      await realm.send(`/clients/${older}`, { method: 'DELETE', basic: administrator });
      expect(own(await walk({ ...byUse, ...since }))).toEqual([never, also]);
    });

    it('is of no other order', async () => {
      await expectFault({ sort: 'last_used_at', search: 'x' }, 'sort must not stand together with search');
      for (const cursor of ['!5!nobody', 'nobody', '!never!', '!5!01234567-89ab', '!never!a b']) {
        expect([cursor, (await get({ sort: 'last_used_at', cursor })).status]).toEqual([cursor, 400]);
      }
    });
  });

  describe('order and cursors', () => {
    it('lists the last change first, with filters too', async () => {
      const key = unique();
      const all = [1, 2, 3].map((n) => `${key}-${n}`);
      for (const id of all) await register(id, { scope: ['openid', 'phone'] });
      realm.advance(5);
      await change(all[1] ?? '', { access_token_validity: 61 });
      const expected = [all[1], all[2], all[0]];
      expect((await ids({ sort: '-updated_at', limit: '3' }))[0]).toBe(expected[0]);
      expect((await walk({ sort: '-updated_at', scope: 'phone' })).filter((id) => id.startsWith(key))).toEqual(
        expected,
      );
      expect(
        (await walk({ sort: '-updated_at', limit: '2', scope: 'phone', public: 'true' })).filter((id) =>
          id.startsWith(key),
        ),
      ).toEqual([]);
      const { clients } = await list({ sort: '-updated_at', limit: '200' });
      const times = clients.map(({ updated_at }) => updated_at);
      expect(times).toEqual([...times].sort().reverse());
      expect(await ids({ sort: 'client_id', limit: '200' })).toEqual(await ids({ limit: '200' }));
    });

    it('goes on from a client_id, as before, and gives one', async () => {
      const page = await list({ limit: '2' });
      expect(page.next_cursor).toBe(page.clients[1]?.client_id);
      expect(page).not.toHaveProperty('total');
      expect(await ids({ cursor: page.clients[0]?.client_id ?? '', limit: '1' })).toEqual([page.clients[1]?.client_id]);
    });

    it('counts all', async () => {
      const whole = await ids({ limit: '200' });
      expect(await list({ total: 'true', limit: '1' })).toMatchObject({ total: whole.length, total_is_exact: true });
      expect(await list({ total: 'true', sort: '-updated_at', limit: '1' })).toMatchObject({ total: whole.length });
      expect(await list({ total: 'false', limit: '1' })).not.toHaveProperty('total');
    });

    it('refuses a cursor of another list', async () => {
      const key = unique();
      for (const n of [1, 2]) await register(`${key}-${n}`);
      const detail = 'cursor must be the next_cursor of the page before';
      const { next_cursor: ofSearch = '' } = await list({ search: key, limit: '1' });
      const { next_cursor: ofChanges = '' } = await list({ sort: '-updated_at', limit: '1' });
      expect(ofSearch).toMatch(/^!/);
      const others: Record<string, string>[] = [{}, { search: 'other' }, { sort: '-updated_at' }, { scope: 'openid' }];
      for (const query of others) await expectFault({ ...query, cursor: ofSearch }, detail);
      const unordered: Record<string, string>[] = [{}, { search: key }, { scope: 'openid' }];
      for (const query of unordered) await expectFault({ ...query, cursor: ofChanges }, detail);
      for (const cursor of ['x', '!', '!0', '!0!a!', '!9!a!!aw', `!0!a!!${'A'.repeat(600)}`, '!0!a b!!aw', 'é']) {
        await expectFault({ search: key, cursor }, detail);
      }
      await expectFault({ sort: '-updated_at', cursor: 'web' }, detail);
    });
  });

  it('answers the same at another replica', async () => {
    const key = unique();
    const id = await register(key, { client_name: 'Twice' });
    expect(await ids({ search: `${key} twice` }, replica)).toEqual([id]);
    await remove(id);
    expect(await ids({ search: key }, replica)).toEqual([]);
  });

  it('fills clients of a release that writes no terms when it starts', async () => {
    const key = unique();
    const id = await register(key, { client_name: 'Foregone' });
    const { database } = realm.deps;
    await database.execute('DELETE FROM client_terms WHERE client_id = ?', [id]);
    await database.execute('UPDATE clients SET terms_at = 0 WHERE client_id = ?', [id]);
    expect(await ids({ search: key })).toEqual([]);
    const later = await startReplica(realm, {});
    let found: string[] = [];
    for (let tries = 0; tries < 200 && found.length === 0; tries += 1) {
      await sleep(20);
      found = await ids({ search: `${key} fore` }, later);
    }
    await later.close();
    expect(found).toEqual([id]);
  });
});

describe.each(testDialects)('terms of clients on %s', (dialect) => {
  let test: TestStores;

  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const filling = (database: Database = test.database) =>
    createFillTerms<ClientRow>({
      ...{ database, table: clientTermTable, terms: createTermStore(database, clientTermTable) },
      ...{ clock: () => start, read: (row) => termedClient(clientFromRow(row)) },
    });
  const fill = (database?: Database) => filling(database)(new AbortController().signal);
  const search = async (words: string[]) => {
    const request = { words, facets: [], place: undefined, limit: 200 };
    return (await createClientListStore(test.database).search(request)).clients.map(({ clientId }) => clientId);
  };
  const termsOf = async (clientId: string) => {
    const sql = 'SELECT term FROM client_terms WHERE client_id = ? ORDER BY term';
    return (await test.database.query<{ term: string }>(sql, [clientId])).map(({ term }) => term);
  };
  const forgetAll = async () => {
    await test.database.execute('DELETE FROM client_terms');
    await test.database.execute('UPDATE clients SET terms_at = 0');
  };

  it('are filled for more clients than one batch has, by two replicas at once', async () => {
    const all = Array.from({ length: 250 }, (_, n) => buildClient({ clientId: `filled-${n}` }));
    for (const client of all) expect(await test.clients.insert(client)).toBe(true);
    const before = await termsOf('filled-7');
    expect(before).toEqual(expect.arrayContaining(['7', 'app', 'filled', facetTerm('public', 'false')]));
    await forgetAll();
    await Promise.all([fill(), fill(test.replica)]);
    expect((await search(['filled'])).length).toBe(200);
    for (const n of [0, 7, 249]) expect(await termsOf(`filled-${n}`)).toEqual(n === 7 ? before : expect.anything());
    expect(await test.database.query('SELECT 1 FROM clients WHERE terms_at <> updated_at')).toEqual([]);
    const sql = 'SELECT COUNT(DISTINCT client_id) AS found FROM client_terms';
    const [row] = await test.database.query<{ found: number }>(sql);
    expect(Number(row?.found)).toBe(250);
  });

  it('have the groups of clients that a release before wrote', async () => {
    const [letsIn, letsAllIn] = [buildClient({ clientId: 'lets-in' }), buildClient({ clientId: 'lets-all-in' })];
    await test.clients.insert({ ...letsIn, metadata: { allowed_groups: ['Staff/IT'] } });
    await test.clients.insert(letsAllIn);
    const wanted = await termsOf('lets-in');
    const term = clientFacets.allowed_group('staff/it');
    expect(wanted).toContain(term);
    await test.database.execute('DELETE FROM client_terms WHERE term = ?', [term]);
    // As if the migration were still to come.
    await test.database.execute("DELETE FROM schema_migrations WHERE name = 'AllowedGroupTerms1700000000040'");
    const url = parseDatabaseUrl(test.url);
    const migrated = openDatabase({ url, ...authServerSchema, migrateOnStart: true, log: silentLog });
    await waitUntilReady(migrated);
    await migrated.close();
    const stale = await test.database.query('SELECT client_id FROM clients WHERE terms_at <> updated_at');
    expect(stale).toEqual([{ client_id: 'lets-in' }]);
    await fill();
    expect(await termsOf('lets-in')).toEqual(wanted);
  });

  /** A database that keeps the statements that write. */
  const watch = () => {
    const writes: string[] = [];
    const watched: Database = {
      ...test.database,
      execute: (sql, ...rest) => {
        writes.push(sql);
        return test.database.execute(sql, ...rest);
      },
    };
    return { writes, watched };
  };

  it('of many clients are written by few statements, and those of former versions go', async () => {
    const all = Array.from({ length: 90 }, (_, n) => buildClient({ clientId: `few-${n}`, updatedAt: start + 5 }));
    for (const client of all) await test.clients.insert(client);
    const expected = await Promise.all(all.map(({ clientId }) => termsOf(clientId)));
    await test.database.execute("DELETE FROM client_terms WHERE client_id LIKE 'few-%' AND client_id <> 'few-8'");
    await test.database.execute("UPDATE clients SET terms_at = 0 WHERE client_id LIKE 'few-%'");
    const former = 'INSERT INTO client_terms (term, client_id, written_at) VALUES (?, ?, ?)';
    await test.database.execute(former, ['former', 'few-8', start]);
    const { writes, watched } = watch();
    await filling(watched)(new AbortController().signal);
    expect(await Promise.all(all.map(({ clientId }) => termsOf(clientId)))).toEqual(expected);
    expect(await test.database.query('SELECT 1 FROM clients WHERE terms_at <> updated_at')).toEqual([]);
    expect(writes.length).toBeLessThan(10);
  });

  it('of a client that changed while those of many were written are of the version that is there', async () => {
    const [still, moved] = [buildClient({ clientId: 'many-still' }), buildClient({ clientId: 'many-moved' })];
    const later = { ...moved, updatedAt: moved.updatedAt + 1, metadata: { client_name: 'Moved' } };
    for (const client of [still, later]) await test.clients.insert(client);
    const expected = [await termsOf('many-still'), await termsOf('many-moved')];
    await test.database.execute("DELETE FROM client_terms WHERE client_id = 'many-still'");
    const gone = buildClient({ clientId: 'many-gone' });
    const terms = createTermStore(test.database, clientTermTable);
    await terms.writeAll([still, { ...moved, metadata: { client_name: 'Earlier' } }, gone].map(termedClient));
    expect([await termsOf('many-still'), await termsOf('many-moved')]).toEqual(expected);
    expect(await termsOf('many-gone')).toEqual([]);
  });

  it('follow a row that a release before changed, and only look at it where nothing is due', async () => {
    const client = buildClient({ clientId: 'changed', metadata: { client_name: 'Former' } });
    await test.clients.insert(client);
    const metadata = JSON.stringify({ client_name: 'Latter' });
    await test.database.execute('UPDATE clients SET metadata = ?, updated_at = ? WHERE client_id = ?', [
      ...[metadata, start + 9],
      'changed',
    ]);
    expect([await search(['former']), await search(['latter'])]).toEqual([[], []]);
    const { writes, watched } = watch();
    const fillWatched = filling(watched);
    await fillWatched(new AbortController().signal);
    expect([await search(['former']), await search(['latter'])]).toEqual([[], ['changed']]);
    expect(await termsOf('changed')).not.toContain('former');
    expect(writes.length).toBe(3);
    await fillWatched(new AbortController().signal);
    expect(writes.length).toBe(3);
  });

  it('of a version that was replaced meanwhile go again, and those of the later version stay', async () => {
    const terms = createTermStore(test.database, clientTermTable);
    const later = buildClient({ clientId: 'raced', updatedAt: start + 1, metadata: { client_name: 'Later Both' } });
    await test.clients.insert(later);
    const expected = await termsOf('raced');
    await terms.write(termedClient({ ...later, updatedAt: start, metadata: { client_name: 'Earlier Both' } }));
    expect(await termsOf('raced')).toEqual(expected);
    await terms.write(termedClient(buildClient({ clientId: 'nobody-at-all' })));
    expect(await termsOf('nobody-at-all')).toEqual([]);
  });

  it('of a client that lapsed go with it', async () => {
    const client = buildClient({ clientId: 'lapsed', dynamic: openlyRegistered, lapsesAt: start });
    await test.clients.insert(client);
    expect(await termsOf('lapsed')).toContain('lapsed');
    expect(await test.lapsing.delete(client, start)).toBe(true);
    expect(await termsOf('lapsed')).toEqual([]);
  });

  it('are bounded, whatever the registration says', async () => {
    const uris = Array.from({ length: 20 }, (_, n) => `https://${`${n}x`.repeat(20)}.a.b.c.d.e.f.g.h.i.example.com/`);
    const client = buildClient({
      clientId: 'a.'.repeat(127),
      scope: Array.from({ length: 200 }, (_, n) => `scope:${n}`),
      metadata: {
        client_name: Array.from({ length: 500 }, (_, n) => `\u202e${n}`).join(' '),
        ...{ redirect_uris: uris, post_logout_redirect_uris: uris, resources: uris.map((uri) => uri.repeat(20)) },
      },
    });
    expect(await test.clients.insert(client)).toBe(true);
    const terms = await termsOf(client.clientId);
    expect(terms.length).toBeLessThan(500);
    expect(Math.max(...terms.map((term) => [...term].length))).toBeLessThanOrEqual(64);
  });

  describe('by an index', () => {
    const word = dialect === 'mysql' ? explainRows : 'EXPLAIN QUERY PLAN';

    beforeAll(async () => {
      for (let n = 0; n < 20; n += 1) {
        await test.clients.insert(buildClient({ clientId: `plan-${n}`, updatedAt: start + n }));
      }
      const fillers = Array.from({ length: 2_000 }, (_, n) => ['filler', `filler-${n}`, start]);
      const marks = fillers.map(() => '(?, ?, ?)').join(', ');
      await test.database.execute(
        `INSERT INTO client_terms (term, client_id, written_at) VALUES ${marks}`,
        fillers.flat(),
      );
      if (dialect === 'mysql') await test.database.query('ANALYZE TABLE client_terms, clients');
    });

    /** The plans of all statements of a list. */
    const explain = async (act: (lists: ReturnType<typeof createClientListStore>) => Promise<unknown>) => {
      const plans: Record<string, unknown>[] = [];
      const explaining: Database = {
        ...test.database,
        async query<Row>(sql: string, parameters?: readonly unknown[]) {
          // Of rows by their keys the database may read all: there are few here.
          if (!sql.startsWith('SELECT *')) {
            plans.push(...(await test.database.query<Record<string, unknown>>(`${word} ${sql}`, parameters)));
          }
          return test.database.query<Row>(sql, parameters);
        },
      };
      await act(createClientListStore(explaining));
      return plans;
    };
    const place = { word: 0, term: 'plan', id: 'plan-3', after: undefined };
    const facets = Object.values(clientFacets).map((facet): [string, string[], string[]] => {
      const term = facet('x');
      return [term, [], [term]];
    });
    const cases: [string, string[], string[]][] = [
      ...facets,
      ['one word', ['plan'], []],
      ['four words', ['plan', 'app', 'example', 'com'], []],
      ['a word and a filter', ['plan'], [clientFacets.public('false')]],
      ['two filters', [], [clientFacets.public('false'), clientFacets.scope('openid')]],
    ];
    // SQLite counts each of at most 10,000 clients once by a tree.
    const isByIndex = (step: Record<string, unknown>) =>
      dialect === 'mysql'
        ? step.key !== null ||
          /No tables used|Impossible/.test(String(step.Extra)) ||
          /^<derived/.test(String(step.table))
        : !/^SCAN (?!c\d|\(|CONSTANT)/.test(String(step.detail)) &&
          !/TEMP B-TREE(?! FOR count)/.test(String(step.detail));

    it.each(cases)('lists and counts by %s', async (_name, words, values) => {
      const plans = await explain(async (lists) => {
        await lists.search({ words, facets: values, place: undefined, limit: 50 });
        await lists.search({ words, facets: values, place: words.length > 0 ? place : { after: 'plan-3' }, limit: 50 });
        await lists.count({ words, facets: values });
      });
      expect(plans.length).toBeGreaterThan(2);
      expect(plans.filter((step) => !isByIndex(step))).toEqual([]);
      if (dialect === 'mysql') expect(JSON.stringify(plans)).not.toMatch(/filesort|temporary/i);
    });

    it.each(listedFindings)('lists and counts by the finding %s', async (finding) => {
      const { facets, isListed } = filterByFinding(finding, start);
      const filter = { words: [], facets, isListed };
      const plans = await explain(async (lists) => {
        if (facets.length > 0) await lists.search({ ...filter, place: undefined, limit: 50 });
        await lists.listById(filter, { after: { clientId: 'plan-3', updatedAt: 0 }, limit: 5 });
        await lists.listChanged(filter, { after: undefined, limit: 5 });
        await lists.search({ ...filter, words: ['plan'], place: undefined, limit: 50 });
        await lists.count({ ...filter, words: ['plan'] });
      });
      expect(plans.length).toBeGreaterThan(4);
      expect(plans.filter((step) => !isByIndex(step) && !/^SCAN clients USING/.test(String(step.detail)))).toEqual([]);
      expect(JSON.stringify(plans)).not.toMatch(/filesort|TEMP B-TREE(?! FOR count)/i);
    });

    it('lists by the last change', async () => {
      const after = { clientId: 'plan-3', updatedAt: start + 3 };
      const plans = await explain(async (lists) => {
        for (const page of [undefined, after]) {
          for (const facets of [[], [clientFacets.public('false')]]) {
            await lists.listChanged({ words: [], facets }, { after: page, limit: 5 });
          }
        }
      });
      expect(plans.length).toBeGreaterThan(4);
      expect(JSON.stringify(plans)).toMatch(/clients_changed/);
      expect(JSON.stringify(plans)).not.toMatch(/filesort|TEMP B-TREE/i);
    });
  });

  it('lists and counts by the last use, by an index', async () => {
    const uses = createClientUseStore(test.database);
    const word = dialect === 'mysql' ? explainRows : 'EXPLAIN QUERY PLAN';
    const clients = Array.from({ length: 30 }, (_, n) =>
      buildClient({ clientId: `used-${String(n).padStart(2, '0')}` }),
    );
    for (const client of clients) await test.clients.insert(client);
    await uses.put(
      clients.map(({ registrationId }, n) => ({ registrationId, kind: 'token', usedAt: start + (n % 7) })),
    );
    const plans: string[] = [];
    const explaining: Database = {
      ...test.database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        if (sql.includes('client_uses')) {
          plans.push(JSON.stringify(await test.database.query(`${word} ${sql}`, parameters)));
        }
        return test.database.query<Row>(sql, parameters);
      },
    };
    const lists = createClientListStore(explaining);
    const after = { usedAt: start + 2, registrationId: clients[2]?.registrationId ?? '' };
    for (const facets of [[], [clientFacets.public('false')]]) {
      for (const unusedSince of [undefined, start + 5]) {
        const filter = { words: [], facets, unusedSince };
        await lists.listByUse(filter, { after, limit: 5 });
        await lists.listByUse(filter, { after: { never: 'used-99' }, limit: 5 });
        await lists.listById(filter, { after: undefined, limit: 5 });
        await lists.count(filter);
      }
    }
    expect(plans.length).toBeGreaterThan(10);
    for (const plan of plans) expect(plan).not.toMatch(/filesort|temporary|TEMP B-TREE/i);
    expect(plans.some((plan) => plan.includes('client_uses_time'))).toBe(true);
  });

  it('examines at most 10,000 entries a page, and says that there is more', async () => {
    const rows = Array.from({ length: 10_050 }, (_, n) => ['common', `gone-${String(n).padStart(6, '0')}`, start]);
    for (let first = 0; first < rows.length; first += 2_000) {
      const some = rows.slice(first, first + 2_000);
      const marks = some.map(() => '(?, ?, ?)').join(', ');
      const sql = `INSERT INTO client_terms (term, client_id, written_at) VALUES ${marks}`;
      await test.database.execute(sql, some.flat());
    }
    await test.clients.insert(buildClient({ clientId: 'zz-common-other' }));
    const lists = createClientListStore(test.database);
    // Entries without a row, as a release before leaves them, stand before it.
    expect(await lists.count({ words: ['common'], facets: [] })).toEqual({ total: 0, isExact: false });
    const request = { words: ['common'], facets: [], limit: 200 };
    const first = await lists.search({ ...request, place: undefined });
    expect([first.clients, first.next]).toEqual([[], expect.objectContaining({ id: 'gone-000199' })]);
    const both = { words: ['common', 'c'], facets: [], limit: 200 };
    const place = { word: 0, term: 'common', id: 'gone-000048', after: undefined };
    const short = await lists.search({ ...both, facets: [clientFacets.public('false')], place });
    expect([short.clients, short.next]).toEqual([[], { ...place, id: 'gone-010048' }]);
    const last = await lists.search({ ...both, facets: [clientFacets.public('false')], place: short.next });
    expect(last.clients.map(({ clientId }) => clientId)).toEqual(['zz-common-other']);
    expect(last.next).toBeUndefined();
    const rarest = await lists.search({ words: ['common', 'zz'], facets: [], place: undefined, limit: 10 });
    expect(rarest.clients.map(({ clientId }) => clientId)).toEqual(['zz-common-other']);
  });
});
