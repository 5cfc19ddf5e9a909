import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';
import type { UseKind } from './client-use.ts';

export interface ClientUseRow {
  registration: Buffer;
  /** Or `beginning`, in the row that says since when uses are noted. */
  kind: UseKind;
  used_at: number;
}

export const clientUses = (column: ColumnTypes): EntitySchemaOptions<ClientUseRow> => ({
  name: 'ClientUse',
  tableName: 'client_uses',
  columns: {
    registration: { ...column.bytes(16), primary: true },
    kind: { ...column.ascii(32), primary: true },
    used_at: column.instant(),
  },
  indices: [{ name: 'client_uses_time', columns: ['kind', 'used_at', 'registration'] }],
});
