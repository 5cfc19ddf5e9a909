import type { Clock } from '../clock.ts';
import { networkOf } from '../guess-limit/network.ts';
import { createIdAt } from '../time-ordered-id.ts';

/** Everything that can have happened. Each service writes the types that are its own; docs/operations/audit.md says which. */
export const auditEventTypes = [
  'client.registered',
  'client.changed',
  'client.secret_replaced',
  'client.deleted',
  'user.created',
  'user.changed',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_change_refused',
  'user.deleted',
  'sign_in.succeeded',
  'sign_in.refused',
  'sign_out',
  'consent.given',
  'consent.denied',
  'consent.withdrawn',
  'token.revoked',
  'grant.ended',
  'refresh_token.repeated',
  'client_authentication.refused',
  'administrator.refused',
  'keys.rotated',
] as const;
export type AuditEventType = (typeof auditEventTypes)[number];

/** Why something was refused; an event without a reason succeeded. */
export const auditReasons = [
  'wrong_credentials',
  'unknown_client',
  'user_disabled',
  'role_missing',
  'denied_by_user',
  'code_replayed',
  'refresh_token_replayed',
  'left_out',
] as const;
export type AuditReason = (typeof auditReasons)[number];

export const auditOutcomes = ['succeeded', 'refused'] as const;

/** `service`: the program itself; `anonymous`: nobody who has proved who it is; `keys`: the signing keys of the realm. */
export const auditPartyKinds = ['user', 'client', 'service', 'anonymous', 'keys'] as const;

/** Who did it, or to whom it was done. */
export interface AuditParty {
  kind: (typeof auditPartyKinds)[number];
  /** UUID: of a user, or of a client's registration. */
  id?: string | undefined;
  /** A username, a client_id, the name of a service. */
  name?: string | undefined;
}

/** What happened, as whoever saw it tells it. Never holds a password, a secret, a code or a token. */
export interface AuditEntry {
  type: AuditEventType;
  actor: AuditParty;
  /** Left out where nobody knows about whom it was. */
  subject?: AuditParty | undefined;
  /** Left out where no request asked for it. */
  origin?: { requestId: string; address: string };
  /** Of the client through which it was done. */
  clientId?: string | undefined;
  reason?: AuditReason;
  /** Names and numbers that tell more; of what was changed the names of the fields alone. */
  details?: Record<string, string | number | boolean | readonly string[]>;
}

/** What a refusal was about: `unknown` is a name that nobody has, `nobody` no name at all. */
export const refusedSubjectKinds = ['client', 'user', 'unknown', 'nobody'] as const;
export type RefusedSubjectKind = (typeof refusedSubjectKinds)[number];

/**
 * About whom a refusal was. Somebody exists who has an id, or who has proved to be the actor. `key` then tells one
 * existing subject, and one way of trying to be it, from the others.
 */
export function findRefusedSubject(refusal: AuditEntry): { kind: RefusedSubjectKind; key?: string } {
  const { actor, subject, reason, details } = refusal;
  const party = actor.kind === 'anonymous' ? subject : actor;
  if (party === undefined) return { kind: reason === 'unknown_client' ? 'unknown' : 'nobody' };
  if (party === subject && party.id === undefined) return { kind: 'unknown' };
  const kind = party.kind === 'client' ? 'client' : 'user';
  return { kind, key: [party.id ?? party.name, details?.method ?? details?.by].join(' ') };
}

/** An event as it is kept. */
export interface AuditEvent extends Omit<AuditEntry, 'origin' | 'details'> {
  /** UUIDv7 of `occurredAt`. */
  id: string;
  /** Milliseconds. */
  occurredAt: number;
  outcome: (typeof auditOutcomes)[number];
  requestId: string | undefined;
  /** The caller's network, as the guess limit counts it: an IPv4 address, or of an IPv6 address the first 64 bits. */
  address: string | undefined;
  details: NonNullable<AuditEntry['details']>;
}

export type BuildAuditEvent = (entry: AuditEntry) => AuditEvent;

/** Events of one process follow each other in the order of their ids, also within a millisecond. */
export function createBuildAuditEvent(clock: Clock): BuildAuditEvent {
  let sequence = 0;
  return ({ origin, ...entry }) => {
    const occurredAt = clock();
    sequence += 1;
    return {
      ...entry,
      id: createIdAt(occurredAt, sequence),
      occurredAt,
      outcome: entry.reason === undefined ? 'succeeded' : 'refused',
      requestId: origin?.requestId,
      address: origin && formatNetwork(origin.address),
      details: entry.details ?? {},
    };
  };
}

function formatNetwork(address: string): string {
  const network = networkOf(address);
  return network.includes(':') ? `${network}::/64` : network;
}
