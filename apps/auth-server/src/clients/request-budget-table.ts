import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface RequestBudgetRow {
  key_hash: Buffer;
  used: number;
  expires_at: number;
}

export const requestBudgets = (column: ColumnTypes): EntitySchemaOptions<RequestBudgetRow> => ({
  name: 'RequestBudget',
  tableName: 'request_budgets',
  columns: {
    key_hash: { ...column.bytes(32), primary: true },
    used: column.integer(),
    expires_at: column.instant(),
  },
  indices: [{ name: 'request_budgets_expiry', columns: ['expires_at'] }],
});
