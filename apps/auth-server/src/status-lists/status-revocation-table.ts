import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface StatusRevocationRow {
  list_id: number;
  first_index: number;
  size: number;
  expires_at: number;
  /**
   * Greater than that of every row of the list that was there before. Of rows that one statement stores, one has such a
   * number, and the others have 1. Rows of the release before have 0.
   */
  change_number: number;
}

export const statusRevocations = (column: ColumnTypes): EntitySchemaOptions<StatusRevocationRow> => ({
  name: 'StatusRevocation',
  tableName: 'status_revocations',
  columns: {
    list_id: { ...column.integer(), primary: true },
    first_index: { ...column.integer(), primary: true },
    size: { ...column.integer(), primary: true },
    expires_at: column.instant(),
    change_number: { ...column.integer(), default: 0 },
  },
  indices: [
    { name: 'status_revocations_expiry', columns: ['expires_at'] },
    { name: 'status_revocations_change', columns: ['list_id', 'change_number'] },
  ],
});
