import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface UsageCountRow {
  step: string;
  measure: string;
  /** Empty for all clients together. */
  client_id: string;
  starts_at: number;
  detail: string;
  /** The process that counted: no other writes the row. */
  writer: Buffer;
  amount: number;
  expires_at: number;
}

export const usageCountTable = 'usage_counts';

export const usageCounts = (column: ColumnTypes): EntitySchemaOptions<UsageCountRow> => ({
  name: 'UsageCount',
  tableName: usageCountTable,
  columns: {
    step: { ...column.ascii(8), primary: true },
    measure: { ...column.ascii(16), primary: true },
    client_id: { ...column.ascii(255), primary: true },
    starts_at: { ...column.instant(), primary: true },
    detail: { ...column.ascii(128), primary: true },
    writer: { ...column.bytes(16), primary: true },
    amount: column.integer(),
    expires_at: column.instant(),
  },
  indices: [
    { name: 'usage_counts_time', columns: ['step', 'measure', 'starts_at'] },
    { name: 'usage_counts_expiry', columns: ['expires_at'] },
  ],
});
