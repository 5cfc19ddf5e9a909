import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { connectDataSource } from '@gatehouse/service-kit/database/schema';

export type ColumnValue = string | number | Buffer | null;
export type TableRow = Record<string, ColumnValue>;

/** Writes rows into the database of a service, without the service. */
export interface TableWriter {
  /** Sends statements of many rows each. All rows have the columns of the first. */
  insert(table: string, rows: readonly TableRow[]): Promise<void>;
  run(sql: string, parameters?: readonly ColumnValue[]): Promise<unknown>;
  close(): Promise<void>;
}

/** SQLite takes at most 32,766 parameters in one statement. */
const rowsPerStatement = 500;

export async function openTableWriter(url: string): Promise<TableWriter> {
  const dataSource = await connectDataSource({ url: parseDatabaseUrl(url), entities: () => [], migrations: [] });
  const insertChunk = async (table: string, rows: readonly TableRow[]) => {
    const columns = Object.keys(rows[0] ?? {});
    const marks = `(${columns.map(() => '?').join(', ')})`;
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => marks).join(', ')}`;
    await dataSource.query(
      sql,
      rows.flatMap((row) => columns.map((column) => row[column])),
    );
  };
  return {
    async insert(table, rows) {
      for (let start = 0; start < rows.length; start += rowsPerStatement) {
        await insertChunk(table, rows.slice(start, start + rowsPerStatement));
      }
    },
    run: (sql, parameters = []) => dataSource.query(sql, [...parameters]),
    close: () => dataSource.destroy(),
  };
}
