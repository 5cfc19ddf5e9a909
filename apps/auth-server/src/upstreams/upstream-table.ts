import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface UpstreamRow {
  id: Buffer;
  alias: string;
  display_name: string;
  enabled: number;
  kind: string;
  issuer: string;
  client_id: string;
  /** Encrypted. */
  client_secret: string | null;
  /** JSON: all else that administrators say of it. */
  members: string;
  created_at: number;
  updated_at: number;
}

export const upstreams = (column: ColumnTypes): EntitySchemaOptions<UpstreamRow> => ({
  name: 'Upstream',
  tableName: 'upstreams',
  columns: {
    id: { ...column.bytes(16), primary: true },
    alias: column.ascii(32),
    display_name: column.unicode(64),
    enabled: column.flag(),
    kind: column.ascii(16),
    issuer: column.ascii(512),
    client_id: column.ascii(255),
    client_secret: { ...column.ascii(1024), nullable: true },
    members: column.document(),
    created_at: column.instant(),
    updated_at: column.instant(),
  },
  indices: [{ name: 'upstreams_alias', columns: ['alias'], unique: true }],
});
