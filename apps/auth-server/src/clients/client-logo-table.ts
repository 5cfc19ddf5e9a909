import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

/** A row of its own next to that of the client, so that nobody who reads a client reads an image. */
export interface ClientLogoRow {
  registration_id: Buffer;
  client_id: string;
  image: Buffer;
  digest: Buffer;
}

export const clientLogos = (column: ColumnTypes): EntitySchemaOptions<ClientLogoRow> => ({
  name: 'ClientLogo',
  tableName: 'client_logos',
  columns: {
    registration_id: { ...column.bytes(16), primary: true },
    client_id: column.ascii(255),
    image: column.file(),
    digest: column.bytes(32),
  },
});
