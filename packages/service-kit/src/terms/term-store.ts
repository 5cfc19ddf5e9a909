import type { Database } from '../database/database.ts';
import { isDatabaseAway } from '../database/database-errors.ts';
import type { TermTable } from './term-table.ts';

/** One version of an object, as its row is. */
export interface TermedObject {
  id: string;
  /** Milliseconds: the version. */
  updatedAt: number;
  terms: readonly string[];
}

export type TermStore = ReturnType<typeof createTermStore>;

/**
 * Keeps the terms of objects. They are written after the row, of what the row says, and then the row says of which version its terms
 * are (`terms_at`). A process that is killed in between, and a release that writes no terms, leave a row that says otherwise:
 * it is filled later. Until then the object is not found by its new words; it never is by what it does not have, since a
 * search checks each hit against its row.
 */
export function createTermStore(
  database: Database,
  { terms: table, objects, id: column, objectId, writeId }: TermTable,
) {
  // A term that a later version has stays one of the later version.
  const keepLater =
    database.dialect === 'mysql'
      ? 'ON DUPLICATE KEY UPDATE written_at = GREATEST(written_at, VALUES(written_at))'
      : `ON CONFLICT (term, ${column}) DO UPDATE SET written_at = MAX(written_at, excluded.written_at)`;
  const ofObject = `DELETE FROM ${table} WHERE ${column} = ?`;
  const write = async ({ id, updatedAt, terms }: TermedObject): Promise<void> => {
    const key = writeId(id);
    const rows = terms.map((term) => [term, key, updatedAt]);
    const marks = rows.map(() => '(?, ?, ?)').join(', ');
    await database.execute(
      `INSERT INTO ${table} (term, ${column}, written_at) VALUES ${marks} ${keepLater}`,
      rows.flat(),
    );
    await database.execute(`${ofObject} AND written_at < ?`, [key, updatedAt]);
    const isThis = `UPDATE ${objects} SET terms_at = ? WHERE ${objectId} = ? AND updated_at = ?`;
    if ((await database.execute(isThis, [updatedAt, key, updatedAt])) === 1) return;
    // Deleted meanwhile, or changed: what only this version had goes again, once a later one has its own.
    const isNeeded = `SELECT 1 FROM ${objects} WHERE ${objects}.${objectId} = ? AND terms_at <= ?`;
    const isReplaced = `written_at <= ? AND NOT EXISTS (${isNeeded})`;
    await database.execute(`${ofObject} AND ${isReplaced}`, [key, updatedAt, key, updatedAt]);
  };
  return {
    write,
    /** Writes them after the row was written. Where the database is away by now, they are filled later. */
    async writeAfter(object: TermedObject): Promise<void> {
      await write(object).catch((error: unknown) => {
        if (!isDatabaseAway(error)) throw error;
      });
    },
    /** Deletes those of an object that is not there. */
    async deleteOfGone(id: string): Promise<void> {
      const key = writeId(id);
      const isGone = `NOT EXISTS (SELECT 1 FROM ${objects} WHERE ${objects}.${objectId} = ?)`;
      await database.execute(`${ofObject} AND ${isGone}`, [key, key]);
    },
  };
}
