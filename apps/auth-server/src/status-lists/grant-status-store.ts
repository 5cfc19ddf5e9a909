import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { causally, createInsert, type Database, isInserted } from '@gatehouse/service-kit/database';
import { listExpiresAt, type TokenStatus } from '../protocol/token-status.ts';
import type { EndOfExchanged, GrantStatus } from './grant-status.ts';
import type { GrantStatusRow } from './grant-status-table.ts';
import type { StatusRange } from './status-block-store.ts';
import { createStatusRevocationStore, lateAfter } from './status-revocation-store.ts';

/** The statuses of exchanged access tokens, and of those that come with a code. They are written as these are issued. */
export interface GrantStatusStore {
  insert(statuses: readonly GrantStatus[]): Promise<void>;
  /** The grants with which the token of a status ends; none for a token that was not exchanged. */
  listOf(status: TokenStatus): Promise<GrantStatus[]>;
  /** The ids of the status lists that hold an exchanged token which ends. */
  listLists(end: EndOfExchanged): Promise<number[]>;
  /** Revokes every exchanged token that ends, by one statement. */
  revoke(end: EndOfExchanged): Promise<void>;
}

/** `now` gives milliseconds that only grow. */
export function createGrantStatusStore(
  database: Database,
  now: () => number = () => performance.now(),
): GrantStatusStore {
  const insertRow = createInsert<GrantStatusRow>(database, 'grant_statuses');
  const { renumber } = createStatusRevocationStore(database, now);
  /** One of each list that ends. */
  const listOnes = async (end: EndOfExchanged): Promise<StatusRange[]> => {
    const { condition, values } = buildCondition(end);
    const sql = `SELECT list_id, MIN(status_index) AS status_index FROM grant_statuses WHERE ${condition} GROUP BY list_id`;
    const ones = await database.query<Pick<GrantStatusRow, 'list_id' | 'status_index'>>(sql, values);
    return ones.map((row) => ({ listId: row.list_id, first: row.status_index, size: 1 }));
  };
  return {
    async insert(statuses) {
      // In one turn of the event loop: one statement.
      await Promise.all(statuses.map((status) => insertRow(rowFromStatus(status))));
    },
    async listOf({ listId, index }) {
      const sql = 'SELECT * FROM grant_statuses WHERE list_id = ? AND status_index = ?';
      return (await database.query<GrantStatusRow>(sql, [listId, index])).map(statusFromRow);
    },
    async listLists(end) {
      const { condition, values } = buildCondition(end);
      const sql = `SELECT DISTINCT list_id FROM grant_statuses WHERE ${condition}`;
      return (await database.query<Pick<GrantStatusRow, 'list_id'>>(sql, values)).map((row) => row.list_id);
    },
    async revoke(end) {
      const { condition, values } = buildCondition(end);
      let startedAt = now();
      // Another replica may revoke one of them at the same moment: then the rest is revoked by the next try.
      while (!(await isInserted(database.execute(revokeWhere(condition), values, causally)))) startedAt = now();
      if (now() - startedAt < lateAfter) return;
      for (const one of await listOnes(end)) await renumber(one);
    },
  };
}

/**
 * The statement revokes the index of each token once, however many rows name it, and none that is revoked already. One row of
 * each list gets the next number of the list: so a look for changes finds them all, and many rows use up one number.
 */
function revokeWhere(condition: string): string {
  return `INSERT INTO status_revocations (list_id, first_index, size, expires_at, change_number)
    SELECT list_id, status_index, 1, expires_at, CASE WHEN place > 1 THEN 1 ELSE 1 + COALESCE(
        (SELECT change_number FROM status_revocations AS newest WHERE newest.list_id = ended.list_id
          ORDER BY change_number DESC LIMIT 1), 0) END
      FROM (SELECT list_id, status_index, expires_at,
          ROW_NUMBER() OVER (PARTITION BY list_id ORDER BY status_index) AS place
        FROM grant_statuses WHERE ${condition}
          AND NOT EXISTS (SELECT 1 FROM status_revocations
            WHERE status_revocations.list_id = grant_statuses.list_id AND first_index = status_index AND size = 1)
        GROUP BY list_id, status_index, expires_at) AS ended`;
}

function buildCondition(end: EndOfExchanged): { condition: string; values: unknown[] } {
  if ('grantId' in end) return { condition: 'grant_id = ?', values: [idToBytes(end.grantId)] };
  if ('subject' in end) {
    return { condition: 'subject_list_id = ? AND subject_index = ?', values: [end.subject.listId, end.subject.index] };
  }
  const registration = idToBytes(end.registrationId);
  return end.beforeGeneration === undefined
    ? { condition: 'registration_id = ?', values: [registration] }
    : { condition: 'registration_id = ? AND generation < ?', values: [registration, end.beforeGeneration] };
}

function statusFromRow(row: GrantStatusRow): GrantStatus {
  return {
    status: { listId: row.list_id, index: row.status_index },
    grantId: idFromBytes(row.grant_id),
    subject: { listId: row.subject_list_id, index: row.subject_index },
    registrationId: idFromBytes(row.registration_id),
    generation: row.generation,
  };
}

function rowFromStatus({ status, grantId, subject, registrationId, generation }: GrantStatus): GrantStatusRow {
  return {
    list_id: status.listId,
    status_index: status.index,
    subject_list_id: subject.listId,
    subject_index: subject.index,
    grant_id: idToBytes(grantId),
    registration_id: idToBytes(registrationId),
    generation,
    expires_at: listExpiresAt(status.listId),
  };
}
