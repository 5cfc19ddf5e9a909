import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import {
  allOf,
  type Condition,
  mostExamined,
  type SearchQuery,
  type Total,
  wordRange,
} from '@gatehouse/service-kit/terms';
import { groupMemberTable } from '../groups/group-member-table.ts';

/** An entry of an index of users. */
interface Entry {
  id: Buffer;
  /** Milliseconds, in the order of creations. */
  createdAt?: number;
}

/** Users in the order of an index: it names each one, and stands as `m`. */
export interface Walk {
  table: string;
  id: string;
  /** The column of the creation, where that comes before the id in the order. */
  createdAt?: string;
  /** Where it begins, and what holds of all that it comes to. */
  conditions: readonly Condition[];
}

/** Where a walk goes on. */
export interface WalkPlace {
  after: string;
  /** Milliseconds, in the order of creations. */
  createdAt?: number;
}

/** No users. */
export const walkNobody: Walk = { table: 'users m', id: 'm.id', conditions: [{ sql: '1 = 0', values: [] }] };

/** Members of a group in the order of their ids. */
export function walkMembers(groupId: string, after: string | undefined, createdSince: number | undefined): Walk {
  const start = (after === undefined ? undefined : findIdBytes(after)) ?? Buffer.alloc(16);
  const isCreated = createdSince === undefined ? [] : [{ sql: 'u.created_at >= ?', values: [createdSince] }];
  return {
    ...{ table: `${groupMemberTable} m`, id: 'm.user_id' },
    conditions: [
      { sql: 'm.group_id = ? AND m.user_id > ?', values: [idToBytes(groupId), start] },
      ...isCreated.map((condition) => hasRow('users u', 'u.id = m.user_id', condition)),
    ],
  };
}

/** Users in the order of their creation. */
export function walkCreated(since: number, place: WalkPlace | undefined): Walk {
  const start = findIdBytes(place?.after ?? '') ?? Buffer.alloc(16);
  const at = place?.createdAt ?? since;
  const conditions = [{ sql: 'm.created_at >= ? AND (m.created_at > ? OR m.id > ?)', values: [at, at, start] }];
  return { table: 'users m', id: 'm.id', createdAt: 'm.created_at', conditions };
}

/** Finds and counts users by their terms as it walks: each page, and each count, examines 10,000 entries at most. */
export function createUserWalk(database: Database) {
  const listEntries = async (walk: Walk, conditions: readonly Condition[], limited: string): Promise<Entry[]> => {
    const { createdAt } = walk;
    const { sql, values } = selectEntries(walk, conditions, limited);
    const rows = await database.query<Entry>(sql, values);
    return rows.map((row) => ({ id: row.id, ...(createdAt !== undefined && { createdAt: Number(row.createdAt) }) }));
  };
  const findEnd = async (walk: Walk, offset: number): Promise<Entry | undefined> => {
    const [end] = await listEntries(walk, walk.conditions, `LIMIT 1 OFFSET ${offset}`);
    return end;
  };
  return {
    /** The user of an id may be gone, or changed since its terms were written. `next`: where the page after it begins. */
    async find(walk: Walk, query: SearchQuery, limit: number): Promise<{ ids: string[]; next: WalkPlace | undefined }> {
      const end = await findEnd(walk, mostExamined - 1);
      const conditions = [...walk.conditions, ...isUpTo(walk, end), ...conditionsOf(walk, query)];
      const found = await listEntries(walk, conditions, `LIMIT ${limit + 1}`);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : end;
      return { ids: page.map(({ id }) => idFromBytes(id)), next: last && { ...last, after: idFromBytes(last.id) } };
    },
    /** Counts those who are found. */
    async count(walk: Walk, query: SearchQuery): Promise<Total> {
      const end = await findEnd(walk, mostExamined);
      const entries = selectEntries(walk, walk.conditions, `LIMIT ${mostExamined}`);
      const examined = { id: 'examined.id' };
      const { sql, values } = allOf([hasRow('users u', `u.id = ${examined.id}`), ...conditionsOf(examined, query)]);
      const [row] = await database.query<{ found: number }>(
        `SELECT COUNT(*) AS found FROM (${entries.sql}) examined WHERE ${sql}`,
        [...entries.values, ...values],
      );
      return { total: Number(row?.found), isExact: end === undefined };
    },
  };
}

/** The entries of a walk in its order, of which `limited` says how many. */
function selectEntries({ table, id, createdAt }: Walk, conditions: readonly Condition[], limited: string): Condition {
  const { sql, values } = allOf(conditions);
  const [read, order] = createdAt === undefined ? ['', id] : [`, ${createdAt} AS createdAt`, `${createdAt}, ${id}`];
  return { sql: `SELECT ${id} AS id${read} FROM ${table} WHERE ${sql} ORDER BY ${order} ${limited}`, values };
}

/** Up to an entry. Written out: MariaDB reads more than it must for a comparison of rows. */
function isUpTo({ id, createdAt }: Walk, end: Entry | undefined): Condition[] {
  if (end === undefined) return [];
  if (createdAt === undefined) return [{ sql: `${id} <= ?`, values: [end.id] }];
  const sql = `${createdAt} <= ? AND (${createdAt} < ? OR ${id} <= ?)`;
  return [{ sql, values: [end.createdAt, end.createdAt, end.id] }];
}

function conditionsOf({ id }: Pick<Walk, 'id'>, { words, facets }: SearchQuery): Condition[] {
  const terms = [
    ...facets.map((term) => ({ sql: 't.term = ?', values: [term] })),
    ...words.map((word) => wordRange('t', word)),
  ];
  return terms.map((condition) => hasRow('user_terms t', `t.user_id = ${id}`, condition));
}

/** A subquery that counts: no optimizer turns it into a join. */
function hasRow(table: string, isOfEntry: string, also: Condition = { sql: '1 = 1', values: [] }): Condition {
  return { sql: `(SELECT COUNT(*) FROM ${table} WHERE ${isOfEntry} AND ${also.sql}) > 0`, values: also.values };
}
