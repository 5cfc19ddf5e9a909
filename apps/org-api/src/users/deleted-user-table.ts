import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface DeletedUserRow {
  user_id: Buffer;
  deleted_at: number;
  expires_at: number;
}

export const deletedUserTable = 'deleted_users';

export function deletedUserEntity(dialect: Dialect): EntitySchemaOptions<DeletedUserRow> {
  const column = columnTypes(dialect);
  return {
    name: 'DeletedUser',
    tableName: deletedUserTable,
    columns: {
      user_id: { ...column.bytes(16), primary: true },
      deleted_at: column.instant(),
      expires_at: column.instant(),
    },
    indices: [
      { name: 'deleted_users_deleted_at', columns: ['deleted_at'] },
      { name: 'deleted_users_expires_at', columns: ['expires_at'] },
    ],
  };
}
