import { dpopAlgorithms } from '@gatehouse/resource-server/parts';
import { type OAuthError, ProblemError } from '@gatehouse/shared';
import { findRefusedClient } from '../clients/refused-client.ts';
import type { AdministratorRefused, ClaimedUser } from '../events/event.ts';
import { parseBasicCredentials } from '../protocol/basic-credentials.ts';

interface Why {
  reason?: string | undefined;
  cause?: unknown;
}

/** The 401 answers to a caller who does not prove who it is. Each names every way to do so (RFC 9110 11.6.1). */
export interface AdministratorChallenge {
  /** `why` goes to the log and the audit trail and is never sent. */
  unauthenticated(detail: string, why?: Why): ProblemError;
  /** RFC 6750 3.1: the access token opens nothing here. `reason` is for the log. */
  invalidToken(detail: string, reason?: string): ProblemError;
  /** RFC 9449 7.1: the proof is missing or not good, or it only lacks a nonce. */
  invalidProof(error: OAuthError): ProblemError;
}

export function createAdministratorChallenge(realm: string): AdministratorChallenge {
  const basic = `Basic realm="${realm}", charset="UTF-8"`;
  const bearer = `Bearer realm="${realm}"`;
  const dpop = `DPoP realm="${realm}", algs="${dpopAlgorithms.join(' ')}"`;
  const refuse = (detail: string, challenges: readonly string[], { reason, cause }: Why = {}) =>
    new ProblemError(401, detail, {
      challenge: challenges.join(', '),
      cause,
      ...(reason === undefined ? {} : { reason }),
    });
  const withError = (challenge: string, code: string, description: string) =>
    `${challenge}, error="${code}", error_description="${description}"`;

  return {
    unauthenticated: (detail, why) => refuse(detail, [basic, bearer, dpop], why),
    invalidToken: (detail, reason) =>
      refuse(detail, [basic, withError(bearer, 'invalid_token', detail), dpop], { reason }),
    invalidProof: ({ code, message }) =>
      refuse(message, [basic, bearer, withError(dpop, code, message)], { reason: code }),
  };
}

/** The cause of a refusal: the user has another password. The audit trail names the user; the answer does not. */
export class WrongPasswordError extends Error {
  override readonly name = 'WrongPasswordError';
  readonly claimed: ClaimedUser;

  constructor(username: string, id: string | undefined) {
    super('the user has another password');
    this.claimed = { username, id };
  }
}

/** Why a caller is refused, and as whom it came. Undefined for what is no refusal. */
export function findAdministratorRefusal(
  error: unknown,
  authorization: string | undefined,
): Pick<AdministratorRefused, 'why' | 'claimed'> | undefined {
  const why = findReason(error);
  return why && { why, claimed: findClaim(error, authorization) };
}

/** Undefined for a failure inside, and for the first proof of a sender, which has no nonce yet (RFC 9449 9). */
function findReason(error: unknown): AdministratorRefused['why'] | undefined {
  if (!(error instanceof ProblemError) || error.reason === 'use_dpop_nonce') return undefined;
  if (error.status === 401) return 'not_authenticated';
  if (error.status === 403) return 'not_allowed';
  return error.status === 429 ? 'limited' : undefined;
}

function findClaim(error: unknown, authorization: string | undefined): AdministratorRefused['claimed'] {
  if (authorization === undefined) return 'nothing';
  if (error instanceof Error && error.cause instanceof WrongPasswordError) return error.cause.claimed;
  const username = parseBasicCredentials(authorization)?.userId;
  return findRefusedClient(error) ?? (username === undefined ? 'nobody' : { username, id: undefined });
}
