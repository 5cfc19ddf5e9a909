import { foldUsername } from '@gatehouse/shared';
import type { Database } from '../database/database.ts';
import { findIdBytes, idFromBytes, idToBytes, lowestIdAt } from '../time-ordered-id.ts';
import { type AuditEvent, type AuditParty, auditReasons } from './audit-event.ts';
import { type AuditEventRow, auditEventTable } from './audit-event-table.ts';
import { mergeEvents } from './merge-events.ts';

/** Which events to read, newest first. An absent member filters nothing. */
export interface AuditQuery {
  /** Any of these. */
  types?: readonly string[] | undefined;
  /** A name, without regard to case, or an id. */
  actor?: string | undefined;
  subject?: string | undefined;
  clientId?: string | undefined;
  requestId?: string | undefined;
  outcome?: AuditEvent['outcome'] | undefined;
  reason?: AuditEvent['reason'];
  /** The caller's network, in the form of an event. */
  address?: string | undefined;
  /** Milliseconds, inclusive. */
  from?: number | undefined;
  /** Milliseconds, exclusive. */
  to?: number | undefined;
  /** The id of the last event of the page before. */
  after?: string | undefined;
  limit: number;
}

export interface AuditEventStore {
  /** Inserts all of them by one statement. Events that are stored already stay as they are. */
  insert(events: readonly AuditEvent[]): Promise<void>;
  list(query: AuditQuery): Promise<AuditEvent[]>;
}

const dayLength = 86_400_000;

/** `retentionDays` says how long a row stays. Each row stores its own end. */
export function createAuditEventStore(database: Database, retentionDays: number): AuditEventStore {
  // Vitess spreads rows by the id, and takes no statement that assigns it.
  const ignoreKnown =
    database.dialect === 'mysql' ? 'ON DUPLICATE KEY UPDATE occurred_at = occurred_at' : 'ON CONFLICT (id) DO NOTHING';
  return {
    async insert(events) {
      const rows = events.map((event) => rowFromEvent(event, event.occurredAt + retentionDays * dayLength));
      const columns = Object.keys(rows[0] ?? {});
      if (columns.length === 0) return;
      const marks = `(${columns.map(() => '?').join(', ')})`;
      const sql = `INSERT INTO ${auditEventTable} (${columns.join(', ')}) VALUES ${rows.map(() => marks).join(', ')}`;
      await database.execute(`${sql} ${ignoreKnown}`, rows.flatMap(Object.values));
    },
    async list(query) {
      const lists = splitQuery(query).map(async (part) => {
        const { where, values } = buildWhere(part);
        const sql = `SELECT * FROM ${auditEventTable}${where} ORDER BY id DESC LIMIT ${query.limit}`;
        return (await database.query<AuditEventRow>(sql, values)).map(eventFromRow);
      });
      return mergeEvents(await Promise.all(lists), query.limit);
    },
  };
}

type OfOneType = Omit<AuditQuery, 'types'> & { type?: string | undefined };

/**
 * The queries whose events together are those that are asked for. No index gives events of several types, or all refusals, in
 * the order of time: it gives those of each type, and of each reason.
 */
function splitQuery({ types, ...query }: AuditQuery): OfOneType[] {
  if (types !== undefined) return types.map((type) => ({ ...query, type }));
  const { actor, subject, clientId, requestId, reason, address } = query;
  const isIndexed = [actor, subject, clientId, requestId, reason, address].some((value) => value !== undefined);
  if (query.outcome !== 'refused' || isIndexed) return [query];
  return auditReasons.map((each) => ({ ...query, reason: each }));
}

/** Time is a range of ids, so that the index that filters is the one that sorts. */
function buildWhere(query: OfOneType): { where: string; values: unknown[] } {
  const { actor, subject, from, to, after } = query;
  const conditions: [string, unknown][] = Object.entries(plainColumns)
    .map(([column, member]): [string, unknown] => [`${column} = ?`, query[member]])
    .filter(([, value]) => value !== undefined);
  if (actor !== undefined) conditions.push(matchParty('actor', actor));
  if (subject !== undefined) conditions.push(matchParty('subject', subject));
  if (from !== undefined) conditions.push(['id >= ?', lowestIdAt(from)]);
  if (to !== undefined) conditions.push(['id < ?', lowestIdAt(to)]);
  if (after !== undefined) conditions.push(['id < ?', findIdBytes(after) ?? Buffer.alloc(16)]);
  const where = conditions.map(([condition]) => condition).join(' AND ');
  return { where: where === '' ? '' : ` WHERE ${where}`, values: conditions.map(([, value]) => value) };
}

/** The columns that are compared as they are. */
const plainColumns = {
  type: 'type',
  client_id: 'clientId',
  request_id: 'requestId',
  outcome: 'outcome',
  reason: 'reason',
  address: 'address',
} as const;

function matchParty(party: 'actor' | 'subject', nameOrId: string): [string, unknown] {
  const id = findIdBytes(nameOrId);
  return id === undefined ? [`${party}_key = ?`, keyOf(nameOrId)] : [`${party}_id = ?`, id];
}

function rowFromEvent(event: AuditEvent, expiresAt: number): AuditEventRow {
  const { actor, subject } = event;
  return {
    id: idToBytes(event.id),
    occurred_at: event.occurredAt,
    type: event.type,
    outcome: event.outcome,
    reason: event.reason ?? null,
    actor_kind: actor.kind,
    ...columnsOfParty('actor', actor),
    subject_kind: subject?.kind ?? null,
    ...columnsOfParty('subject', subject),
    client_id: event.clientId ?? null,
    request_id: event.requestId ?? null,
    address: event.address?.slice(0, 64) ?? null,
    details: JSON.stringify(event.details),
    expires_at: expiresAt,
  };
}

type PartyColumns<Party extends string> = Record<`${Party}_id`, Buffer | null> &
  Record<`${Party}_name` | `${Party}_key`, string | null>;

function columnsOfParty<const Party extends string>(prefix: Party, party: AuditParty | undefined) {
  const { id, name } = party ?? {};
  return {
    [`${prefix}_id`]: id === undefined ? null : (findIdBytes(id) ?? null),
    [`${prefix}_name`]: name === undefined ? null : clip(name),
    [`${prefix}_key`]: name === undefined ? null : keyOf(name),
  } as PartyColumns<Party>;
}

function eventFromRow(row: AuditEventRow): AuditEvent {
  return {
    id: idFromBytes(row.id),
    occurredAt: Number(row.occurred_at),
    type: row.type as AuditEvent['type'],
    outcome: row.outcome as AuditEvent['outcome'],
    reason: (row.reason ?? undefined) as AuditEvent['reason'],
    actor: partyFromColumns(row.actor_kind, row.actor_id, row.actor_name),
    subject:
      row.subject_kind === null ? undefined : partyFromColumns(row.subject_kind, row.subject_id, row.subject_name),
    clientId: row.client_id ?? undefined,
    requestId: row.request_id ?? undefined,
    address: row.address ?? undefined,
    details: JSON.parse(row.details) as AuditEvent['details'],
  };
}

function partyFromColumns(kind: string, id: Buffer | null, name: string | null): AuditParty {
  return { kind: kind as AuditParty['kind'], id: id === null ? undefined : idFromBytes(id), name: name ?? undefined };
}

function keyOf(name: string): string {
  return clip(foldUsername(name));
}

function clip(name: string): string {
  return [...name].slice(0, 255).join('');
}
