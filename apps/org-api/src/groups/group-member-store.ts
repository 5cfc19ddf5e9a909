import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, isInserted } from '@gatehouse/service-kit/database';
import { mostGroupsOfUser } from '@gatehouse/shared';
import { chooseFreeNumbers } from './free-numbers.ts';
import type { Group } from './group.ts';
import { type GroupMemberRow, groupMemberTable } from './group-member-table.ts';
import { groupTable } from './group-table.ts';

/** A user in a group, both by their ids. */
export interface Membership {
  groupId: string;
  userId: string;
}

/** A user who is in a group. */
export interface Member {
  id: string;
  username: string;
}

/** Rows of one statement. */
const batchSize = 500;

export type GroupMemberStore = ReturnType<typeof createGroupMemberStore>;

/** The rows that say which user is in which group. */
export function createGroupMemberStore(database: Database) {
  const listPresent = async (memberships: readonly Membership[]): Promise<Membership[]> => {
    if (memberships.length === 0) return [];
    const [groupIds, userIds] = [idsOf(memberships, 'groupId'), idsOf(memberships, 'userId')];
    const sql = `SELECT group_id, user_id FROM ${groupMemberTable}
      WHERE group_id IN (${marksFor(groupIds)}) AND user_id IN (${marksFor(userIds)})`;
    const rows = await database.query<GroupMemberRow>(sql, [...groupIds, ...userIds]);
    const present = new Set(rows.map((row) => keyOf(membershipFromRow(row))));
    return memberships.filter((membership) => present.has(keyOf(membership)));
  };
  const findLastNumbers = async (userIds: readonly Buffer[]): Promise<Map<string, number>> => {
    const sql = `SELECT user_id, MAX(number) AS last FROM ${groupMemberTable} WHERE user_id IN (${marksFor(userIds)}) GROUP BY user_id`;
    const rows = await database.query<{ user_id: Buffer; last: number }>(sql, userIds);
    return new Map(rows.map((row) => [idFromBytes(row.user_id), Number(row.last)]));
  };
  const chooseNumbers = async (userId: string, wanted: number, last: number): Promise<number[] | undefined> => {
    if (last + wanted <= mostGroupsOfUser) return Array.from({ length: wanted }, (_, index) => last + 1 + index);
    const sql = `SELECT number FROM ${groupMemberTable} WHERE user_id = ?`;
    const rows = await database.query<Pick<GroupMemberRow, 'number'>>(sql, [idToBytes(userId)]);
    return chooseFreeNumbers(new Set(rows.map(({ number }) => Number(number))), wanted, mostGroupsOfUser);
  };
  /** A row for each. Throws a {@link TooManyGroupsError}. */
  const buildRows = async (memberships: readonly Membership[], now: number): Promise<GroupMemberRow[]> => {
    const lastNumbers = await findLastNumbers(idsOf(memberships, 'userId'));
    const rows: GroupMemberRow[] = [];
    for (const [userId, wanted] of groupByUser(memberships, ({ userId }) => userId)) {
      const numbers = await chooseNumbers(userId, wanted.length, lastNumbers.get(userId) ?? 0);
      if (numbers === undefined) throw new TooManyGroupsError(userId);
      const user_id = idToBytes(userId);
      for (const [index, { groupId }] of wanted.entries()) {
        rows.push({ group_id: idToBytes(groupId), user_id, number: numbers[index] as number, added_at: now });
      }
    }
    return rows;
  };
  const insert = (rows: readonly GroupMemberRow[]): Promise<boolean> => {
    const values = rows.flatMap(({ group_id, user_id, number, added_at }) => [group_id, user_id, number, added_at]);
    const marks = rows.map(() => '(?, ?, ?, ?)').join(', ');
    const sql = `INSERT INTO ${groupMemberTable} (group_id, user_id, number, added_at) VALUES ${marks}`;
    return isInserted(database.execute(sql, values));
  };
  /** Of a user or a group that was deleted meanwhile. */
  const deleteLate = async (memberships: readonly Membership[]): Promise<void> => {
    const [groupIds, userIds] = [idsOf(memberships, 'groupId'), idsOf(memberships, 'userId')];
    const sql = `DELETE FROM ${groupMemberTable} WHERE group_id IN (${marksFor(groupIds)}) AND user_id IN (${marksFor(userIds)})
      AND (NOT EXISTS (SELECT 1 FROM ${groupTable} WHERE ${groupTable}.id = ${groupMemberTable}.group_id)
        OR NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${groupMemberTable}.user_id))`;
    await database.execute(sql, [...groupIds, ...userIds]);
  };
  const remove = async (memberships: readonly Membership[]): Promise<Membership[]> => {
    const present = await listPresent(memberships);
    if (present.length === 0) return [];
    const [groupIds, userIds] = [idsOf(present, 'groupId'), idsOf(present, 'userId')];
    const sql = `DELETE FROM ${groupMemberTable} WHERE group_id IN (${marksFor(groupIds)}) AND user_id IN (${marksFor(userIds)})`;
    await database.execute(sql, [...groupIds, ...userIds]);
    return present;
  };

  return {
    /** Those of the memberships that are there. */
    listPresent,
    /**
     * Puts one user into groups, or users into one group, by one statement: all of them or none. Gives those who were not in before.
     * Throws a {@link TooManyGroupsError}.
     */
    async add(memberships: readonly Membership[], now: number): Promise<Membership[]> {
      for (;;) {
        const present = new Set((await listPresent(memberships)).map(keyOf));
        const missing = memberships.filter((membership) => !present.has(keyOf(membership)));
        if (missing.length === 0) return [];
        // False where another one took a number, or put a user in, at the same moment.
        if (!(await insert(await buildRows(missing, now)))) continue;
        await deleteLate(missing);
        return missing;
      }
    },
    /** The same the other way round: gives those who were in. */
    remove,
    /** The groups that a user is in, by their names. */
    async listOfUser(userId: string): Promise<Pick<Group, 'id' | 'name'>[]> {
      const sql = `SELECT g.id, g.name FROM ${groupMemberTable} m JOIN ${groupTable} g ON g.id = m.group_id WHERE m.user_id = ?`;
      const rows = await database.query<{ id: Buffer; name: string }>(sql, [idToBytes(userId)]);
      return rows.map(({ id, name }) => ({ id: idFromBytes(id), name })).sort(byName);
    },
    /** The sorted names of the groups of users, by the ids of those who are in one. */
    async findNames(userIds: readonly Buffer[]): Promise<Map<string, string[]>> {
      if (userIds.length === 0) return new Map();
      const sql = `SELECT m.user_id, g.name FROM ${groupMemberTable} m JOIN ${groupTable} g ON g.id = m.group_id
        WHERE m.user_id IN (${marksFor(userIds)})`;
      const rows = await database.query<{ user_id: Buffer; name: string }>(sql, userIds);
      const ofUsers = groupByUser(rows.sort(byName), ({ user_id }) => idFromBytes(user_id));
      return new Map([...ofUsers].map(([userId, found]) => [userId, found.map(({ name }) => name)]));
    },
    /** In the order of the ids of users. `after`: the id of the last one of the page before. */
    async listMembers(
      groupId: string,
      { after, limit }: { after: string | undefined; limit: number },
    ): Promise<Member[]> {
      const start = (after === undefined ? undefined : findIdBytes(after)) ?? Buffer.alloc(16);
      const sql = `SELECT u.id, u.username FROM ${groupMemberTable} m JOIN users u ON u.id = m.user_id
        WHERE m.group_id = ? AND m.user_id > ? ORDER BY m.user_id LIMIT ?`;
      const rows = await database.query<{ id: Buffer; username: string }>(sql, [idToBytes(groupId), start, limit]);
      return rows.map(({ id, username }) => ({ id: idFromBytes(id), username }));
    },
    /** Takes up to 500 members out of a group. Gives their ids. */
    async removeSome(groupId: string): Promise<string[]> {
      const sql = `SELECT group_id, user_id FROM ${groupMemberTable} WHERE group_id = ? LIMIT ${batchSize}`;
      const rows = await database.query<GroupMemberRow>(sql, [idToBytes(groupId)]);
      return (await remove(rows.map(membershipFromRow))).map(({ userId }) => userId);
    },
    async deleteOfUser(userId: string): Promise<void> {
      await database.execute(`DELETE FROM ${groupMemberTable} WHERE user_id = ?`, [idToBytes(userId)]);
    },
  };
}

/** The user would be in more groups than may be. */
export class TooManyGroupsError extends Error {
  readonly userId: string;

  constructor(userId: string) {
    super(`the user ${userId} would be in more than ${mostGroupsOfUser} groups`);
    this.userId = userId;
  }
}

function idsOf(memberships: readonly Membership[], name: keyof Membership): Buffer[] {
  return [...new Set(memberships.map((membership) => membership[name]))].map(idToBytes);
}

function marksFor(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

function groupByUser<T>(all: readonly T[], userOf: (one: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const ofUser = found.get(userOf(one));
    if (ofUser === undefined) found.set(userOf(one), [one]);
    else ofUser.push(one);
  }
  return found;
}

function keyOf({ groupId, userId }: Membership): string {
  return `${groupId} ${userId}`;
}

function membershipFromRow({ group_id, user_id }: Pick<GroupMemberRow, 'group_id' | 'user_id'>): Membership {
  return { groupId: idFromBytes(group_id), userId: idFromBytes(user_id) };
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}
