import type { Clock } from '../clock.ts';
import { formatNetwork } from '../guess-limit/network.ts';
import type { RequestContext } from '../request-context.ts';
import { createIdAt } from '../time-ordered-id.ts';

/** All types of events. docs/operations/audit.md says which service writes which type. */
export const auditEventTypes = [
  'client.registered',
  'client.changed',
  'client.enabled',
  'client.disabled',
  'client.secret_replaced',
  'client.secret_ended',
  'client.deleted',
  'initial_token.created',
  'initial_token.deleted',
  'resource.created',
  'resource.changed',
  'resource.deleted',
  'issuer.created',
  'issuer.changed',
  'issuer.deleted',
  'upstream.created',
  'upstream.changed',
  'upstream.deleted',
  'users.imported',
  'users.exported',
  'clients.exported',
  'user.created',
  'user.changed',
  'user.invited',
  'invitation.withdrawn',
  'invitation.accepted',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_change_refused',
  'user.profile_changed',
  'user.password_reset',
  'user.deleted',
  'user.erased',
  'user.registered',
  'group.created',
  'group.changed',
  'group.deleted',
  'group.members_changed',
  'identity.linked',
  'identity.unlinked',
  'groups_claim.ignored',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'passkey.counter_behind',
  'code_app.added',
  'code_app.removed',
  'recovery_codes.made',
  'recovery_codes.removed',
  'recovery_code.used',
  'password.removed',
  'methods.reset',
  'password_reset.requested',
  'email.verified',
  'email_change.requested',
  'email_change.confirmed',
  'email_change.refused',
  'mail.failed',
  'mail.limited',
  'sign_in.succeeded',
  'sign_in.refused',
  'second_step.succeeded',
  'second_step.refused',
  'sign_out',
  'session.ended',
  'data.downloaded',
  'browser.remembered',
  'browser.forgotten',
  'consent.given',
  'consent.denied',
  'consent.withdrawn',
  'device.approved',
  'device.denied',
  'token.revoked',
  'grant.ended',
  'replay.refused',
  'refresh_token.repeated',
  'client_authentication.refused',
  'administrator.refused',
  'keys.rotated',
  'deployment.recovered',
] as const;
export type AuditEventType = (typeof auditEventTypes)[number];

/** The reasons of refusals. An event without a reason tells of a success. */
export const auditReasons = [
  'wrong_credentials',
  'unknown_client',
  'client_disabled',
  'user_disabled',
  'second_step_due',
  'not_in_group',
  'unknown_account',
  'upstream_failed',
  'role_missing',
  'denied_by_user',
  'code_replayed',
  'refresh_token_replayed',
  'left_out',
] as const;
export type AuditReason = (typeof auditReasons)[number];

export const auditOutcomes = ['succeeded', 'refused'] as const;

/**
 * `service` is the program itself, `anonymous` a caller who is not authenticated, `keys` the signing keys of the realm,
 * `resource` an API, `initial_token` an initial access token, `issuer` one whose tokens clients prove themselves by, `group` a group of
 * users, `upstream` another server where users sign in.
 */
export const auditPartyKinds = [
  'user',
  'client',
  'service',
  'anonymous',
  'keys',
  'resource',
  'initial_token',
  'issuer',
  'group',
  'upstream',
] as const;

/** The actor or the subject of an event. */
export interface AuditParty {
  kind: (typeof auditPartyKinds)[number];
  /** UUID: of a user, of a group, of a client's registration, of a resource, of an issuer, of an upstream, or of an initial access token. */
  id?: string | undefined;
  /** A username, a client_id, the name of a service or a group, the URI of a resource, the name of an issuer, the alias of an upstream. */
  name?: string | undefined;
}

/** A field that was changed, with its values before and after; without one where there was none, or it is not told. */
export interface FieldChange {
  field: string;
  from?: unknown;
  to?: unknown;
}

/** An event before it has an id and a time. It never holds a password, a secret, a code or a token. */
export interface AuditEntry {
  type: AuditEventType;
  actor: AuditParty;
  /** Absent where the subject is not known. */
  subject?: AuditParty | undefined;
  /** Absent where no request is the cause. */
  context?: RequestContext;
  /** The client through which the actor acted. */
  clientId?: string | undefined;
  reason?: AuditReason;
  /** Further names and numbers. Of a user's record these are the names of fields, never their values. */
  details?: Record<string, string | number | boolean | readonly string[] | readonly FieldChange[]>;
}

/** The kinds of subjects of refusals. `unknown` is a name that does not exist; `nobody` means that no name was sent. */
export type RefusedSubjectKind = 'client' | 'user' | 'unknown' | 'nobody';

/**
 * Finds the subject of a refusal. A subject exists if it has an id, or if it is the authenticated actor. For an existing
 * subject, `key` names the subject and the way in which it was tried.
 */
export function findRefusedSubject(refusal: AuditEntry): { kind: RefusedSubjectKind; key?: string } {
  const { actor, subject, reason, details } = refusal;
  const party = actor.kind === 'anonymous' ? subject : actor;
  if (party === undefined) return { kind: reason === 'unknown_client' ? 'unknown' : 'nobody' };
  if (party === subject && party.id === undefined) return { kind: 'unknown' };
  const kind = party.kind === 'client' ? 'client' : 'user';
  return { kind, key: [party.id ?? party.name, details?.method ?? details?.by].join(' ') };
}

/** An event as it is stored. */
export interface AuditEvent extends Omit<AuditEntry, 'context' | 'details'> {
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

/** Gives the events of one process ascending ids, also within a millisecond. */
export function createBuildAuditEvent(clock: Clock): BuildAuditEvent {
  let sequence = 0;
  return ({ context, ...entry }) => {
    const occurredAt = clock();
    sequence += 1;
    return {
      ...entry,
      id: createIdAt(occurredAt, sequence),
      occurredAt,
      outcome: entry.reason === undefined ? 'succeeded' : 'refused',
      requestId: context?.requestId,
      address: context && formatNetwork(context.address),
      details: entry.details ?? {},
    };
  };
}
