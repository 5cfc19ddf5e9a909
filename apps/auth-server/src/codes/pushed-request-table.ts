import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface PushedRequestRow {
  id_hash: Buffer;
  registration_id: Buffer;
  parameters: string;
  expires_at: number;
}

export const pushedRequests = (column: ColumnTypes): EntitySchemaOptions<PushedRequestRow> => ({
  name: 'PushedRequest',
  tableName: 'pushed_requests',
  columns: {
    id_hash: { ...column.bytes(32), primary: true },
    registration_id: column.bytes(16),
    parameters: column.document(),
    expires_at: column.instant(),
  },
  indices: [{ name: 'pushed_requests_expiry', columns: ['expires_at'] }],
});
