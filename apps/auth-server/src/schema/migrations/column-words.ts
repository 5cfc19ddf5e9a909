import type { Dialect } from '@gatehouse/service-kit/database';

/** The SQL of the column types that `columnTypes` gives entities. */
export interface ColumnWords {
  bytes(length: number): string;
  ascii(length: number): string;
  unicode(length: number): string;
  document: string;
  file: string;
  integer: string;
  flag: string;
}

export const columnWords: Record<Dialect, ColumnWords> = {
  sqlite: {
    bytes: () => 'blob',
    ascii: (length) => `varchar(${length})`,
    unicode: (length) => `varchar(${length})`,
    document: 'text',
    file: 'blob',
    integer: 'integer',
    flag: 'integer',
  },
  mysql: {
    bytes: (length) => `binary(${length})`,
    ascii: (length) => `varchar(${length}) CHARACTER SET ascii COLLATE ascii_bin`,
    unicode: (length) => `varchar(${length}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
    document: 'text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    file: 'blob',
    integer: 'int',
    flag: 'tinyint',
  },
};
