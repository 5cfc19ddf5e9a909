import type { EntitySchemaOptions } from 'typeorm';
import { columnTypes } from '../database/column-types.ts';
import type { Dialect } from '../database/database-url.ts';

export const usedIdentifierTable = 'used_identifiers';

export interface UsedIdentifierRow {
  identifier_hash: Buffer;
  expires_at: number;
}

export function usedIdentifierEntity(dialect: Dialect): EntitySchemaOptions<UsedIdentifierRow> {
  const column = columnTypes(dialect);
  return {
    name: 'UsedIdentifier',
    tableName: usedIdentifierTable,
    columns: { identifier_hash: { ...column.bytes(32), primary: true }, expires_at: column.instant() },
    indices: [{ name: 'used_identifiers_expiry', columns: ['expires_at'] }],
  };
}

/** The statements that make the table, for a migration. */
export function createUsedIdentifierTable(dialect: Dialect): string[] {
  return [
    `CREATE TABLE ${usedIdentifierTable} (
      identifier_hash ${dialect === 'mysql' ? 'binary(32)' : 'blob'} PRIMARY KEY NOT NULL,
      expires_at bigint NOT NULL
    )`,
    `CREATE INDEX used_identifiers_expiry ON ${usedIdentifierTable} (expires_at)`,
  ];
}
