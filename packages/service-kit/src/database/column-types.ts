import type { EntitySchemaColumnOptions } from 'typeorm';
import type { Dialect } from './database-url.ts';

/**
 * The column types of the services. Each behaves the same on SQLite and MySQL.
 * Instants are milliseconds since the epoch, so no time zone of a driver or server has an effect.
 */
export function columnTypes(dialect: Dialect) {
  const mysql = dialect === 'mysql';
  const ascii = mysql ? { charset: 'ascii', collation: 'ascii_bin' } : {};
  const unicode = mysql ? { charset: 'utf8mb4', collation: 'utf8mb4_bin' } : {};
  return {
    /** Bytes of a fixed length: an id, a hash. */
    bytes: (length: number): EntitySchemaColumnOptions => (mysql ? { type: 'binary', length } : { type: 'blob' }),
    /** Text of ASCII characters, compared byte for byte. */
    ascii: (length: number): EntitySchemaColumnOptions => ({ type: 'varchar', length, ...ascii }),
    /** Unicode text, compared byte for byte. */
    unicode: (length: number): EntitySchemaColumnOptions => ({ type: 'varchar', length, ...unicode }),
    /** Text of up to 65,535 bytes that is never searched: JSON, a form. */
    document: (): EntitySchemaColumnOptions => ({ type: 'text', ...unicode }),
    /** Up to 65,535 bytes that are never searched: an image. */
    file: (): EntitySchemaColumnOptions => ({ type: 'blob' }),
    instant: (): EntitySchemaColumnOptions => ({ type: 'bigint' }),
    integer: (): EntitySchemaColumnOptions => ({ type: mysql ? 'int' : 'integer' }),
    flag: (): EntitySchemaColumnOptions => ({ type: mysql ? 'tinyint' : 'integer' }),
  };
}

export type ColumnTypes = ReturnType<typeof columnTypes>;

/** The columns of a table, as a SELECT names them, but for those that no reader needs: the wider a row, the more each look-up costs. */
export function nameReadColumns(columns: object, unread: readonly string[]): string {
  return Object.keys(columns)
    .filter((name) => !unread.includes(name))
    .join(', ');
}
