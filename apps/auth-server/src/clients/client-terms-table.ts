import type { ColumnTypes, Dialect } from '@gatehouse/service-kit/database';
import { type TermTable, termEntity } from '@gatehouse/service-kit/terms';

/** The terms by which clients are searched and filtered. */
export const clientTermTable: TermTable = {
  terms: 'client_terms',
  objects: 'clients',
  id: 'client_id',
  objectId: 'client_id',
  readId: (value: string) => value,
  writeId: (id) => id,
};

export const clientTerms = (dialect: Dialect, column: ColumnTypes) =>
  termEntity(dialect, { name: 'ClientTerm', ...clientTermTable, idColumn: column.ascii(255) });
