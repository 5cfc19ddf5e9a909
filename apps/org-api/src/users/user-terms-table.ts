import { findIdBytes, idFromBytes } from '@gatehouse/service-kit';
import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import { type TermTable, termEntity } from '@gatehouse/service-kit/terms';

/** The terms by which users are searched and filtered. */
export const userTermTable: TermTable = {
  terms: 'user_terms',
  objects: 'users',
  id: 'user_id',
  objectId: 'id',
  readId: (value: Buffer) => idFromBytes(value),
  // A text that is no id stands before all of them.
  writeId: (id) => findIdBytes(id) ?? Buffer.alloc(16),
};

export const userTermEntity = (dialect: Dialect) =>
  termEntity(dialect, { name: 'UserTerm', ...userTermTable, idColumn: columnTypes(dialect).bytes(16) });
