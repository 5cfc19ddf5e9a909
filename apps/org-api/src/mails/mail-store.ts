import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow } from '@gatehouse/service-kit/database';
import type { LinkRef, Mail } from './mail.ts';
import { type MailRow, mailTable } from './mail-table.ts';

/** Milliseconds for which the row of a mail that nobody sends stays: where it is given up, an event says so first. */
const keptFor = 86_400_000;

export type MailStore = ReturnType<typeof createMailStore>;

/** The mails that wait. */
export function createMailStore(database: Database) {
  return {
    insert: (mail: Mail): Promise<void> => insertRow(database, mailTable, rowFromMail(mail)),
    /** Those that wait longest first. */
    async listDue(now: number, limit: number): Promise<Mail[]> {
      const sql = `SELECT * FROM ${mailTable} WHERE due_at <= ? ORDER BY due_at LIMIT ?`;
      return (await database.query<MailRow>(sql, [now, limit])).map(mailFromRow);
    },
    /** True for exactly one of those who saw the same `dueAt`. It is due again then, unless it is deleted before. */
    async claim({ id, dueAt }: Mail, next: number): Promise<boolean> {
      const sql = `UPDATE ${mailTable} SET due_at = ?, tries = tries + 1 WHERE id = ? AND due_at = ?`;
      return (await database.execute(sql, [next, idToBytes(id), dueAt])) === 1;
    },
    async delete({ id }: Mail): Promise<void> {
      await database.execute(`DELETE FROM ${mailTable} WHERE id = ?`, [idToBytes(id)]);
    },
    async deleteOfUser(userId: string): Promise<void> {
      await database.execute(`DELETE FROM ${mailTable} WHERE user_id = ?`, [idToBytes(userId)]);
    },
  };
}

function mailFromRow(row: MailRow): Mail {
  return {
    id: idFromBytes(row.id),
    kind: row.kind as Mail['kind'],
    userId: row.user_id === null ? undefined : idFromBytes(row.user_id),
    address: row.address,
    language: row.language,
    link: row.link === null ? undefined : parseLink(row.link),
    data: JSON.parse(row.data) as Mail['data'],
    tries: Number(row.tries),
    dueAt: Number(row.due_at),
    expiresAt: Number(row.expires_at) - keptFor,
  };
}

function rowFromMail(mail: Mail): MailRow {
  return {
    id: idToBytes(mail.id),
    kind: mail.kind,
    user_id: mail.userId === undefined ? null : idToBytes(mail.userId),
    address: mail.address,
    language: mail.language,
    link: mail.link === undefined ? null : `${mail.link.keyId}.${mail.link.linkId}`,
    data: JSON.stringify(mail.data),
    tries: mail.tries,
    due_at: mail.dueAt,
    expires_at: mail.expiresAt + keptFor,
  };
}

function parseLink(text: string): LinkRef {
  const [keyId = '', linkId = ''] = text.split('.', 2);
  return { keyId, linkId };
}
