import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface GrantStatusRow {
  list_id: number;
  status_index: number;
  subject_list_id: number;
  subject_index: number;
  grant_id: Buffer;
  registration_id: Buffer;
  generation: number;
  expires_at: number;
}

export const grantStatuses = (column: ColumnTypes): EntitySchemaOptions<GrantStatusRow> => ({
  name: 'GrantStatus',
  tableName: 'grant_statuses',
  columns: {
    list_id: { ...column.integer(), primary: true },
    status_index: { ...column.integer(), primary: true },
    subject_list_id: { ...column.integer(), primary: true },
    subject_index: { ...column.integer(), primary: true },
    grant_id: column.bytes(16),
    registration_id: column.bytes(16),
    generation: column.integer(),
    expires_at: column.instant(),
  },
  indices: [
    { name: 'grant_statuses_grant', columns: ['grant_id'] },
    { name: 'grant_statuses_subject', columns: ['subject_list_id', 'subject_index'] },
    { name: 'grant_statuses_registration', columns: ['registration_id'] },
    { name: 'grant_statuses_expiry', columns: ['expires_at'] },
  ],
});
