import { setImmediate } from 'node:timers/promises';
import { testDialects } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChangedClientStore, createChangedClientStore } from '../../src/clients/changed-client-store.ts';
import type { Client } from '../../src/clients/client.ts';
import { createClientOriginStore } from '../../src/clients/client-origin-store.ts';
import { isOriginOf, listOrigins } from '../../src/clients/client-origins.ts';
import { createRegisteredOrigins } from '../../src/clients/registered-origins.ts';
import { buildClient, start } from '../support/builders.ts';
import { openStores, silentLog, type TestStores } from '../support/stores.ts';

const noRows = {
  findAll: async (origins: readonly string[]) => new Map(origins.map((one) => [one, { isHeld: false }])),
};

describe('the origins of a client', () => {
  it('are those of its pages, once each', () => {
    const redirect_uris = [
      ...['https://app.example.com/other', 'HTTPS://APP.EXAMPLE.COM:443/x', 'http://127.0.0.1:51004/cb'],
      ...['http://localhost/', 'com.example.app:/cb', 'com.example.app://localhost/cb'],
    ];
    const client = buildClient({ redirectUri: 'https://app.example.com/cb?x=1', metadata: { redirect_uris } });
    expect(listOrigins(client)).toEqual(['https://app.example.com', 'http://127.0.0.1:51004', 'http://localhost']);
    expect(isOriginOf(client, 'https://app.example.com')).toBe(true);
    for (const origin of ['null', 'https://app.example.com/', 'http://app.example.com', 'com.example.app:']) {
      expect(isOriginOf(client, origin)).toBe(false);
    }
    expect(listOrigins({ redirectUri: undefined, metadata: {} })).toEqual([]);
  });

  it('are none of what cannot be a page, in rows of whatever release', () => {
    const redirect_uris = ['http://app.example.com/', 'not a URL', 'javascript:alert(1)'];
    expect(listOrigins({ redirectUri: undefined, metadata: { redirect_uris } })).toEqual([]);
  });
});

describe('the clients of an origin', () => {
  const origin = 'https://page.example.com';
  const build = (clientId: string) => buildClient({ clientId, redirectUri: `${origin}/cb` });
  const elsewhere = { redirectUri: 'https://elsewhere.example.com/' };
  const fullPage = Array<Client>(500).fill(buildClient());
  /** The rows as they were read, page by page, and what the look-up of a client gives now. Notes who is looked up. */
  const openOrigins = (pages: readonly Client[][], current: readonly Client[]) => {
    const now = new Map(current.map((client) => [client.clientId, client]));
    const asked: string[] = [];
    const left = [...pages];
    const origins = createRegisteredOrigins({
      changedClients: { list: async () => left.shift() ?? [] },
      clients: {
        async findRecent(clientId) {
          asked.push(clientId);
          return now.get(clientId);
        },
      },
      clientOrigins: noRows,
      clock: () => start,
      log: silentLog,
    });
    return { origins, left, listAsked: () => asked.splice(0) };
  };

  it('are looked up from the newest on until one still has it, and never again where it has not', async () => {
    const clients = ['first', 'second', 'third', 'fourth'].map(build);
    const { origins, listAsked } = openOrigins([clients], clients.slice(0, 3));
    expect(await origins.has(origin)).toBe(true);
    expect(listAsked()).toEqual(['fourth', 'third', 'second', 'first']);
    expect(await origins.has(origin)).toBe(true);
    expect(listAsked()).toEqual(['third']);
  });

  it('have it no more where they moved elsewhere since they were read', async () => {
    const { origins } = openOrigins([[build('moved')]], [buildClient({ clientId: 'moved', ...elsewhere })]);
    expect(await origins.has(origin)).toBe(false);
  });

  it('are not looked up where a later page says that they moved elsewhere', async () => {
    const moved = buildClient({ clientId: 'moved', ...elsewhere });
    const { origins, listAsked } = openOrigins([[build('moved'), ...fullPage.slice(1)], [moved]], [moved]);
    expect(await origins.has(origin)).toBe(false);
    expect(listAsked()).toEqual([]);
  });

  it('have it as they were read where they cannot be looked up', async () => {
    const origins = createRegisteredOrigins({
      changedClients: { list: async () => [build('unknown')] },
      clients: { findRecent: () => Promise.reject(new Error('away')) },
      clientOrigins: noRows,
      clock: () => start,
      log: silentLog,
    });
    expect(await origins.has(origin)).toBe(true);
  });

  it('are read with a turn for everybody else between two pages', async () => {
    const { origins, left } = openOrigins([fullPage, fullPage, []], []);
    const reading = origins.has(origin);
    const turn = setImmediate().then(() => left.length);
    await reading;
    expect(await turn).toBe(2);
  });

  it('leave in the log why they could not be read', async () => {
    const warnings: unknown[] = [];
    const log = Object.create(silentLog, { warn: { value: (...line: unknown[]) => warnings.push(line) } });
    const away = new Error('away');
    const origins = createRegisteredOrigins({
      changedClients: { list: () => Promise.reject(away) },
      clients: { findRecent: async () => undefined },
      clientOrigins: noRows,
      clock: () => start,
      log,
    });
    expect(await origins.has(origin)).toBe(false);
    expect(warnings).toEqual([[{ err: away }, 'the origins of clients could not be read']]);
  });
});

describe.each(testDialects)('the registered origins on %s', (dialect) => {
  let test: TestStores;
  let changedClients: ChangedClientStore;
  /** How many clients each statement gave. */
  let pages: number[];
  let isAway: boolean;
  let now = start;
  beforeEach(async () => {
    now = start;
    test = await openStores(dialect);
    const store = createChangedClientStore(test.database);
    pages = [];
    isAway = false;
    changedClients = {
      async list(after, limit) {
        if (isAway) throw new Error('away');
        const page = await store.list(after, limit);
        pages.push(page.length);
        return page;
      },
    };
  });
  afterEach(() => test.close());

  const origin = 'https://page.example.com';
  const insert = async (fields: Partial<Client> = {}) => {
    const client = buildClient({ redirectUri: `${origin}/cb`, updatedAt: now, ...fields });
    expect(await test.clients.insert(client)).toBe(true);
    return client;
  };
  /** As a replica that just started. */
  const create = () =>
    createRegisteredOrigins({
      changedClients,
      clients: test.onReplica.clients,
      clientOrigins: createClientOriginStore(test.replica),
      clock: () => now,
      log: silentLog,
    });
  /** Until nothing that was read counts as recent. */
  const pass = async () => {
    now += 1000;
    await new Promise((resolve) => setTimeout(resolve, 800));
  };

  describe('of clients that registered themselves', () => {
    const dynamic = { tokenHash: Buffer.alloc(32, 7), initialToken: undefined, applicationType: undefined };
    const register = (fields: Partial<Client> = {}) =>
      insert({ dynamic, lapsesAt: now + 86_400_000, createdAt: now, ...fields });
    const countRows = async () => {
      const [row] = await test.database.query<{ n: number }>('SELECT COUNT(*) AS n FROM client_origins');
      return Number(row?.n);
    };

    it('are looked up, and never read into memory', async () => {
      const metadata = { redirect_uris: ['http://127.0.0.1:4000/cb'] };
      for (let index = 0; index < 20; index += 1) await register({ metadata });
      const origins = create();
      for (const one of [origin, 'http://127.0.0.1:4000']) expect(await origins.has(one)).toBe(true);
      expect(await origins.has('http://127.0.0.1:4001')).toBe(false);
      expect(pages).toEqual([0]);
    });

    it('cost one statement for all that are asked about within 25 ms, of all clients', async () => {
      await register();
      let statements = 0;
      const { findAll } = createClientOriginStore(test.database);
      const clientOrigins = {
        findAll(asked: readonly string[]) {
          statements += 1;
          return findAll(asked);
        },
      };
      const needs = { changedClients, clients: test.clients, clock: () => now, log: silentLog };
      const origins = createRegisteredOrigins({ ...needs, clientOrigins });
      const asked = Array.from({ length: 200 }, (_, index) => (index === 7 ? origin : `https://x${index}.example`));
      const ask = () => Promise.all(asked.map((one) => origins.has(one)));
      for (let time = 0; time < 3; time += 1) expect((await ask()).filter((isThere) => isThere)).toEqual([true]);
      expect(statements).toBe(1);
      expect(await origins.has(`https://${'x'.repeat(300)}.example`)).toBe(false);
      expect(statements).toBe(1);
    });

    it('follow a change, a deletion and a purge, and leave no row', async () => {
      const [moved, deleted, lapsed] = [await register(), await register(), await register({ lapsesAt: now + 1 })];
      const origins = create();
      expect(await origins.has(origin)).toBe(true);
      now += 2;
      const elsewhere = { ...moved, redirectUri: 'https://elsewhere.example.com/', updatedAt: now };
      expect(await test.clients.update(elsewhere, moved.updatedAt)).toBe(true);
      expect(await test.clients.delete(deleted)).toBe(true);
      expect(await test.lapsing.delete(lapsed, now)).toBe(true);
      await pass();
      expect([await origins.has(origin), await origins.has('https://elsewhere.example.com')]).toEqual([false, true]);
      expect(await countRows()).toBe(1);
      const back = { ...moved, updatedAt: elsewhere.updatedAt + 1 };
      expect(await test.clients.replace(elsewhere, back)).toBe(true);
      await pass();
      expect([await origins.has(origin), await origins.has('https://elsewhere.example.com')]).toEqual([true, false]);
    });

    it('keep what a later change added where an earlier one ends late', async () => {
      const client = await register();
      const later = { ...client, redirectUri: 'https://later.example.com/', updatedAt: now + 2 };
      expect(await test.clients.update({ ...client, updatedAt: now + 1 }, client.updatedAt)).toBe(true);
      expect(await test.onReplica.clients.update(later, now + 1)).toBe(true);
      await createClientOriginStore(test.database).deleteEarlier({ clientId: client.clientId, updatedAt: now + 1 });
      expect(await create().has('https://later.example.com')).toBe(true);
    });

    it('are none of rows that a killed process left, and none where the client_id was taken', async () => {
      const client = await register();
      await createClientOriginStore(test.database).put(buildClient({ redirectUri: 'https://killed.example.com/' }));
      const taken = { ...client, registrationId: buildClient().registrationId };
      expect(await test.clients.insert(taken)).toBe(false);
      const origins = create();
      expect([await origins.has('https://killed.example.com'), await origins.has(origin)]).toEqual([false, true]);
    });

    it('stay in memory where the release before registered the client, until it is changed', async () => {
      const client = await register();
      await test.database.execute('DELETE FROM client_origins', []);
      await test.database.execute('UPDATE clients SET origins_indexed = 0', []);
      const origins = create();
      expect(await origins.has(origin)).toBe(true);
      expect(pages).toEqual([1]);
      const changed = { ...client, updatedAt: now + 1 };
      expect(await test.clients.update(changed, client.updatedAt)).toBe(true);
      expect(await create().has(origin)).toBe(true);
      expect(pages).toEqual([1, 0]);
    });

    it('are counted, where no token was ever issued to them, by an index alone', async () => {
      if (dialect !== 'mysql') return;
      const sql = `EXPLAIN FORMAT=TRADITIONAL SELECT COUNT(*) AS clients FROM clients WHERE unused_hash >= x'00'`;
      const [plan] = await test.database.query<{ key: string }>(sql);
      expect(plan?.key).toBe('clients_unused');
    });
  });

  it('are read by one statement for all who ask within a second', async () => {
    await insert();
    const origins = create();
    const asked = Array.from({ length: 200 }, (_, index) =>
      origins.has(index === 7 ? origin : `https://x${index}.example`),
    );
    expect((await Promise.all(asked)).filter((isThere) => isThere)).toEqual([true]);
    for (const text of ['null', '', 'com.example.app:', 'https://']) expect(await origins.has(text)).toBe(false);
    expect(pages).toEqual([1]);
  });

  it('are read for those alone who ask', async () => {
    create();
    await pass();
    expect(pages).toEqual([]);
  });

  it('come page by page, also where many clients changed in the same millisecond', async () => {
    const total = 1_203;
    for (let index = 0; index < total; index += 50) {
      const some = Array.from({ length: Math.min(50, total - index) }, (_, offset) => index + offset);
      await Promise.all(some.map((one) => insert({ redirectUri: `https://a${one}.example/` })));
    }
    const origins = create();
    const found = await Promise.all(
      Array.from({ length: total }, (_, index) => origins.has(`https://a${index}.example`)),
    );
    expect(found.filter((isThere) => isThere)).toHaveLength(total);
    expect(pages).toEqual([500, 500, 203]);
  });

  it('follow what changed, by reading the clients of the last minute alone', async () => {
    const old = Array.from({ length: 30 }, (_, index) =>
      insert({ redirectUri: `https://old${index}.example/`, updatedAt: start - 60_001 }),
    );
    await Promise.all(old);
    const origins = create();
    expect(await origins.has(origin)).toBe(false);
    // A replica whose clock is late, or that hashed a secret in between.
    await insert({ updatedAt: start - 30_000 });
    await pass();
    expect(await origins.has(origin)).toBe(true);
    expect(pages).toEqual([30, 1]);
  });

  it('lose what no client has any more, and keep what another client has', async () => {
    const [one, two] = [
      // Too long ago to be read again with what changed.
      await insert({ clientId: 'first', updatedAt: start - 600_000 }),
      await insert({ clientId: 'second' }),
    ];
    const origins = create();
    expect(await origins.has(origin)).toBe(true);
    await test.clients.delete(two);
    await pass();
    expect(await origins.has(origin)).toBe(true);
    now += 1;
    await test.clients.update({ ...one, redirectUri: 'https://elsewhere.example.com/', updatedAt: now }, one.updatedAt);
    await pass();
    expect(await origins.has(origin)).toBe(false);
    expect(await origins.has('https://elsewhere.example.com')).toBe(true);
    await insert({ clientId: 'second' });
    await pass();
    expect(await origins.has(origin)).toBe(true);
  });

  it('are kept by each client that has them, whichever of the others goes first', async () => {
    const [, second, third] = [
      // Too long ago to be read again with what changed.
      await insert({ clientId: 'first', updatedAt: start - 600_000 }),
      await insert({ clientId: 'second', updatedAt: start - 600_000 }),
      await insert({ clientId: 'third', updatedAt: start - 600_000 }),
    ];
    const origins = create();
    expect(await origins.has(origin)).toBe(true);
    for (const client of [third, second]) {
      now += 1;
      const gone = { ...client, redirectUri: 'https://elsewhere.example.com/', updatedAt: now };
      await test.clients.update(gone, client.updatedAt);
      await pass();
      expect(await origins.has(origin)).toBe(true);
    }
  });

  it('are found behind hundreds of clients of the same origin that are gone', async () => {
    await insert({ clientId: 'stays' });
    const gone = await Promise.all(Array.from({ length: 350 }, () => insert({ updatedAt: start + 1 })));
    const origins = create();
    expect(await origins.has(origin)).toBe(true);
    await Promise.all(gone.map((client) => test.clients.delete(client)));
    await pass();
    expect(await origins.has(origin)).toBe(true);
  });

  it('are read again as a whole after an hour', async () => {
    const late = await insert({ updatedAt: start - 7_200_000, redirectUri: 'https://quiet.example/' });
    const origins = create();
    await origins.has(origin);
    await insert({ updatedAt: start - 7_200_000 });
    await pass();
    expect(await origins.has(origin)).toBe(false);
    now += 3_600_000;
    await pass();
    // Nobody waits for it: who comes next has it.
    await origins.has(origin);
    await pass();
    expect(await origins.has(origin)).toBe(true);
    expect(await origins.has(listOrigins(late)[0] ?? '')).toBe(true);
  });

  it('are none where the database was away from the start', async () => {
    await insert();
    isAway = true;
    expect(await create().has(origin)).toBe(false);
  });

  it('are read of rows without metadata and without a redirect URI', async () => {
    await insert({ clientId: 'plain' });
    await insert({ clientId: 'without', redirectUri: undefined });
    await test.database.execute('UPDATE clients SET metadata = NULL', []);
    expect(await create().has(origin)).toBe(true);
    expect(await changedClients.list({ clientId: '', updatedAt: 0 }, 2)).toEqual([
      { clientId: 'plain', updatedAt: now, redirectUri: `${origin}/cb`, metadata: {} },
      { clientId: 'without', updatedAt: now, redirectUri: undefined, metadata: {} },
    ]);
  });

  it('are those of all redirect URIs of a client', async () => {
    await insert({ metadata: { redirect_uris: ['https://another.example.com/cb'] } });
    const origins = create();
    expect([await origins.has(origin), await origins.has('https://another.example.com')]).toEqual([true, true]);
  });

  it('stay as they were where the database is away, and are there again once it is back', async () => {
    await insert();
    const origins = create();
    expect(await origins.has(origin)).toBe(true);
    isAway = true;
    await insert({ redirectUri: 'https://new.example/' });
    await pass();
    expect([await origins.has(origin), await origins.has('https://new.example')]).toEqual([true, false]);
    isAway = false;
    await pass();
    expect(await origins.has('https://new.example')).toBe(true);
  });
});
