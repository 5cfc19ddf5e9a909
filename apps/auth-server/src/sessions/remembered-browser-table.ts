import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface RememberedBrowserRow {
  id: Buffer;
  token_hash: Buffer;
  user_id: string;
  password_changed_at: number;
  label: string;
  network: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
}

export const rememberedBrowserTable = 'remembered_browsers';

export const rememberedBrowsers = (column: ColumnTypes): EntitySchemaOptions<RememberedBrowserRow> => ({
  name: 'RememberedBrowser',
  tableName: rememberedBrowserTable,
  columns: {
    id: { ...column.bytes(16), primary: true },
    token_hash: column.bytes(32),
    user_id: column.ascii(64),
    password_changed_at: column.instant(),
    label: column.ascii(64),
    network: column.ascii(64),
    created_at: column.instant(),
    last_used_at: column.instant(),
    expires_at: column.instant(),
  },
  indices: [
    { name: 'remembered_browsers_token', columns: ['token_hash'] },
    { name: 'remembered_browsers_user', columns: ['user_id'] },
    { name: 'remembered_browsers_expiry', columns: ['expires_at'] },
  ],
});
