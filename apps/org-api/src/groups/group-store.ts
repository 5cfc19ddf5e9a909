import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import { foldGroupName, mostGroups } from '@gatehouse/shared';
import { chooseFreeNumbers } from './free-numbers.ts';
import type { Group } from './group.ts';
import { type GroupRow, groupTable } from './group-table.ts';

export type GroupStore = ReturnType<typeof createGroupStore>;

/** The rows of groups. */
export function createGroupStore(database: Database) {
  const findByNames = async (names: readonly string[]): Promise<Group[]> => {
    const keys = [...new Set(names.map(foldGroupName))];
    if (keys.length === 0) return [];
    const sql = `SELECT * FROM ${groupTable} WHERE name_key IN (${keys.map(() => '?').join(', ')})`;
    return (await database.query<GroupRow>(sql, keys)).map(groupFromRow);
  };
  const chooseNumber = async (): Promise<number | undefined> => {
    const [row] = await database.query<{ last: number | null }>(`SELECT MAX(number) AS last FROM ${groupTable}`);
    const last = Number(row?.last ?? 0);
    if (last < mostGroups) return last + 1;
    const rows = await database.query<Pick<GroupRow, 'number'>>(`SELECT number FROM ${groupTable}`);
    return chooseFreeNumbers(new Set(rows.map(({ number }) => number)), 1, mostGroups)?.[0];
  };
  return {
    /** Of several with one name at the same moment exactly one is inserted. `full`: there are as many as may be. */
    async insert(group: Group): Promise<'inserted' | 'taken' | 'full'> {
      for (;;) {
        const number = await chooseNumber();
        if (number === undefined) return 'full';
        if (await insertUnlessTaken(database, groupTable, rowFromGroup(group, number))) return 'inserted';
        if ((await findByNames([group.name])).length > 0) return 'taken';
      }
    },
    /** Any text may stand for the id. */
    async find(id: string): Promise<Group | undefined> {
      const bytes = findIdBytes(id);
      if (bytes === undefined) return undefined;
      const [row] = await database.query<GroupRow>(`SELECT * FROM ${groupTable} WHERE id = ?`, [bytes]);
      return row && groupFromRow(row);
    },
    /** Those that are there, in any order. */
    findByNames,
    /** In the order of their creation. `after`: the id of the last one of the page before. */
    async list({ after, limit }: { after: string | undefined; limit: number }): Promise<Group[]> {
      const start = after === undefined ? undefined : findIdBytes(after);
      const where = start === undefined ? '' : 'WHERE id > ?';
      const sql = `SELECT * FROM ${groupTable} ${where} ORDER BY id LIMIT ?`;
      const found = await database.query<GroupRow>(sql, [...(start === undefined ? [] : [start]), limit]);
      return found.map(groupFromRow);
    },
    async count(): Promise<number> {
      const [row] = await database.query<{ found: number }>(`SELECT COUNT(*) AS found FROM ${groupTable}`);
      return Number(row?.found ?? 0);
    },
    /** All but the name. False where it is gone or was changed since `seenUpdatedAt`. */
    async update({ id, description, managedBy, updatedAt }: Group, seenUpdatedAt: number): Promise<boolean> {
      const sql = `UPDATE ${groupTable} SET description = ?, managed_by = ?, updated_at = ? WHERE id = ? AND updated_at = ?`;
      const values = [description, managedBy ?? null, updatedAt, idToBytes(id), seenUpdatedAt];
      return (await database.execute(sql, values)) === 1;
    },
    /** False where it is gone or was changed since it was seen. */
    async delete({ id, updatedAt }: Group): Promise<boolean> {
      const sql = `DELETE FROM ${groupTable} WHERE id = ? AND updated_at = ?`;
      return (await database.execute(sql, [idToBytes(id), updatedAt])) === 1;
    },
  };
}

function groupFromRow(row: GroupRow): Group {
  return {
    id: idFromBytes(row.id),
    name: row.name,
    description: row.description,
    managedBy: row.managed_by ?? undefined,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

function rowFromGroup(group: Group, number: number): GroupRow {
  return {
    id: idToBytes(group.id),
    name: group.name,
    name_key: foldGroupName(group.name),
    number,
    description: group.description,
    managed_by: group.managedBy ?? null,
    created_at: group.createdAt,
    updated_at: group.updatedAt,
  };
}
