import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface ErasureRow {
  user_id: Buffer;
  erased_at: number;
  expires_at: number;
}

export const erasureTable = 'erasures';

export function erasureEntity(dialect: Dialect): EntitySchemaOptions<ErasureRow> {
  const column = columnTypes(dialect);
  return {
    name: 'Erasure',
    tableName: erasureTable,
    columns: {
      user_id: { ...column.bytes(16), primary: true },
      erased_at: column.instant(),
      expires_at: column.instant(),
    },
    indices: [
      { name: 'erasures_erased_at', columns: ['erased_at'] },
      { name: 'erasures_expires_at', columns: ['expires_at'] },
    ],
  };
}
