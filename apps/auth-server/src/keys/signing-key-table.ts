import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

// Signing keys.

export interface SigningKeyRow {
  kid: string;
  algorithm: string;
  generation: number;
  public_jwk: string;
  encrypted_private_key: string;
  publish_at: number;
  sign_from: number;
  expires_at: number;
}

export const signingKeys = (column: ColumnTypes): EntitySchemaOptions<SigningKeyRow> => ({
  name: 'SigningKey',
  tableName: 'signing_keys',
  columns: {
    kid: { ...column.ascii(64), primary: true },
    algorithm: column.ascii(16),
    generation: column.integer(),
    public_jwk: column.document(),
    encrypted_private_key: column.document(),
    publish_at: column.instant(),
    sign_from: column.instant(),
    expires_at: column.instant(),
  },
  indices: [
    { name: 'signing_keys_generation', columns: ['algorithm', 'generation'], unique: true },
    { name: 'signing_keys_expiry', columns: ['expires_at'] },
  ],
});
