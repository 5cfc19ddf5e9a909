import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface SharedKeyRow {
  name: string;
  value: Buffer;
}

export function sharedKeyEntity(dialect: Dialect): EntitySchemaOptions<SharedKeyRow> {
  const column = columnTypes(dialect);
  return {
    name: 'SharedKey',
    tableName: 'shared_keys',
    columns: { name: { ...column.ascii(64), primary: true }, value: column.bytes(32) },
  };
}
