import { createId, idToBytes } from '@gatehouse/service-kit';
import { insertRow } from '@gatehouse/service-kit/database';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countInForce, endEverything } from '../../src/schema/end-everything.ts';
import { authServerEntities } from '../../src/schema/tables.ts';
import {
  buildClient,
  buildCode,
  buildConsent,
  buildDeviceCode,
  buildParticipant,
  buildPushedRequest,
  buildRefreshToken,
  buildSession,
  buildUpstream,
  start,
} from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

/** The tables that stay: what was registered and allowed, what ends by itself, and what only counts. */
const kept = [
  'audit_events',
  'client_logos',
  'client_origins',
  'client_terms',
  'client_uses',
  'clients',
  'consents',
  'failed_attempts',
  'grant_statuses',
  'initial_access_tokens',
  'issuers',
  'known_networks',
  'refusals',
  'request_budgets',
  'resource_scopes',
  'resources',
  'revocations',
  'status_blocks',
  'status_revocations',
  'upstream_domains',
  'upstreams',
  'usage_counts',
  'used_identifiers',
];

describe.each(testDialects)('the end of everything on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
    const { database } = test;
    await test.clients.insert(buildClient());
    await test.consents.put(buildConsent());
    await test.upstreams.insert(buildUpstream());
    await test.codes.insert(buildCode());
    await test.deviceCodes.insert(buildDeviceCode());
    await test.pushedRequests.insert(buildPushedRequest());
    await test.refreshTokens.insert(buildRefreshToken());
    await test.refreshTokens.insert(buildRefreshToken());
    await test.sessions.insert(buildSession());
    await test.participants.insert(buildParticipant());
    const common = { user_id: 'user', password_changed_at: 1, label: 'Chrome', network: '192.0.2.1' };
    await insertRow(database, 'remembered_browsers', {
      ...{ id: idToBytes(createId()), token_hash: Buffer.alloc(32), ...common },
      ...{ created_at: start, last_used_at: start, expires_at: start + 1 },
    });
    await insertRow(database, 'upstream_attempts', {
      ...{ state_hash: Buffer.alloc(32), id: idToBytes(createId()), upstream_id: idToBytes(createId()) },
      ...{ browser_hash: Buffer.alloc(32), place: 'oauth', carried: '', client_id: null, max_age: null },
      ...{ status: 'open', account: null, began_at: start, expires_at: start + 1 },
    });
    await insertRow(database, 'signing_keys', {
      ...{ kid: 'key', algorithm: 'ES256', generation: 1, public_jwk: '{}', encrypted_private_key: 'v1.' },
      ...{ publish_at: start, sign_from: start, expires_at: start + 1 },
    });
  });
  afterAll(() => test.close());

  const count = async (table: string) => {
    const [row] = await test.database.query<{ found: unknown }>(`SELECT COUNT(*) AS found FROM ${table}`);
    return Number(row?.found);
  };

  it('counts first what is in force, and when the last of it ends', async () => {
    const inForce = await countInForce(test.database, start);
    expect(inForce.map(({ table }) => table).sort()).toEqual([
      'authorization_codes',
      'browser_sessions',
      'device_codes',
      'pushed_requests',
      'refresh_tokens',
      'remembered_browsers',
      'session_participants',
      'signing_keys',
      'upstream_attempts',
    ]);
    expect(inForce.find(({ table }) => table === 'refresh_tokens')).toMatchObject({ rows: 2 });
    expect(inForce.find(({ table }) => table === 'signing_keys')).toMatchObject({ rows: 1, lastUntil: start + 1 });
    expect(await countInForce(test.database, start * 2)).toEqual([]);
  });

  it('takes every row of what was issued or began, and no other; each table is one or the other', async () => {
    const deleted = await endEverything(test.database);
    expect(deleted).toMatchObject({ signing_keys: 1, refresh_tokens: 2, browser_sessions: 1, upstream_attempts: 1 });
    expect(Object.keys(deleted)[0]).toBe('signing_keys');
    const all = authServerEntities(dialect).map(({ tableName }) => String(tableName));
    expect([...Object.keys(deleted), ...kept].sort()).toEqual(all.sort());
    for (const table of Object.keys(deleted)) expect([table, await count(table)]).toEqual([table, 0]);
    for (const table of ['clients', 'consents', 'upstreams']) expect([table, await count(table)]).toEqual([table, 1]);
    expect(Object.values(await endEverything(test.database)).every((rows) => rows === 0)).toBe(true);
  });
});
