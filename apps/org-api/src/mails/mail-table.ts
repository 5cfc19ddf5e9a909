import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface MailRow {
  id: Buffer;
  kind: string;
  user_id: Buffer | null;
  address: string;
  language: string;
  /** The ids of the key and of the link, separated by a point; null where the mail has no link. */
  link: string | null;
  /** JSON. */
  data: string;
  tries: number;
  due_at: number;
  /** A day after the end of the mail. */
  expires_at: number;
}

export const mailTable = 'mails';

export function mailEntity(dialect: Dialect): EntitySchemaOptions<MailRow> {
  const column = columnTypes(dialect);
  return {
    name: 'Mail',
    tableName: mailTable,
    columns: {
      id: { ...column.bytes(16), primary: true },
      kind: column.ascii(32),
      user_id: { ...column.bytes(16), nullable: true },
      address: column.unicode(255),
      language: column.ascii(35),
      link: { ...column.ascii(64), nullable: true },
      data: column.document(),
      tries: column.integer(),
      due_at: column.instant(),
      expires_at: column.instant(),
    },
    indices: [
      { name: 'mails_due_at', columns: ['due_at'] },
      { name: 'mails_user_id', columns: ['user_id'] },
      { name: 'mails_expires_at', columns: ['expires_at'] },
    ],
  };
}
