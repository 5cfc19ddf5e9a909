import { dpopAlgorithms } from '@gatehouse/dpop';
import { type OAuthError, ProblemError } from '@gatehouse/shared';

interface Why {
  reason?: string | undefined;
  cause?: unknown;
}

/** The 401 answers to a caller who does not prove who it is. Each names every way to do so (RFC 9110 11.6.1). */
export interface AdministratorChallenge {
  /** `why` goes to the log and the audit trail and is never sent. */
  unauthenticated(detail: string, why?: Why): ProblemError;
  /** RFC 6750 3.1: the access token opens nothing here. */
  invalidToken(detail: string): ProblemError;
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
    invalidToken: (detail) => refuse(detail, [basic, withError(bearer, 'invalid_token', detail), dpop]),
    invalidProof: ({ code, message }) =>
      refuse(message, [basic, bearer, withError(dpop, code, message)], { reason: code }),
  };
}
