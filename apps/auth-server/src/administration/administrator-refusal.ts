import type { AuditEntry, AuditParty } from '@gatehouse/service-kit';
import { type DirectoryUser, ProblemError } from '@gatehouse/shared';
import { describeClaimedUser, describeUser } from '../events/parties.ts';
import { findRefusedParty } from '../events/refused-party.ts';
import type { Origin } from '../protocol/request-context.ts';

/** What is known of somebody who may not administer. */
export interface RefusedAdministrator {
  /** Proved, but without the right. */
  user: DirectoryUser | undefined;
  /** What stood in the place of a username; undefined where none did. */
  claimedName?: string | undefined;
  /** What was to be administered, where that decided. */
  subject?: AuditParty;
  origin: Origin;
}

/** The event of a refusal; undefined for what is none: a limit, a failure inside. */
export function findAdministratorRefusal(error: unknown, refused: RefusedAdministrator): AuditEntry | undefined {
  if (!(error instanceof ProblemError) || (error.status !== 401 && error.status !== 403)) return undefined;
  // RFC 9449 9: a proof without nonce is how every sender begins.
  if (error.reason === 'use_dpop_nonce') return undefined;
  const { user, claimedName, subject, origin } = refused;
  return {
    type: 'administrator.refused',
    reason: findReason(error, user),
    actor: user === undefined ? { kind: 'anonymous' } : describeUser(user),
    subject: subject ?? (user === undefined ? (findRefusedParty(error) ?? describeClaim(claimedName)) : undefined),
    origin,
  };
}

function describeClaim(name: string | undefined): AuditParty | undefined {
  return name === undefined ? undefined : describeClaimedUser(name);
}

function findReason({ status }: ProblemError, user: DirectoryUser | undefined) {
  if (status === 401) return 'wrong_credentials';
  return user?.enabled === false ? 'user_disabled' : 'role_missing';
}
