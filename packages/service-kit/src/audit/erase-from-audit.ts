import { foldUsername } from '@gatehouse/shared';
import type { Database } from '../database/database.ts';
import { idToBytes } from '../time-ordered-id.ts';
import { type AuditEventRow, auditEventTable } from './audit-event-table.ts';

/** The text that stands for a name or an address of a user who was erased. */
export const erased = 'erased';

/** Rows that one statement changes. */
const batchSize = 500;

/** Columns of a row, by `:id` and `:name` in their conditions. */
interface Trace {
  where: string;
  values: readonly unknown[];
  columns: readonly (keyof AuditEventRow)[];
}

/**
 * Puts `erased` in the place of the names and network addresses of a user who is gone, in all events by the user and about the user. Ids
 * stay. Done again it changes nothing.
 */
export async function eraseFromAudit(database: Database, userId: string): Promise<void> {
  const id = idToBytes(userId);
  // First the events that have the name alone: once no event has both, the name is not known any more.
  for (const name of await listNames(database, id)) {
    for (const trace of tracesOfName(name)) await erase(database, trace);
    await eraseFromMembers(database, name);
  }
  for (const trace of tracesOfId(id)) await erase(database, trace);
}

async function listNames(database: Database, id: Buffer): Promise<string[]> {
  const names = (party: 'actor' | 'subject') =>
    `SELECT DISTINCT ${party}_name AS name FROM ${auditEventTable} WHERE ${party}_id = ? AND ${party}_name <> ?`;
  const found = await Promise.all(
    (['actor', 'subject'] as const).map((party) => database.query<{ name: string }>(names(party), [id, erased])),
  );
  return [...new Set(found.flat().map(({ name }) => name))];
}

/** Events of a name that was typed, and whose user was not known then. */
function tracesOfName(name: string): Trace[] {
  const values = [foldUsername(name)];
  return [
    { where: "subject_key = ? AND subject_id IS NULL AND subject_kind = 'user'", values, columns: ofSubject },
    { where: "actor_key = ? AND actor_id IS NULL AND actor_kind = 'user'", values, columns: ofActor },
  ];
}

const ofActor = ['actor_name', 'actor_key', 'address'] as const;
const ofSubject = ['subject_name', 'subject_key', 'address'] as const;

/** The address of an event is that of its actor: of an event about the user it is the user's where nobody else was known. */
function tracesOfId(id: Buffer): Trace[] {
  return [
    { where: 'actor_id = ?', values: [id], columns: ofActor },
    { where: "subject_id = ? AND actor_kind = 'anonymous'", values: [id], columns: ofSubject },
    { where: 'subject_id = ?', values: [id], columns: ['subject_name', 'subject_key'] },
  ];
}

async function erase(database: Database, { where, values, columns }: Trace): Promise<void> {
  const isLeft = columns.map((column) => `${column} <> ?`).join(' OR ');
  const sql = `SELECT id FROM ${auditEventTable} WHERE ${where} AND (${isLeft}) LIMIT ${batchSize}`;
  const set = columns.map((column) => `${column} = CASE WHEN ${column} IS NULL THEN NULL ELSE ? END`).join(', ');
  const words = columns.map(() => erased);
  for (;;) {
    const rows = await database.query<Pick<AuditEventRow, 'id'>>(sql, [...values, ...words]);
    if (rows.length === 0) return;
    const marks = rows.map(() => '?').join(', ');
    const ids = rows.map(({ id }) => id);
    await database.execute(`UPDATE ${auditEventTable} SET ${set} WHERE id IN (${marks})`, [...words, ...ids]);
  }
}

/** Events of groups name the users who came and went. */
async function eraseFromMembers(database: Database, name: string): Promise<void> {
  const text = JSON.stringify(name);
  const sql = `SELECT id, details FROM ${auditEventTable} WHERE type = 'group.members_changed' AND details LIKE ?`;
  const pattern = `%${text.replace(/[!%_]/g, (character) => `!${character}`)}%`;
  const rows = await database.query<Pick<AuditEventRow, 'id' | 'details'>>(`${sql} ESCAPE '!'`, [pattern]);
  for (const { id, details } of rows) {
    const left = details.replaceAll(text, JSON.stringify(erased));
    await database.execute(`UPDATE ${auditEventTable} SET details = ? WHERE id = ?`, [left, id]);
  }
}
