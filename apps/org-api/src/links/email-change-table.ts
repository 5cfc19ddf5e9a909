import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface EmailChangeRow {
  user_id: Buffer;
  id: Buffer;
  old_email: string;
  old_verified: number;
  email: string;
  old_confirmed: number;
  new_confirmed: number;
  password_changed_at: number;
  counts_at: number;
  created_at: number;
  expires_at: number;
}

export const emailChangeTable = 'email_changes';

export function emailChangeEntity(dialect: Dialect): EntitySchemaOptions<EmailChangeRow> {
  const column = columnTypes(dialect);
  return {
    name: 'EmailChange',
    tableName: emailChangeTable,
    columns: {
      user_id: { ...column.bytes(16), primary: true },
      id: column.bytes(16),
      old_email: column.unicode(255),
      old_verified: column.integer(),
      email: column.unicode(255),
      old_confirmed: column.integer(),
      new_confirmed: column.integer(),
      password_changed_at: column.instant(),
      counts_at: column.instant(),
      created_at: column.instant(),
      expires_at: column.instant(),
    },
    indices: [
      { name: 'email_changes_counts_at', columns: ['counts_at'] },
      { name: 'email_changes_expires_at', columns: ['expires_at'] },
    ],
  };
}
