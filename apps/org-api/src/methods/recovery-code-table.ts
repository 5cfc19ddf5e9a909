import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface RecoveryCodeRow {
  user_id: Buffer;
  /** argon2id of the code under the salt. */
  digest: Buffer;
  /** The same for all codes of a set, so that a try costs one hash. */
  salt: Buffer;
  created_at: number;
}

export function recoveryCodeEntity(dialect: Dialect): EntitySchemaOptions<RecoveryCodeRow> {
  const column = columnTypes(dialect);
  return {
    name: 'RecoveryCode',
    tableName: 'recovery_codes',
    columns: {
      user_id: { ...column.bytes(16), primary: true },
      digest: { ...column.bytes(32), primary: true },
      salt: column.bytes(16),
      created_at: column.instant(),
    },
  };
}
