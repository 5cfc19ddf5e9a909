import { createId } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listExpiresAt, type TokenStatus } from '../../src/protocol/token-status.ts';
import type { EndOfExchanged, GrantStatus } from '../../src/status-lists/grant-status.ts';
import { createGrantStatusStore } from '../../src/status-lists/grant-status-store.ts';
import { openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('grant status store on %s', (dialect) => {
  let test: TestStores;
  let lastList = 700_000;

  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const nextList = () => {
    lastList += 1;
    return lastList;
  };
  const build = (status: TokenStatus, changes: Partial<GrantStatus> = {}): GrantStatus => ({
    status,
    grantId: createId(),
    subject: { listId: nextList(), index: 7 },
    registrationId: createId(),
    generation: 0,
    ...changes,
  });
  const revokedOf = async (listId: number) => {
    const { revoked } = await test.statuses.read(listId);
    return revoked.map(({ first, size }) => [first, size]).sort((one, other) => Number(one[0]) - Number(other[0]));
  };

  it('gives back with what a token ends, of a chain each', async () => {
    const listId = nextList();
    const [one, other] = [build({ listId, index: 1 }), build({ listId, index: 1 }, { generation: 3 })];
    await test.grantStatuses.insert([one, other, build({ listId, index: 2 })]);
    expect(await test.grantStatuses.listOf({ listId, index: 1 })).toEqual(expect.arrayContaining([one, other]));
    expect(await test.grantStatuses.listOf({ listId, index: 1 })).toHaveLength(2);
    expect(await test.grantStatuses.listOf({ listId, index: 3 })).toEqual([]);
  });

  it.each<[string, (status: GrantStatus) => EndOfExchanged]>([
    ['grant', ({ grantId }) => ({ grantId })],
    ['subject token', ({ subject }) => ({ subject })],
    ['registration', ({ registrationId }) => ({ registrationId, beforeGeneration: undefined })],
    ['registration before a generation', ({ registrationId }) => ({ registrationId, beforeGeneration: 1 })],
  ])('revokes by the %s, each token once, and no other', async (_what, endOf) => {
    const listId = nextList();
    const ended = build({ listId, index: 4 });
    const others = [build({ listId, index: 5 }), build({ listId, index: 6 })];
    const again = { ...ended, status: { listId, index: 8 } };
    // The token of index 4 has two rows, as at the end of a chain.
    const second = { ...ended, subject: { ...ended.subject, index: 9 } };
    await test.grantStatuses.insert([ended, second, ...others, again]);
    expect(await test.grantStatuses.listLists(endOf(ended))).toEqual([listId]);
    await test.grantStatuses.revoke(endOf(ended));
    await test.grantStatuses.revoke(endOf(ended));
    expect(await revokedOf(listId)).toEqual([
      [4, 1],
      [8, 1],
    ]);
    expect(await test.statuses.isRevoked({ listId, index: 4 })).toBe(true);
    expect(await test.statuses.isRevoked({ listId, index: 5 })).toBe(false);
  });

  it('leaves the tokens of a later generation', async () => {
    const listId = nextList();
    const registrationId = createId();
    const of = (index: number, generation: number) => build({ listId, index }, { registrationId, generation });
    await test.grantStatuses.insert([of(0, 0), of(1, 1), of(2, 2)]);
    await test.grantStatuses.revoke({ registrationId, beforeGeneration: 2 });
    expect(await revokedOf(listId)).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it('revokes the rest where one is revoked already', async () => {
    const listId = nextList();
    const grantId = createId();
    await test.grantStatuses.insert([0, 1, 2].map((index) => build({ listId, index }, { grantId })));
    await test.statuses.revoke({ listId, first: 1, size: 1, expiresAt: listExpiresAt(listId) });
    await test.grantStatuses.revoke({ grantId });
    expect(await revokedOf(listId)).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  it('revokes a thousand by one statement, at two replicas at the same moment', async () => {
    const listId = nextList();
    const grantId = createId();
    const indices = Array.from({ length: 1_000 }, (_, index) => index);
    await test.grantStatuses.insert(indices.map((index) => build({ listId, index }, { grantId })));
    const { grantStatuses: replica } = test.onReplica;
    await Promise.all([1, 2, 3].flatMap(() => [test.grantStatuses.revoke({ grantId }), replica.revoke({ grantId })]));
    expect(await revokedOf(listId)).toHaveLength(1_000);
  });

  describe('numbers what one statement revokes, so that those who wait for the list are told', () => {
    const reserve = (listId: number) =>
      test.statuses.reserve({
        ...{ listId, registrationId: createId(), generation: 0, size: 4_096 },
        expiresAt: listExpiresAt(listId),
      });
    const changesOf = async (listId: number) => (await test.onReplica.statuses.readExtents([listId]))[0]?.changes;
    const insertMany = async (listId: number, first: number, count: number) => {
      const grantId = createId();
      const indices = Array.from({ length: count }, (_, index) => first + index);
      await test.grantStatuses.insert(indices.map((index) => build({ listId, index }, { grantId })));
      return grantId;
    };
    const numbersOf = async (listId: number) => {
      const sql = 'SELECT change_number FROM status_revocations WHERE list_id = ?';
      const rows = await test.database.query<{ change_number: number }>(sql, [listId]);
      return rows.map((row) => row.change_number).sort((one, other) => other - one);
    };

    it('by another number each time, and of many rows one', async () => {
      const listId = nextList();
      await reserve(listId);
      const seen = [await changesOf(listId)];
      // No statement is late, however busy the machine is.
      const grantStatuses = createGrantStatusStore(test.database, () => 1_000);
      for (const first of [0, 300, 600]) {
        await grantStatuses.revoke({ grantId: await insertMany(listId, first, 300) });
        seen.push(await changesOf(listId));
      }
      expect(new Set(seen).size).toBe(4);
      const numbers = await numbersOf(listId);
      expect([numbers.slice(0, 3), new Set(numbers.slice(3))]).toEqual([[3, 2, 1], new Set([1])]);
    });

    it('in each of several lists', async () => {
      const [one, other] = [nextList(), nextList()];
      const grantId = createId();
      await test.grantStatuses.insert(
        [one, other, other].map((listId, index) => build({ listId, index }, { grantId })),
      );
      await test.statuses.revoke({ listId: other, first: 9, size: 1, expiresAt: listExpiresAt(other) });
      await test.grantStatuses.revoke({ grantId });
      expect([await numbersOf(one), await numbersOf(other)]).toEqual([[1], [2, 1, 1]]);
    });

    it('again where the statement took so long that others came between', async () => {
      const listId = nextList();
      await reserve(listId);
      const grantId = await insertMany(listId, 1_000, 3);
      let time = 0;
      const seen: unknown[] = [];
      const execute: Database['execute'] = async (sql, ...rest) => {
        const changed = await test.database.execute(sql, ...rest);
        if (sql.startsWith('INSERT')) {
          time += 50;
          // More than a look compares, each after the one before.
          const sqlOfMany = 'INSERT INTO status_revocations (list_id, first_index, size, expires_at, change_number)';
          const values = Array.from({ length: 300 }, (_, index) => `(${listId}, ${index}, 1, 0, ${index + 2})`);
          await test.database.execute(`${sqlOfMany} VALUES ${values.join(', ')}`, []);
          seen.push(await changesOf(listId));
        }
        return changed;
      };
      await createGrantStatusStore({ ...test.database, execute }, () => time).revoke({ grantId });
      seen.push(await changesOf(listId));
      expect(new Set(seen).size).toBe(2);
    });
  });

  it('finds nothing where nothing was exchanged', async () => {
    expect(await test.grantStatuses.listLists({ grantId: createId() })).toEqual([]);
    await test.grantStatuses.revoke({ grantId: createId() });
    await test.grantStatuses.insert([]);
  });
});
