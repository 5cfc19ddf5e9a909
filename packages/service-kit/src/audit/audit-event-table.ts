import type { EntitySchemaOptions } from 'typeorm';
import { columnTypes } from '../database/column-types.ts';
import type { Dialect } from '../database/database-url.ts';

export const auditEventTable = 'audit_events';

export interface AuditEventRow {
  id: Buffer;
  occurred_at: number;
  type: string;
  outcome: string;
  reason: string | null;
  actor_kind: string;
  actor_id: Buffer | null;
  actor_name: string | null;
  /** The name in the form that a search compares, without regard to case. */
  actor_key: string | null;
  subject_kind: string | null;
  subject_id: Buffer | null;
  subject_name: string | null;
  subject_key: string | null;
  client_id: string | null;
  request_id: string | null;
  address: string | null;
  /** JSON. */
  details: string;
  expires_at: number;
}

/** Each index ends with the id, which orders by time. So every filter gives the newest first without sorting. */
const firstIndices = {
  audit_events_type: ['type', 'id'],
  audit_events_actor: ['actor_id', 'id'],
  audit_events_actor_name: ['actor_key', 'id'],
  audit_events_subject: ['subject_id', 'id'],
  audit_events_subject_name: ['subject_key', 'id'],
  audit_events_expiry: ['expires_at'],
};

/** Those that came later, by a migration of their own. */
const laterIndices = {
  audit_events_client: ['client_id', 'id'],
  audit_events_request: ['request_id', 'id'],
  audit_events_reason: ['reason', 'id'],
  audit_events_address: ['address', 'id'],
};

export function auditEventEntity(dialect: Dialect): EntitySchemaOptions<AuditEventRow> {
  const { ascii, bytes, document, instant, unicode } = columnTypes(dialect);
  const nullable = true;
  return {
    name: 'AuditEvent',
    tableName: auditEventTable,
    columns: {
      id: { ...bytes(16), primary: true },
      occurred_at: instant(),
      type: ascii(64),
      outcome: ascii(16),
      reason: { ...ascii(64), nullable },
      actor_kind: ascii(16),
      actor_id: { ...bytes(16), nullable },
      actor_name: { ...unicode(255), nullable },
      actor_key: { ...unicode(255), nullable },
      subject_kind: { ...ascii(16), nullable },
      subject_id: { ...bytes(16), nullable },
      subject_name: { ...unicode(255), nullable },
      subject_key: { ...unicode(255), nullable },
      client_id: { ...ascii(255), nullable },
      request_id: { ...ascii(128), nullable },
      address: { ...ascii(64), nullable },
      details: document(),
      expires_at: instant(),
    },
    indices: Object.entries({ ...firstIndices, ...laterIndices }).map(([name, columns]) => ({ name, columns })),
  };
}

/** The statements that make the table, for a migration. */
export function createAuditEventTable(dialect: Dialect): string[] {
  const mysql = dialect === 'mysql';
  const bytes = mysql ? 'binary(16)' : 'blob';
  const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''}`;
  const unicode = mysql ? 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : '';
  const name = `varchar(255) ${unicode}`;
  const table = `CREATE TABLE ${auditEventTable} (
      id ${bytes} PRIMARY KEY NOT NULL,
      occurred_at bigint NOT NULL,
      type ${ascii(64)} NOT NULL,
      outcome ${ascii(16)} NOT NULL,
      reason ${ascii(64)},
      actor_kind ${ascii(16)} NOT NULL,
      actor_id ${bytes},
      actor_name ${name},
      actor_key ${name},
      subject_kind ${ascii(16)},
      subject_id ${bytes},
      subject_name ${name},
      subject_key ${name},
      client_id ${ascii(255)},
      request_id ${ascii(128)},
      address ${ascii(64)},
      details text ${unicode} NOT NULL,
      expires_at bigint NOT NULL
    )`;
  return [table, ...createIndices(firstIndices)];
}

function createIndices(indices: Record<string, string[]>): string[] {
  return Object.entries(indices).map(
    ([index, columns]) => `CREATE INDEX ${index} ON ${auditEventTable} (${columns.join(', ')})`,
  );
}

/** The statements that add the later indices. MySQL reads the table once for all of them, and keeps taking writes, or refuses. */
export function addAuditEventIndices(dialect: Dialect): string[] {
  if (dialect === 'sqlite') return createIndices(laterIndices);
  const added = Object.entries(laterIndices).map(([index, columns]) => `ADD INDEX ${index} (${columns.join(', ')})`);
  return [`ALTER TABLE ${auditEventTable} ${added.join(', ')}, LOCK=NONE`];
}

/** The statements that take them away. SQLite finds an index by its name alone. */
export function dropAuditEventIndices(dialect: Dialect): string[] {
  const of = dialect === 'mysql' ? ` ON ${auditEventTable}` : '';
  return Object.keys(laterIndices).map((index) => `DROP INDEX ${index}${of}`);
}
