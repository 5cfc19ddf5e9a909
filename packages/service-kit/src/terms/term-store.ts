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

/** Of terms. */
const rowsPerStatement = 1_000;

export type TermStore = ReturnType<typeof createTermStore>;

/**
 * Keeps the terms of objects. They are written after the row, of what the row says, and then the row says of which version its terms
 * are (`terms_at`). A process that is killed in between, and a release that writes no terms, leave a row that says otherwise:
 * it is filled later. Until then the object is not found by its new words; it never is by what it does not have, since a
 * search checks each hit against its row.
 */
export function createTermStore(
  database: Database,
  { terms: table, objects, id: column, objectId, readId, writeId }: TermTable,
) {
  // A term that a later version has stays one of the later version.
  const keepLater =
    database.dialect === 'mysql'
      ? 'ON DUPLICATE KEY UPDATE written_at = GREATEST(written_at, VALUES(written_at))'
      : `ON CONFLICT (term, ${column}) DO UPDATE SET written_at = MAX(written_at, excluded.written_at)`;
  const ofObject = `DELETE FROM ${table} WHERE ${column} = ?`;
  const insert = async (objects: readonly TermedObject[]): Promise<void> => {
    const rows = objects.flatMap(({ id, updatedAt, terms }) => {
      const key = writeId(id);
      return terms.map((term) => [term, key, updatedAt]);
    });
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      const some = rows.slice(start, start + rowsPerStatement);
      const marks = some.map(() => '(?, ?, ?)').join(', ');
      const sql = `INSERT INTO ${table} (term, ${column}, written_at) VALUES ${marks} ${keepLater}`;
      await database.execute(sql, some.flat());
    }
  };
  const write = async (object: TermedObject): Promise<void> => {
    const { id, updatedAt } = object;
    const key = writeId(id);
    await insert([object]);
    await database.execute(`${ofObject} AND written_at < ?`, [key, updatedAt]);
    const isThis = `UPDATE ${objects} SET terms_at = ? WHERE ${objectId} = ? AND updated_at = ?`;
    if ((await database.execute(isThis, [updatedAt, key, updatedAt])) === 1) return;
    // Deleted meanwhile, or changed: what only this version had goes again, once a later one has its own.
    const isNeeded = `SELECT 1 FROM ${objects} WHERE ${objects}.${objectId} = ? AND terms_at <= ?`;
    const isReplaced = `written_at <= ? AND NOT EXISTS (${isNeeded})`;
    await database.execute(`${ofObject} AND ${isReplaced}`, [key, updatedAt, key, updatedAt]);
  };
  /** Those of the objects that have terms of an earlier version. */
  const findEarlier = async (objects: readonly TermedObject[]): Promise<Set<string>> => {
    const isEarlier = objects.map(() => `${column} = ? AND written_at < ?`).join(' OR ');
    const values = objects.flatMap(({ id, updatedAt }) => [writeId(id), updatedAt]);
    const rows = await database.query<{ id: never }>(
      `SELECT DISTINCT ${column} AS id FROM ${table} WHERE ${isEarlier}`,
      values,
    );
    return new Set(rows.map((row) => readId(row.id)));
  };
  return {
    write,
    /** Writes those of several objects: of all that had none by one statement each for the terms and for the rows. */
    async writeAll(all: readonly TermedObject[]): Promise<void> {
      if (all.length === 0) return;
      const earlier = await findEarlier(all);
      const fresh = all.filter(({ id }) => !earlier.has(id));
      await insert(fresh);
      const isThis = fresh.map(() => `${objectId} = ? AND updated_at = ?`).join(' OR ');
      const versions = fresh.flatMap(({ id, updatedAt }) => [writeId(id), updatedAt]);
      const sql = `UPDATE ${objects} SET terms_at = updated_at WHERE ${isThis}`;
      const areThese = fresh.length > 0 && (await database.execute(sql, versions)) === fresh.length;
      // Where one was deleted or changed meanwhile, each is looked at by itself.
      for (const object of areThese ? all.filter(({ id }) => earlier.has(id)) : all) await write(object);
    },
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
