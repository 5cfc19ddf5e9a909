import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface ConsentRow {
  user_id: string;
  registration_id: Buffer;
  client_id: string;
  scope: string;
  /** Null where no claim was allowed by name, and in rows of releases that did not store claims. */
  claims: string | null;
  /** JSON: resources other than org-api. Null where there are none. */
  resources: string | null;
  granted_at: number;
}

export const consents = (column: ColumnTypes): EntitySchemaOptions<ConsentRow> => ({
  name: 'Consent',
  tableName: 'consents',
  columns: {
    user_id: { ...column.ascii(64), primary: true },
    registration_id: { ...column.bytes(16), primary: true },
    client_id: column.ascii(255),
    scope: column.ascii(2048),
    claims: { ...column.ascii(2048), nullable: true },
    resources: { ...column.document(), nullable: true },
    granted_at: column.instant(),
  },
  indices: [{ name: 'consents_registration', columns: ['registration_id'] }],
});
