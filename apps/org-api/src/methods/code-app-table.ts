import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface CodeAppRow {
  user_id: Buffer;
  sealed_secret: string;
  /** The time step of the last code that was used (RFC 6238 5.2). */
  last_step: number;
  created_at: number;
  last_used_at: number | null;
}

export function codeAppEntity(dialect: Dialect): EntitySchemaOptions<CodeAppRow> {
  const column = columnTypes(dialect);
  return {
    name: 'CodeApp',
    tableName: 'code_apps',
    columns: {
      user_id: { ...column.bytes(16), primary: true },
      sealed_secret: column.ascii(255),
      last_step: column.integer(),
      created_at: column.instant(),
      last_used_at: { ...column.instant(), nullable: true },
    },
  };
}
