import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface ClientOriginRow {
  origin_hash: Buffer;
  client_id: string;
  /** The version of the client that wrote it last. */
  written_at: number;
}

/** The origins of the pages of clients that registered themselves. */
export const clientOrigins = (column: ColumnTypes): EntitySchemaOptions<ClientOriginRow> => ({
  name: 'ClientOrigin',
  tableName: 'client_origins',
  columns: {
    origin_hash: { ...column.bytes(32), primary: true },
    client_id: { ...column.ascii(255), primary: true },
    written_at: column.instant(),
  },
  indices: [{ name: 'client_origins_client', columns: ['client_id'] }],
});
