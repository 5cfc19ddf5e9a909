import { type Database, insertUnlessTaken, isInserted } from '@gatehouse/service-kit/database';
import type { WrittenClientRow } from './client-row.ts';
import type { ClientRow } from './client-table.ts';

/**
 * A default resource must exist: the statement that inserts the client reads its row, so that the deletion of the
 * resource comes before or after it.
 */
export async function insertClient(
  database: Database,
  row: WrittenClientRow & Pick<ClientRow, 'unused_hash'>,
): Promise<boolean> {
  const { default_resource_hash: defaultHash } = row;
  if (defaultHash === null) return insertUnlessTaken(database, 'clients', row);
  const columns = Object.keys(row);
  const sql = `INSERT INTO clients (${columns.join(', ')})
    SELECT ${columns.map(() => '?').join(', ')} FROM resources WHERE uri_hash = ?`;
  const inserting = database.execute(sql, [...Object.values(row), defaultHash]);
  return (await isInserted(inserting)) && (await inserting) === 1;
}
