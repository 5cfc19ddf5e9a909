import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, putRow } from '@gatehouse/service-kit/database';
import type { Gate } from '../users/user-store.ts';
import type { EmailChange } from './email-change.ts';
import { type EmailChangeRow, emailChangeTable } from './email-change-table.ts';

export type EmailChangeStore = ReturnType<typeof createEmailChangeStore>;

const complete = 'old_confirmed = 1 AND new_confirmed = 1 AND counts_at <= ? AND expires_at > ?';

/** The changes of addresses that wait, one a user. */
export function createEmailChangeStore(database: Database) {
  return {
    /** In place of the one before. */
    put: (change: EmailChange): Promise<void> =>
      putRow(database, emailChangeTable, rowFromEmailChange(change), ['user_id']),
    async find(userId: string): Promise<EmailChange | undefined> {
      const sql = `SELECT * FROM ${emailChangeTable} WHERE user_id = ?`;
      const [row] = await database.query<EmailChangeRow>(sql, [idToBytes(userId)]);
      return row && emailChangeFromRow(row);
    },
    /** True for exactly one of several at the same moment. `expiresAt`: the end from now on. */
    async confirm({ userId, id }: EmailChange, side: 'old' | 'new', expiresAt: number): Promise<boolean> {
      const sql = `UPDATE ${emailChangeTable} SET ${side}_confirmed = 1, expires_at = ?
        WHERE user_id = ? AND id = ? AND ${side}_confirmed = 0`;
      return (await database.execute(sql, [expiresAt, idToBytes(userId), idToBytes(id)])) === 1;
    },
    /** Those that all have confirmed and that count by now. */
    async listComplete(now: number, limit: number): Promise<EmailChange[]> {
      const sql = `SELECT * FROM ${emailChangeTable} WHERE ${complete} ORDER BY counts_at LIMIT ?`;
      return (await database.query<EmailChangeRow>(sql, [now, now, limit])).map(emailChangeFromRow);
    },
    /** That all have confirmed a change, which counts by now and was not refused. */
    whileComplete({ userId, id }: EmailChange, now: number): Gate {
      const condition = `EXISTS (SELECT 1 FROM ${emailChangeTable} WHERE user_id = ? AND ${emailChangeTable}.id = ? AND ${complete})`;
      return { condition, parameters: [idToBytes(userId), idToBytes(id), now, now] };
    },
    /** True for exactly one of several at the same moment. */
    async delete({ userId, id }: EmailChange): Promise<boolean> {
      const sql = `DELETE FROM ${emailChangeTable} WHERE user_id = ? AND id = ?`;
      return (await database.execute(sql, [idToBytes(userId), idToBytes(id)])) === 1;
    },
    async deleteOfUser(userId: string): Promise<void> {
      await database.execute(`DELETE FROM ${emailChangeTable} WHERE user_id = ?`, [idToBytes(userId)]);
    },
  };
}

function emailChangeFromRow(row: EmailChangeRow): EmailChange {
  return {
    userId: idFromBytes(row.user_id),
    id: idFromBytes(row.id),
    before: row.old_email,
    oldVerified: row.old_verified === 1,
    email: row.email,
    oldConfirmed: row.old_confirmed === 1,
    newConfirmed: row.new_confirmed === 1,
    passwordChangedAt: Number(row.password_changed_at),
    countsAt: Number(row.counts_at),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromEmailChange(change: EmailChange): EmailChangeRow {
  return {
    user_id: idToBytes(change.userId),
    id: idToBytes(change.id),
    old_email: change.before,
    // SQLite has no booleans.
    old_verified: Number(change.oldVerified),
    email: change.email,
    old_confirmed: Number(change.oldConfirmed),
    new_confirmed: Number(change.newConfirmed),
    password_changed_at: change.passwordChangedAt,
    counts_at: change.countsAt,
    created_at: change.createdAt,
    expires_at: change.expiresAt,
  };
}
