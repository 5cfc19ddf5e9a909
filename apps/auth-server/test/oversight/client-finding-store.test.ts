import { createId } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createFillTerms, createTermStore } from '@gatehouse/service-kit/terms';
import { explainRows, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientFromRow } from '../../src/clients/client-row.ts';
import type { ClientRow } from '../../src/clients/client-table.ts';
import { findingTerms, termedClient } from '../../src/clients/client-terms.ts';
import { clientTermTable } from '../../src/clients/client-terms-table.ts';
import {
  type ClientFindingStore,
  createClientFindingStore,
} from '../../src/oversight/findings/client-finding-store.ts';
import { buildClient, start } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const day = 86_400_000;
const now = Date.now();
const later = now + 400 * day;
const mostListed = 25;

/** Each list, with the index that it reads. Of every list all 30 clients are. */
const lists: [string, string, (store: ClientFindingStore, limit: number) => Promise<unknown>][] = [
  ['a grant type', 'PRIMARY|autoindex', (store, limit) => store.listByGrantType('password', limit)],
  ['all roles', 'PRIMARY|autoindex', (store, limit) => store.listWithAllRoles(limit)],
  ['http', 'PRIMARY|autoindex', (store, limit) => store.listWithHttpRedirect(limit)],
  ['the age of secrets', 'PRIMARY|autoindex', (store, limit) => store.listWithSecretSince(later, limit)],
  [
    'the end of secrets',
    'client_uses_time',
    (store, limit) => store.listWithOverlap({ from: now - day, before: now + day }, day, limit),
  ],
  ['uses', 'client_uses_time', (store, limit) => store.listUnused(later, limit)],
];

describe.each(testDialects)('what is found of clients on %s', (dialect) => {
  let test: TestStores;
  const names = Array.from({ length: 30 }, (_, n) => `found-${String(n).padStart(2, '0')}`);

  beforeAll(async () => {
    test = await openStores(dialect);
    for (const clientId of names) {
      const previousSecret = { hash: '$argon2id$earlier', digest: undefined, expiresAt: now };
      const client = buildClient({ clientId, redirectUri: 'http://localhost/cb', previousSecret, secretSetAt: start });
      await test.clients.insert(client);
      await test.clientUses.put([
        { registrationId: client.registrationId, kind: 'token', usedAt: now },
        { registrationId: client.registrationId, kind: 'previous_secret', usedAt: now },
      ]);
    }
    // None of these is there any more, and these are not looked for.
    const others = Array.from({ length: 2_000 }, (_, n) => ['filler', `filler-${n}`, start]);
    const marks = others.map(() => '(?, ?, ?)').join(', ');
    await test.database.execute(
      `INSERT INTO client_terms (term, client_id, written_at) VALUES ${marks}`,
      others.flat(),
    );
    if (dialect === 'mysql') await test.database.query('ANALYZE TABLE client_terms, clients, client_uses');
  });
  afterAll(() => test.close());

  const explain = async (act: (store: ClientFindingStore) => Promise<unknown>) => {
    const word = dialect === 'mysql' ? explainRows : 'EXPLAIN QUERY PLAN';
    const plans: Record<string, unknown>[] = [];
    const explaining: Database = {
      ...test.database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        plans.push(...(await test.database.query<Record<string, unknown>>(`${word} ${sql}`, parameters)));
        return test.database.query<Row>(sql, parameters);
      },
    };
    await act(createClientFindingStore(explaining));
    return plans;
  };
  const isByIndex = (step: Record<string, unknown>) =>
    dialect === 'mysql'
      ? step.key !== null ||
        /^<derived/.test(String(step.table)) ||
        /Impossible|no matching row/.test(String(step.Extra))
      : !/^SCAN (?![notu]$)|TEMP B-TREE/.test(String(step.detail));

  it.each(lists)('by %s: to a bound, by an index', async (_what, index, list) => {
    const store = createClientFindingStore(test.database);
    expect(await list(store, mostListed)).toEqual({ ids: names.slice(0, mostListed), isExact: false });
    expect(await list(store, names.length)).toEqual({ ids: names, isExact: true });
    const plans = await explain((explained) => list(explained, mostListed));
    expect(plans.length).toBeGreaterThan(1);
    expect(plans.filter((step) => !isByIndex(step))).toEqual([]);
    expect(JSON.stringify(plans)).toMatch(new RegExp(index));
    expect(JSON.stringify(plans)).not.toMatch(/filesort/i);
  });

  it('by no use at all: where uses were noted then, by the index of registrations', async () => {
    const store = createClientFindingStore(test.database);
    await test.clients.insert(buildClient({ clientId: 'never' }));
    await test.clients.insert(buildClient({ clientId: 'never-disabled', enabled: false }));
    expect(await store.listNeverUsed(now + day, 10)).toEqual({ ids: [], isExact: true });
    await test.clientUses.begin(now);
    // Another start changes nothing.
    await test.clientUses.begin(now + 2 * day);
    expect(await store.listNeverUsed(now + day, 10)).toEqual({ ids: ['never'], isExact: true });
    expect(await store.listNeverUsed(now - day, 10)).toEqual({ ids: [], isExact: true });
    await test.clients.insert(buildClient({ clientId: 'never-also', registrationId: createId() }));
    expect(await store.listNeverUsed(now + day, 1)).toEqual({ ids: ['never'], isExact: false });
    const plans = await explain((explained) => explained.listNeverUsed(now + day, 10));
    expect(plans.filter((step) => !isByIndex(step))).toEqual([]);
    expect(JSON.stringify(plans)).toMatch(/clients_registration/);
    expect(JSON.stringify(plans)).not.toMatch(/filesort/i);
  });

  it('by terms that a release before did not write, once these are filled', async () => {
    await test.database.execute('DELETE FROM client_terms WHERE client_id LIKE ?', ['found-%']);
    await test.database.execute('UPDATE clients SET terms_at = 0');
    const store = createClientFindingStore(test.database);
    expect(await store.listWithHttpRedirect(100)).toEqual({ ids: [], isExact: true });
    const fill = createFillTerms<ClientRow>({
      ...{ database: test.database, table: clientTermTable, terms: createTermStore(test.database, clientTermTable) },
      ...{ clock: () => start, read: (row) => termedClient(clientFromRow(row)) },
    });
    await fill(new AbortController().signal);
    expect((await store.listWithHttpRedirect(100)).ids).toEqual(names);
  });
});

describe('the terms of findings', () => {
  const termsOf = (fields: Parameters<typeof buildClient>[0]) =>
    termedClient(buildClient({ ceilingGivenAt: start, ...fields })).terms.filter((term) =>
      /^=(finding|secret)/.test(term),
    );
  const secretSince = (instant: number) => findingTerms.secretSince(instant);

  it.each([
    ['a secret whose time is known', { secretSetAt: start + day }, [secretSince(start + day)]],
    [
      'a secret that replaced another one, at the latest when that one ended',
      { previousSecret: { hash: 'x', digest: undefined, expiresAt: start + 2 * day } },
      [secretSince(start + 2 * day)],
    ],
    ['a secret that came with the client', {}, [secretSince(start)]],
    ['no secret', { secretHash: undefined }, []],
    ['no secret, and http to an address', { secretHash: undefined, redirectUri: 'http://[::1]:80/' }, []],
    [
      'no secret, and http to a name',
      { secretHash: undefined, redirectUri: 'http://localhost/' },
      [findingTerms.httpRedirect],
    ],
    [
      'a key, and http to an address',
      {
        ...{ secretHash: undefined, redirectUri: 'http://127.0.0.1/' },
        metadata: { token_endpoint_auth_method: 'private_key_jwt' as const },
      },
      [findingTerms.httpRedirect],
    ],
    ['a scheme of its own', { secretHash: undefined, redirectUri: 'com.example.app:/cb' }, []],
    ['all roles that nobody gave', { secretHash: undefined, ceilingGivenAt: undefined }, [findingTerms.allRoles]],
    ['fewer roles', { secretHash: undefined, ceilingGivenAt: undefined, ceiling: [] }, []],
    ['all of it, and is disabled', { ceilingGivenAt: undefined, redirectUri: 'http://localhost/', enabled: false }, []],
  ])('of a client with %s', (_what, fields, terms) => {
    expect(termsOf(fields)).toEqual(terms);
  });

  it('are in the order of days', () => {
    const days = [start, start + day, start + 200 * day].map(secretSince);
    expect([findingTerms.secretSinceEver, ...days].sort()).toEqual([findingTerms.secretSinceEver, ...days]);
  });
});
