import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface StatusBlockRow {
  list_id: number;
  first_index: number;
  size: number;
  registration_id: Buffer;
  generation: number;
  expires_at: number;
}

export const statusBlocks = (column: ColumnTypes): EntitySchemaOptions<StatusBlockRow> => ({
  name: 'StatusBlock',
  tableName: 'status_blocks',
  columns: {
    list_id: { ...column.integer(), primary: true },
    first_index: { ...column.integer(), primary: true },
    size: column.integer(),
    registration_id: column.bytes(16),
    generation: { ...column.integer(), default: 0 },
    expires_at: column.instant(),
  },
  indices: [
    { name: 'status_blocks_registration', columns: ['registration_id'] },
    { name: 'status_blocks_expiry', columns: ['expires_at'] },
  ],
});
