import type { Dialect } from '@gatehouse/service-kit/database';
import type { UserRow } from './user-table.ts';

/**
 * The assignments of an UPDATE, with a mark for each value. `updated_at` is the version of a user: it becomes later with every change, even
 * where the clocks of two replicas disagree.
 */
export function assignColumns(dialect: Dialect, columns: Partial<UserRow>, table = 'users'): string {
  // SQLite takes no table in front of a column that is assigned.
  const prefix = table === 'users' ? '' : `${table}.`;
  const later = dialect === 'mysql' ? 'GREATEST' : 'MAX';
  return Object.keys(columns)
    .map((name) => `${prefix}${name} = ${name === 'updated_at' ? `${later}(?, ${prefix}updated_at + 1)` : '?'}`)
    .join(', ');
}
