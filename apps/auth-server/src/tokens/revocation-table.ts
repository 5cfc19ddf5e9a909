import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface RevocationRow {
  subject_hash: Buffer;
  expires_at: number;
}

export const revocations = (column: ColumnTypes): EntitySchemaOptions<RevocationRow> => ({
  name: 'Revocation',
  tableName: 'revocations',
  columns: { subject_hash: { ...column.bytes(32), primary: true }, expires_at: column.instant() },
  indices: [{ name: 'revocations_expiry', columns: ['expires_at'] }],
});
