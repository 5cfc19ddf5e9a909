import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { type Condition, mostExamined, type SearchQuery, type Total, wordRange } from '@gatehouse/service-kit/terms';
import { groupMemberTable } from '../groups/group-member-table.ts';
import { createGroupStore } from '../groups/group-store.ts';

/** Which members of a group are listed. */
export interface MemberFilter extends SearchQuery {
  /** The name of a group, without regard to case. */
  group: string;
  /** Milliseconds, inclusive. */
  createdSince: number | undefined;
}

interface Page extends MemberFilter {
  /** The id after which it begins. */
  after: string | undefined;
  /** The most users. */
  limit: number;
}

/** A page of members; `next`: the id after which the one after it begins. */
export interface MemberPage {
  ids: string[];
  next: string | undefined;
}

/**
 * Finds members of a group in the order of their ids: each page, and each count, examines 10,000 of them at most. None where no
 * group has the name.
 */
export function createMemberList(database: Database) {
  const groups = createGroupStore(database);
  /** The members after an id whom the conditions let through. `limited`: the SQL of the limit. */
  const listIds = async (conditions: readonly Condition[], limited: string): Promise<Buffer[]> => {
    const { sql, values } = allOf(conditions);
    const rows = await database.query<{ id: Buffer }>(
      `SELECT m.user_id AS id FROM ${groupMemberTable} m WHERE ${sql} ORDER BY m.user_id ${limited}`,
      values,
    );
    return rows.map(({ id }) => id);
  };
  const membersAfter = async (group: string, after: string | undefined): Promise<Condition | undefined> => {
    const [found] = await groups.findByNames([group]);
    const start = (after === undefined ? undefined : findIdBytes(after)) ?? Buffer.alloc(16);
    return found && { sql: 'm.group_id = ? AND m.user_id > ?', values: [idToBytes(found.id), start] };
  };
  return {
    /** The user of an id may be gone, or changed since its terms were written. */
    async find({ group, after, limit, ...filter }: Page): Promise<MemberPage> {
      const members = await membersAfter(group, after);
      if (members === undefined) return { ids: [], next: undefined };
      const [end] = await listIds([members], `LIMIT 1 OFFSET ${mostExamined - 1}`);
      const until = end === undefined ? [] : [{ sql: 'm.user_id <= ?', values: [end] }];
      const found = await listIds([members, ...until, ...conditionsOf(filter)], `LIMIT ${limit + 1}`);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : end;
      return { ids: page.map(idFromBytes), next: last && idFromBytes(last) };
    },
    /** Counts those who are found. */
    async count({ group, ...filter }: MemberFilter): Promise<Total> {
      const members = await membersAfter(group, undefined);
      if (members === undefined) return { total: 0, isExact: true };
      const [end] = await listIds([members], `LIMIT 1 OFFSET ${mostExamined}`);
      const until = end === undefined ? [] : [{ sql: 'm.user_id < ?', values: [end] }];
      const { sql, values } = allOf([members, ...until, hasRow('users u', 'u.id'), ...conditionsOf(filter)]);
      const [row] = await database.query<{ found: number }>(
        `SELECT COUNT(*) AS found FROM ${groupMemberTable} m WHERE ${sql}`,
        values,
      );
      return { total: Number(row?.found), isExact: end === undefined };
    },
  };
}

function conditionsOf({ words, facets, createdSince }: Omit<MemberFilter, 'group'>): Condition[] {
  const isCreated = createdSince === undefined ? [] : [{ sql: 'u.created_at >= ?', values: [createdSince] }];
  const terms = [
    ...facets.map((term) => ({ sql: 't.term = ?', values: [term] })),
    ...words.map((word) => wordRange('t', word)),
  ];
  return [
    ...isCreated.map((condition) => hasRow('users u', 'u.id', condition)),
    ...terms.map((condition) => hasRow('user_terms t', 't.user_id', condition)),
  ];
}

/** A subquery that counts: no optimizer turns it into a join. */
function hasRow(table: string, id: string, also: Condition = { sql: '1 = 1', values: [] }): Condition {
  const sql = `(SELECT COUNT(*) FROM ${table} WHERE ${id} = m.user_id AND ${also.sql}) > 0`;
  return { sql, values: also.values };
}

function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}
