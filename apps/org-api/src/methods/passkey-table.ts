import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface PasskeyRow {
  /** SHA-256 of the credential id, which is too long for a key. */
  credential_hash: Buffer;
  id: Buffer;
  credential_id: Buffer;
  user_id: Buffer;
  user_handle: Buffer;
  public_key: Buffer;
  sign_count: number;
  /** 1 or 0, as the next two. */
  backup_eligible: number;
  backed_up: number;
  user_verified: number;
  /** Separated by spaces. */
  transports: string;
  aaguid: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
}

export const passkeyTable = 'passkeys';

export function passkeyEntity(dialect: Dialect): EntitySchemaOptions<PasskeyRow> {
  const column = columnTypes(dialect);
  return {
    name: 'Passkey',
    tableName: passkeyTable,
    columns: {
      credential_hash: { ...column.bytes(32), primary: true },
      id: column.bytes(16),
      credential_id: column.file(),
      user_id: column.bytes(16),
      user_handle: column.file(),
      public_key: column.file(),
      sign_count: column.instant(),
      backup_eligible: column.flag(),
      backed_up: column.flag(),
      user_verified: column.flag(),
      transports: column.ascii(255),
      aaguid: column.ascii(36),
      name: column.unicode(64),
      created_at: column.instant(),
      last_used_at: { ...column.instant(), nullable: true },
    },
    indices: [{ name: 'passkeys_user_id', columns: ['user_id'] }],
  };
}

/** A passkey that was deleted here, so that browsers can be told that it is of no use. */
export interface DeletedPasskeyRow {
  credential_hash: Buffer;
  expires_at: number;
}

export const deletedPasskeyTable = 'deleted_passkeys';

export function deletedPasskeyEntity(dialect: Dialect): EntitySchemaOptions<DeletedPasskeyRow> {
  const column = columnTypes(dialect);
  return {
    name: 'DeletedPasskey',
    tableName: deletedPasskeyTable,
    columns: {
      credential_hash: { ...column.bytes(32), primary: true },
      expires_at: column.instant(),
    },
    indices: [{ name: 'deleted_passkeys_expires_at', columns: ['expires_at'] }],
  };
}
