import type { EntitySchemaOptions } from 'typeorm';
import { columnTypes } from '../database/column-types.ts';
import type { Dialect } from '../database/database-url.ts';

export const refusalTable = 'refusals';

/** The most characters of a reason. */
export const longestReason = 1_024;

export interface RefusalRow {
  id: Buffer;
  occurred_at: number;
  request_id: string;
  operation: string;
  status: number;
  code: string;
  reason: string;
  client_id: string | null;
  /** In the form that is compared. */
  username: string | null;
  network: string;
  expires_at: number;
}

/** Each index of a filter ends with the id, which orders by time. */
const indices = {
  refusals_request: ['request_id', 'id'],
  refusals_client: ['client_id', 'id'],
  refusals_username: ['username', 'id'],
  refusals_expiry: ['expires_at'],
};

export function refusalEntity(dialect: Dialect): EntitySchemaOptions<RefusalRow> {
  const { ascii, bytes, instant, integer, unicode } = columnTypes(dialect);
  return {
    name: 'Refusal',
    tableName: refusalTable,
    columns: {
      id: { ...bytes(16), primary: true },
      occurred_at: instant(),
      request_id: ascii(128),
      operation: ascii(128),
      status: integer(),
      code: ascii(64),
      reason: unicode(longestReason),
      client_id: { ...ascii(255), nullable: true },
      username: { ...unicode(255), nullable: true },
      network: ascii(64),
      expires_at: instant(),
    },
    indices: Object.entries(indices).map(([name, columns]) => ({ name, columns })),
  };
}

/** The statements that make the table, for a migration. */
export function createRefusalTable(dialect: Dialect): string[] {
  const mysql = dialect === 'mysql';
  const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''}`;
  const unicode = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''}`;
  const table = `CREATE TABLE ${refusalTable} (
      id ${mysql ? 'binary(16)' : 'blob'} PRIMARY KEY NOT NULL,
      occurred_at bigint NOT NULL,
      request_id ${ascii(128)} NOT NULL,
      operation ${ascii(128)} NOT NULL,
      status ${mysql ? 'int' : 'integer'} NOT NULL,
      code ${ascii(64)} NOT NULL,
      reason ${unicode(longestReason)} NOT NULL,
      client_id ${ascii(255)},
      username ${unicode(255)},
      network ${ascii(64)} NOT NULL,
      expires_at bigint NOT NULL
    )`;
  const made = Object.entries(indices).map(
    ([index, columns]) => `CREATE INDEX ${index} ON ${refusalTable} (${columns.join(', ')})`,
  );
  return [table, ...made];
}
