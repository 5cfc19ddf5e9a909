import { createId, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { explainRows, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConsentStore } from '../../src/consent/consent-store.ts';
import { createRefreshTokenStore } from '../../src/tokens/refresh-token-store.ts';
import { buildRefreshToken, start } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const lowestId = '00000000-0000-7000-8000-000000000000';

describe.each(testDialects)('the grants and consents of a client, on %s', (dialect) => {
  let test: TestStores;
  const registrationId = createId();
  const place = lowestId;

  beforeAll(async () => {
    test = await openStores(dialect);
    const inserting = Array.from({ length: 1_200 }, (_, n) =>
      test.refreshTokens.insert(buildRefreshToken({ ...(n % 3 === 0 && { registrationId }) })),
    );
    await Promise.all(inserting);
    const rows = Array.from({ length: 1_200 }, (_, n) => [
      ...[createId(), idToBytes(n % 3 === 0 ? registrationId : createId()), `client-${n}`, 'openid', start],
    ]);
    const marks = rows.map(() => '(?, ?, ?, ?, ?)').join(', ');
    const columns = 'user_id, registration_id, client_id, scope, granted_at';
    await test.database.execute(`INSERT INTO consents (${columns}) VALUES ${marks}`, rows.flat());
    if (dialect === 'mysql') await test.database.query('ANALYZE TABLE refresh_tokens, consents');
  });
  afterAll(() => test.close());

  /** The plans of all statements. */
  const explain = async (act: (database: Database) => Promise<unknown>) => {
    const plans: Record<string, unknown>[] = [];
    const word = dialect === 'mysql' ? explainRows : 'EXPLAIN QUERY PLAN';
    await act({
      ...test.database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        plans.push(...(await test.database.query<Record<string, unknown>>(`${word} ${sql}`, parameters)));
        return test.database.query<Row>(sql, parameters);
      },
    });
    return plans;
  };

  it.each([undefined, place])('are read by the index of registrations, after %j', async (after) => {
    const plans = await explain(async (database) => {
      const tokens = createRefreshTokenStore(database);
      expect(await tokens.listLiveOfClient(registrationId, { after, limit: 50, now: start })).toHaveLength(50);
      const consents = createConsentStore(database);
      expect(await consents.listOfClient(registrationId, { after, limit: 50 })).toHaveLength(50);
    });
    for (const index of ['refresh_tokens_registration', 'consents_registration']) {
      expect(JSON.stringify(plans)).toContain(index);
    }
    // SQLite keeps the keys of a table beside its rows, so it sorts what it found.
    if (dialect === 'mysql') expect(JSON.stringify(plans)).not.toMatch(/filesort|temporary/i);
  });

  it('come page by page, each once', async () => {
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await test.refreshTokens.listLiveOfClient(registrationId, { after, limit: 150, now: start });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1)?.id;
    } while (after !== undefined && seen.length < 1_000);
    expect(seen).toHaveLength(400);
    expect(seen).toEqual([...new Set(seen)].sort());
  });

  it('are not those that have expired', async () => {
    const now = start + 3_600_000;
    expect(await test.refreshTokens.listLiveOfClient(registrationId, { after: undefined, limit: 50, now })).toEqual([]);
  });

  it('say when a token that stays the same was used, unless one came before it', async () => {
    const change = { endsAt: start + 9, expiresAt: start + 9, status: { listId: 1, index: 1 }, outdated: [] };
    const earlier = { previousSecretHash: Buffer.alloc(32, 1), rotatedAt: start - 5 };
    for (const [fields, rotatedAt] of [
      [{}, start + 1],
      [earlier, start - 5],
    ] as const) {
      const token = buildRefreshToken(fields);
      await test.refreshTokens.insert(token);
      const stay = { ...change, now: start + 1, secretHash: token.secretHash };
      expect(await test.refreshTokens.stay(token.id, stay)).toBe(true);
      expect(await test.refreshTokens.find(token.id)).toMatchObject({ rotatedAt });
    }
  });
});
