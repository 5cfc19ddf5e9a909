import type { EntitySchemaOptions } from 'typeorm';
import { columnTypes } from '../database/column-types.ts';
import type { Dialect } from '../database/database-url.ts';

export const knownNetworkTable = 'known_networks';

/** A network from which a name authenticated: the pair and the name, each as a hash. */
export interface KnownNetworkRow {
  pair_hash: Buffer;
  name_hash: Buffer;
  expires_at: number;
  /** The first success; null where a release stored the row that did not know this column. */
  known_since: number | null;
}

export function knownNetworkEntity(dialect: Dialect): EntitySchemaOptions<KnownNetworkRow> {
  const column = columnTypes(dialect);
  return {
    name: 'KnownNetwork',
    tableName: knownNetworkTable,
    columns: {
      pair_hash: { ...column.bytes(32), primary: true },
      name_hash: column.bytes(32),
      expires_at: column.instant(),
      known_since: { ...column.instant(), nullable: true },
    },
    indices: [
      { name: 'known_networks_name', columns: ['name_hash', 'expires_at'] },
      { name: 'known_networks_expiry', columns: ['expires_at'] },
    ],
  };
}

/** The statement that adds the column of a later release, for a migration. */
export const addKnownSince = `ALTER TABLE ${knownNetworkTable} ADD COLUMN known_since bigint NULL`;

/** The statements that make the table as it was at first, for a migration. */
export function createKnownNetworkTable(dialect: Dialect): string[] {
  const bytes = dialect === 'mysql' ? 'binary(32)' : 'blob';
  return [
    `CREATE TABLE ${knownNetworkTable} (
      pair_hash ${bytes} PRIMARY KEY NOT NULL,
      name_hash ${bytes} NOT NULL,
      expires_at bigint NOT NULL
    )`,
    `CREATE INDEX known_networks_name ON ${knownNetworkTable} (name_hash, expires_at)`,
    `CREATE INDEX known_networks_expiry ON ${knownNetworkTable} (expires_at)`,
  ];
}
