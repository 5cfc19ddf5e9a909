import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface IdentityRow {
  /** SHA-256 of issuer and subject. */
  account_hash: Buffer;
  id: Buffer;
  /** Null once the account is unlinked. */
  user_id: Buffer | null;
  /** SHA-256: an issuer is too long for an index. */
  issuer_hash: Buffer;
  /** From 1 to the most identities of a user: it is unique for a user, so there are no more. */
  number: number;
  issuer: string;
  subject: string;
  upstream: string;
  upstream_name: string;
  shown: string;
  linked_at: number;
  last_used_at: number | null;
  /** Null, and so is the next, as long as the account is linked. */
  unlinked_at: number | null;
  expires_at: number | null;
}

export const identityTable = 'identities';

export function identityEntity(dialect: Dialect): EntitySchemaOptions<IdentityRow> {
  const column = columnTypes(dialect);
  return {
    name: 'Identity',
    tableName: identityTable,
    columns: {
      account_hash: { ...column.bytes(32), primary: true },
      id: column.bytes(16),
      user_id: { ...column.bytes(16), nullable: true },
      issuer_hash: column.bytes(32),
      number: column.integer(),
      issuer: column.unicode(512),
      subject: column.unicode(512),
      upstream: column.ascii(32),
      upstream_name: column.unicode(64),
      shown: column.unicode(255),
      linked_at: column.instant(),
      last_used_at: { ...column.instant(), nullable: true },
      unlinked_at: { ...column.instant(), nullable: true },
      expires_at: { ...column.instant(), nullable: true },
    },
    indices: [
      { name: 'identities_issuer', columns: ['user_id', 'issuer_hash'], unique: true },
      { name: 'identities_number', columns: ['user_id', 'number'], unique: true },
      { name: 'identities_expires_at', columns: ['expires_at'] },
    ],
  };
}
