import type { ColumnTypes } from '@gatehouse/service-kit/database';
import { EntitySchema } from 'typeorm';

export interface StatusRevocationRow {
  list_id: number;
  first_index: number;
  size: number;
  expires_at: number;
}

export const statusRevocations = (column: ColumnTypes) =>
  new EntitySchema<StatusRevocationRow>({
    name: 'StatusRevocation',
    tableName: 'status_revocations',
    columns: {
      list_id: { ...column.integer(), primary: true },
      first_index: { ...column.integer(), primary: true },
      size: { ...column.integer(), primary: true },
      expires_at: column.instant(),
    },
    indices: [{ name: 'status_revocations_expiry', columns: ['expires_at'] }],
  });
