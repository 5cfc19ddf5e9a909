import type { EntitySchemaColumnOptions, EntitySchemaOptions } from 'typeorm';
import { columnTypes } from '../database/column-types.ts';
import type { Dialect } from '../database/database-url.ts';

/** The table of the terms of objects of one kind, and the table of these objects, which has a column `terms_at` and an `updated_at`. */
export interface TermTable {
  terms: string;
  objects: string;
  /** The column of the id of an object, in both tables. */
  id: string;
  objectId: string;
  /** Reads an id of the database as a text, and writes it. */
  readId(value: never): string;
  writeId(id: string): string | Buffer;
}

/** Characters of a term. */
const longestTerm = 64;

/** The words and values of objects, by which lists are searched and filtered. */
export function termEntity(
  dialect: Dialect,
  {
    name,
    terms,
    id,
    idColumn,
  }: Pick<TermTable, 'terms' | 'id'> & { name: string; idColumn: EntitySchemaColumnOptions },
): EntitySchemaOptions<{ term: string; written_at: number }> {
  const column = columnTypes(dialect);
  const options = {
    name,
    tableName: terms,
    columns: {
      term: { ...column.unicode(longestTerm), primary: true },
      [id]: { ...idColumn, primary: true },
      /** The version of the object that wrote it last. */
      written_at: column.instant(),
    },
    indices: [{ name: `${terms}_object`, columns: [id, 'term'] }],
  };
  return options as EntitySchemaOptions<{ term: string; written_at: number }>;
}

/** The statements that make the table, for a migration. `idType`: the SQL of the type of the id. */
export function createTermTable(
  dialect: Dialect,
  { terms, id }: Pick<TermTable, 'terms' | 'id'>,
  idType: string,
): string[] {
  const unicode = dialect === 'mysql' ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
  return [
    `CREATE TABLE ${terms} (
      term varchar(${longestTerm})${unicode} NOT NULL,
      ${id} ${idType} NOT NULL,
      written_at bigint NOT NULL,
      PRIMARY KEY (term, ${id})
    )`,
    `CREATE INDEX ${terms}_object ON ${terms} (${id}, term)`,
  ];
}
