import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface IssuerRow {
  id: Buffer;
  issuer_hash: Buffer;
  issuer: string;
  name: string;
  kind: string;
  /** JSON. */
  jwks: string | null;
  jwks_uri: string | null;
  signature_algorithms: string;
  created_at: number;
  updated_at: number;
  managed_by: string | null;
}

export const issuers = (column: ColumnTypes): EntitySchemaOptions<IssuerRow> => ({
  name: 'Issuer',
  tableName: 'issuers',
  columns: {
    id: { ...column.bytes(16), primary: true },
    issuer_hash: column.bytes(32),
    issuer: column.ascii(512),
    name: column.unicode(128),
    kind: column.ascii(16),
    jwks: { ...column.document(), nullable: true },
    jwks_uri: { ...column.ascii(512), nullable: true },
    signature_algorithms: column.ascii(255),
    created_at: column.instant(),
    updated_at: column.instant(),
    managed_by: { ...column.ascii(64), nullable: true },
  },
  indices: [{ name: 'issuers_issuer', columns: ['issuer_hash'], unique: true }],
});
