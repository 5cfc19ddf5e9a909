import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface LinkRow {
  token_hash: Buffer;
  link_id: Buffer;
  key_id: string;
  purpose: string;
  user_id: Buffer;
  address: string;
  data: string | null;
  password_changed_at: number;
  created_at: number;
  expires_at: number;
}

export const linkTable = 'mailed_links';

export function linkEntity(dialect: Dialect): EntitySchemaOptions<LinkRow> {
  const column = columnTypes(dialect);
  return {
    name: 'MailedLink',
    tableName: linkTable,
    columns: {
      token_hash: { ...column.bytes(32), primary: true },
      link_id: column.bytes(16),
      key_id: column.ascii(16),
      purpose: column.ascii(16),
      user_id: column.bytes(16),
      address: column.unicode(255),
      data: { ...column.document(), nullable: true },
      password_changed_at: column.instant(),
      created_at: column.instant(),
      expires_at: column.instant(),
    },
    indices: [
      { name: 'mailed_links_user_id', columns: ['user_id'] },
      { name: 'mailed_links_expires_at', columns: ['expires_at'] },
    ],
  };
}
