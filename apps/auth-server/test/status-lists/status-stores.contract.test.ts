import { createId, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listExpiresAt } from '../../src/protocol/token-status.ts';
import { createStatusRevocationStore } from '../../src/status-lists/status-revocation-store.ts';
import { createStatusStore, type StatusStore } from '../../src/status-lists/status-store.ts';
import { openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('status store on %s', (dialect) => {
  let test: TestStores;
  let statuses: StatusStore;
  let replica: StatusStore;
  let lastList = 500_000;

  beforeAll(async () => {
    test = await openStores(dialect);
    statuses = test.statuses;
    replica = test.onReplica.statuses;
  });
  afterAll(() => test.close());

  /** A list that no other test uses. */
  const nextList = () => {
    lastList += 1;
    return { listId: lastList, expiresAt: listExpiresAt(lastList) };
  };
  const reserve = (
    list: ReturnType<typeof nextList>,
    {
      registrationId = createId(),
      generation = 0,
      size = 16,
      at = statuses,
    }: Partial<{
      registrationId: string;
      generation: number;
      size: number;
      at: StatusStore;
    }> = {},
  ) => at.reserve({ ...list, registrationId, generation, size });

  it('reserves blocks one after the other, from 0, whatever their size', async () => {
    const list = nextList();
    const firsts = [];
    for (const size of [16, 64, 1, 4_096, 16]) firsts.push(await reserve(list, { size }));
    expect(firsts).toEqual([0, 16, 80, 81, 4_177]);
    expect((await statuses.read(list.listId)).length).toBe(4_193);
  });

  it('knows for which registration an index was reserved, and which nobody reserved', async () => {
    const list = nextList();
    const [one, other] = [createId(), createId()];
    await reserve(list, { registrationId: one, size: 4 });
    await reserve(list, { registrationId: other, size: 2 });
    const ask = (index: number) => replica.findRegistration({ listId: list.listId, index });
    expect(await Promise.all([0, 3, 4, 5, 6].map(ask))).toEqual([one, one, other, other, undefined]);
    expect(await replica.findRegistration({ listId: list.listId + 9_999, index: 0 })).toBeUndefined();
  });

  it('counts each list for itself', async () => {
    const [one, other] = [nextList(), nextList()];
    await reserve(one);
    expect(await reserve(other)).toBe(0);
    expect(await reserve(one)).toBe(16);
  });

  it('reserves thirty-two blocks at the same moment, by two replicas, without one index twice', async () => {
    const list = nextList();
    const sizes = Array.from({ length: 32 }, (_, turn) => [16, 64, 256, 1][turn % 4] ?? 1);
    const firsts = await Promise.all(
      sizes.map((size, turn) => reserve(list, { size, at: turn % 2 === 0 ? statuses : replica })),
    );
    const indices = firsts.flatMap((first, turn) => Array.from({ length: sizes[turn] ?? 0 }, (_, at) => first + at));
    expect(new Set(indices).size).toBe(indices.length);
    // Nor is one left out, which would make the list longer than it need be.
    expect(Math.max(...indices)).toBe(indices.length - 1);
    expect(await replica.read(list.listId)).toEqual({ length: indices.length, revoked: [] });
  });

  it('reserves blocks for seven hundred clients that come at the same moment to two replicas', async () => {
    const list = nextList();
    const firsts = await Promise.all(
      Array.from({ length: 700 }, (_, turn) => reserve(list, { at: turn % 2 === 0 ? statuses : replica })),
    );
    expect(firsts.sort((a, b) => a - b)).toEqual(firsts.map((_, turn) => turn * 16));
  });

  it('reserves by one statement what is asked for while another one runs', async () => {
    const list = nextList();
    let statements = 0;
    const execute: Database['execute'] = (...statement) => {
      statements += 1;
      return test.database.execute(...statement);
    };
    const counted = createStatusStore({ ...test.database, execute }, Math.random);
    const firsts = await Promise.all(Array.from({ length: 20 }, () => reserve(list, { at: counted })));
    expect(firsts).toEqual(firsts.map((_, turn) => turn * 16));
    expect(statements).toBe(2);
  });

  it('gives up, rather than try for ever, where every block it tries for is taken before', async () => {
    const list = nextList();
    await reserve(list);
    // A database that never shows the blocks that are there.
    let looks = 0;
    const query = async () => {
      looks += 1;
      return [];
    };
    const blind = createStatusStore({ ...test.database, query }, () => 0);
    await expect(reserve(list, { at: blind })).rejects.toThrow(/no block .* could be reserved/);
    expect(looks).toBe(50);
    expect((await statuses.read(list.listId)).length).toBe(16);
  });

  it('lists the blocks of a registration, of every list, and of nobody else', async () => {
    const registrationId = createId();
    const [one, other] = [nextList(), nextList()];
    await reserve(one);
    await reserve(one, { registrationId });
    await reserve(one, { registrationId, size: 64 });
    await reserve(other, { registrationId });
    const blocks = await statuses.listBlocks(registrationId);
    expect(blocks.sort((a, b) => a.listId - b.listId || a.first - b.first)).toEqual([
      { listId: one.listId, first: 16, size: 16 },
      { listId: one.listId, first: 32, size: 64 },
      { listId: other.listId, first: 0, size: 16 },
    ]);
    expect(await statuses.listBlocks(createId())).toEqual([]);
  });

  it('lists the blocks of the generations before one', async () => {
    const registrationId = createId();
    const list = nextList();
    for (const generation of [0, 1, 1, 2]) await reserve(list, { registrationId, generation });
    const firstsBefore = async (generation?: number) =>
      (await replica.listBlocks(registrationId, generation)).map(({ first }) => first).sort((a, b) => a - b);
    expect(await firstsBefore(0)).toEqual([]);
    expect(await firstsBefore(1)).toEqual([0]);
    expect(await firstsBefore(2)).toEqual([0, 16, 32]);
    expect(await firstsBefore()).toEqual([0, 16, 32, 48]);
  });

  it('takes a block of the release before for one of the first generation', async () => {
    const registrationId = createId();
    const { listId, expiresAt } = nextList();
    await test.database.execute(
      'INSERT INTO status_blocks (list_id, first_index, size, registration_id, expires_at) VALUES (?, ?, ?, ?, ?)',
      [listId, 0, 16, idToBytes(registrationId), expiresAt],
    );
    expect(await statuses.listBlocks(registrationId, 1)).toEqual([{ listId, first: 0, size: 16 }]);
  });

  it('revokes single indices and whole ranges, each once however often it is asked', async () => {
    const list = nextList();
    await reserve(list, { size: 64 });
    for (const range of [
      { first: 5, size: 1 },
      { first: 5, size: 1 },
      { first: 0, size: 16 },
      { first: 5, size: 16 },
    ])
      await statuses.revoke({ ...list, ...range });
    const { length, revoked } = await replica.read(list.listId);
    expect(length).toBe(64);
    expect(revoked.sort((a, b) => a.first - b.first || a.size - b.size)).toEqual([
      { first: 0, size: 16 },
      { first: 5, size: 1 },
      { first: 5, size: 16 },
    ]);
  });

  it('knows of each index whether it was revoked, in its own list', async () => {
    const [list, other] = [nextList(), nextList()];
    await statuses.revoke({ ...list, first: 3, size: 1 });
    const asked = [3, 4].flatMap((index) => [list, other].map(({ listId }) => ({ listId, index })));
    const known = await Promise.all(asked.map((status) => replica.isRevoked(status)));
    expect(known).toEqual([true, false, false, false]);
  });

  it('revokes the same index sixteen times at the same moment', async () => {
    const list = nextList();
    await reserve(list);
    const revoking = Array.from({ length: 16 }, (_, turn) =>
      (turn % 2 === 0 ? statuses : replica).revoke({ ...list, first: 3, size: 1 }),
    );
    await expect(Promise.all(revoking)).resolves.toHaveLength(16);
    expect((await statuses.read(list.listId)).revoked).toEqual([{ first: 3, size: 1 }]);
  });

  it('reads a list that nothing was reserved of as empty', async () => {
    expect(await statuses.read(nextList().listId)).toEqual({ length: 0, revoked: [] });
  });

  it('keeps the lists apart when it reads', async () => {
    const [one, other] = [nextList(), nextList()];
    for (const list of [one, other]) await reserve(list);
    await statuses.revoke({ ...one, first: 1, size: 1 });
    expect((await statuses.read(other.listId)).revoked).toEqual([]);
  });

  it('tells by one statement how much there is of each list, and nothing of one that there is not', async () => {
    const [one, other, none] = [nextList(), nextList(), nextList()];
    await reserve(one, { size: 64 });
    await reserve(one, { size: 16 });
    await reserve(other);
    // What was revoked of a list of which nothing is reserved is no list.
    for (const list of [one, none]) await statuses.revoke({ ...list, first: 3, size: 1 });
    await statuses.revoke({ ...one, first: 3, size: 1 });
    await statuses.revoke({ ...one, first: 3, size: 16 });
    const extents = await replica.readExtents([one.listId, none.listId, other.listId]);
    const changes = expect.any(String);
    expect(extents.sort((a, b) => a.listId - b.listId)).toEqual([
      { listId: one.listId, length: 80, changes },
      { listId: other.listId, length: 16, changes },
    ]);
    expect(await replica.readExtents([])).toEqual([]);
  });

  describe('tells of a change of a list', () => {
    const changesOf = async (list: { listId: number }, at = replica) =>
      (await at.readExtents([list.listId]))[0]?.changes;
    /** As a replica of the release before does. */
    const insertUnnumbered = ({ listId, expiresAt }: ReturnType<typeof nextList>, first: number) =>
      test.database.execute(
        'INSERT INTO status_revocations (list_id, first_index, size, expires_at) VALUES (?, ?, 1, ?)',
        [listId, first, expiresAt],
      );
    const createSlow = (duringInsert: () => Promise<unknown>, took: number) => {
      let time = 0;
      const execute: Database['execute'] = async (sql, ...rest) => {
        if (sql.startsWith('INSERT')) {
          await duringInsert();
          time += took;
        }
        return test.database.execute(sql, ...rest);
      };
      return createStatusRevocationStore({ ...test.database, execute }, () => time);
    };

    it('after each revocation, by either replica, whichever of the two looks', async () => {
      const list = nextList();
      await reserve(list);
      const seen = [await changesOf(list)];
      for (let first = 0; first < 12; first += 1) {
        await (first % 3 === 0 ? statuses : replica).revoke({ ...list, first, size: 1 });
        expect(await changesOf(list, statuses)).toBe(await changesOf(list));
        seen.push(await changesOf(list));
      }
      expect(new Set(seen).size).toBe(13);
    });

    it('and of none after the revocation of what was revoked, or of another list', async () => {
      const [list, other] = [nextList(), nextList()];
      await reserve(list);
      await statuses.revoke({ ...list, first: 3, size: 1 });
      const before = await changesOf(list);
      await replica.revoke({ ...list, first: 3, size: 1 });
      await replica.revoke({ ...other, first: 4, size: 1 });
      expect(await changesOf(list)).toBe(before);
    });

    it('after each of forty at the same moment', async () => {
      const list = nextList();
      await reserve(list, { size: 64 });
      const seen = new Set([await changesOf(list)]);
      const revoking = Array.from({ length: 40 }, async (_, first) => {
        await (first % 2 === 0 ? statuses : replica).revoke({ ...list, first, size: 1 });
      });
      await Promise.all(revoking);
      for (let first = 40; first < 44; first += 1) {
        seen.add(await changesOf(list));
        await statuses.revoke({ ...list, first, size: 1 });
      }
      expect(seen.size).toBe(5);
      expect((await statuses.read(list.listId)).revoked).toHaveLength(44);
    });

    it('after a revocation by a replica of the release before, which gives no number', async () => {
      const list = nextList();
      await reserve(list);
      const seen = [await changesOf(list)];
      await insertUnnumbered(list, 1);
      seen.push(await changesOf(list));
      await statuses.revoke({ ...list, first: 2, size: 1 });
      seen.push(await changesOf(list));
      await insertUnnumbered(list, 3);
      seen.push(await changesOf(list));
      expect(new Set(seen).size).toBe(4);
    });

    it('and of none after a late revocation of what was revoked', async () => {
      const list = nextList();
      await reserve(list);
      await statuses.revoke({ ...list, first: 3, size: 1 });
      await statuses.revoke({ ...list, first: 4, size: 1 });
      const before = await changesOf(list);
      await createSlow(async () => {}, 50).add({ ...list, first: 3, size: 1 });
      expect(await changesOf(list)).toBe(before);
    });

    it('after a revocation that is stored later than two hundred that began after it', async () => {
      const list = nextList();
      await reserve(list, { size: 1024 });
      const others = async () => {
        for (let first = 1; first <= 200; first += 1) await statuses.revoke({ ...list, first, size: 1 });
      };
      let before: unknown;
      const quick = createSlow(async () => {
        await others();
        before = await changesOf(list);
      }, 49);
      await quick.add({ ...list, first: 0, size: 1 });
      expect(await changesOf(list)).not.toBe(before);
    });

    it('after a revocation that is stored later than a thousand others', async () => {
      const list = nextList();
      await reserve(list, { size: 4096 });
      let before: unknown;
      const late = createSlow(async () => {
        // Each has a number greater than that of the one before.
        const rows = Array.from({ length: 2_000 }, (_, index) => [
          list.listId,
          index + 1,
          1,
          list.expiresAt,
          index + 2,
        ]);
        const marks = rows.map(() => '(?, ?, ?, ?, ?)').join(', ');
        const sql = `INSERT INTO status_revocations (list_id, first_index, size, expires_at, change_number) VALUES ${marks}`;
        await test.database.execute(sql, rows.flat());
        before = await changesOf(list);
      }, 50);
      await late.add({ ...list, first: 0, size: 1 });
      expect(await changesOf(list)).not.toBe(before);
    });
  });

  it('takes the list ids and the indices of the far future', async () => {
    const list = { listId: 2 ** 31 - 1, expiresAt: listExpiresAt(2 ** 31 - 1) };
    expect(await reserve(list)).toBe(0);
    await statuses.revoke({ ...list, first: 2 ** 30, size: 1 });
    expect((await statuses.read(list.listId)).revoked).toEqual([{ first: 2 ** 30, size: 1 }]);
  });
});
