import { randomBytes } from 'node:crypto';
import { idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { assignColumns } from './assign-columns.ts';
import type { UserRow } from './user-table.ts';

/** The row of `shared_keys` that each of these statements writes. Its value means nothing. */
const guard = 'administrators';

/** SQL: whether the row is of a user who can rescue an installation: who signs in, by a password or a passkey. */
export function isAdministrator(table: string): string {
  return `(${table}.enabled = 1 AND ${table}.user_type = 'Person' AND COALESCE(${table}.password_hash, ${table}.guarded_hash, ${table}.imported_hash) IS NOT NULL
    AND ${table}.roles LIKE 'SystemAdministrator%')`;
}

/** A change of one row of `users`, which has the `expected` values. */
export interface RowChange {
  id: string;
  columns: Partial<UserRow>;
  expected: Partial<UserRow>;
}

/** The condition that finds the row, with its parameters. */
export function matchRow(table: string, { id, expected }: Pick<RowChange, 'id' | 'expected'>) {
  const conditions = Object.entries(expected).map(([column, value]) =>
    value === null ? `${table}.${column} IS NULL` : `${table}.${column} = ?`,
  );
  const compared = Object.values(expected).filter((value) => value !== null);
  return {
    where: [`${table}.id = ?`, ...conditions].join(' AND '),
    parameters: [idToBytes(id), ...compared] as unknown[],
  };
}

/**
 * Changes the row of an administrator, who may be none afterwards, while another administrator is there. False where there
 * is none, or no row matches. One statement: of two administrators who demote each other at the same moment one stays.
 * On MySQL it locks the other administrators and writes one row that all of these statements write, so primaries that
 * both take writes see a conflict (ADR 61).
 */
export async function changeWhileAnotherStays(database: Database, change: RowChange): Promise<boolean> {
  const values = Object.values(change.columns);
  if (database.dialect !== 'mysql') {
    const { where, parameters } = matchRow('users', change);
    const sql = `UPDATE users SET ${assignColumns(database.dialect, change.columns)} WHERE ${where}
      AND EXISTS (SELECT 1 FROM users AS other WHERE other.id <> users.id AND ${isAdministrator('other')})`;
    return (await database.execute(sql, [...values, ...parameters])) === 1;
  }
  await database.execute('INSERT IGNORE INTO shared_keys (name, value) VALUES (?, ?)', [guard, randomBytes(32)]);
  const { where, parameters } = matchRow('changed', change);
  const sql = `UPDATE users AS changed
    JOIN users AS other ON other.id <> changed.id AND ${isAdministrator('other')}
    JOIN shared_keys AS guard ON guard.name = '${guard}'
    SET ${assignColumns(database.dialect, change.columns, 'changed')}, other.updated_at = other.updated_at, guard.value = ?
    WHERE ${where}`;
  return (await database.execute(sql, [...values, randomBytes(32), ...parameters])) > 0;
}
