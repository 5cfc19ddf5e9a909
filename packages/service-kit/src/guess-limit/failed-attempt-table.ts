import type { EntitySchemaOptions } from 'typeorm';
import { columnTypes } from '../database/column-types.ts';
import type { Dialect } from '../database/database-url.ts';

export const failedAttemptTable = 'failed_attempts';

/** One counted guess: its subject and its network, each as a hash. */
export interface FailedAttemptRow {
  id: Buffer;
  subject_hash: Buffer;
  address_hash: Buffer;
  expires_at: number;
}

export function failedAttemptEntity(dialect: Dialect): EntitySchemaOptions<FailedAttemptRow> {
  const column = columnTypes(dialect);
  return {
    name: 'FailedAttempt',
    tableName: failedAttemptTable,
    columns: {
      id: { ...column.bytes(16), primary: true },
      subject_hash: column.bytes(32),
      address_hash: column.bytes(32),
      expires_at: column.instant(),
    },
    indices: [
      { name: 'failed_attempts_subject', columns: ['subject_hash', 'expires_at'] },
      { name: 'failed_attempts_address', columns: ['address_hash', 'expires_at'] },
      { name: 'failed_attempts_expiry', columns: ['expires_at'] },
    ],
  };
}

/** The statements that make the table, for a service's first migration. */
export function createFailedAttemptTable(dialect: Dialect): string[] {
  const bytes = (length: number) => (dialect === 'mysql' ? `binary(${length})` : 'blob');
  const index = (name: string, columns: string) =>
    `CREATE INDEX failed_attempts_${name} ON ${failedAttemptTable} (${columns})`;
  return [
    `CREATE TABLE ${failedAttemptTable} (
      id ${bytes(16)} PRIMARY KEY NOT NULL,
      subject_hash ${bytes(32)} NOT NULL,
      address_hash ${bytes(32)} NOT NULL,
      expires_at bigint NOT NULL
    )`,
    index('subject', 'subject_hash, expires_at'),
    index('address', 'address_hash, expires_at'),
    index('expiry', 'expires_at'),
  ];
}
