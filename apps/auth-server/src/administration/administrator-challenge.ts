import { dpopAlgorithms } from '@gatehouse/resource-server/parts';
import { type Level, type OAuthError, ProblemError, type ProblemOptions } from '@gatehouse/shared';
import type { AdministratorRefused } from '../events/event.ts';

interface Refusal extends ProblemOptions, Pick<AdministratorRefused, 'why'> {
  /** The subject that the credentials named, where it is not the name that they hold. */
  claimed?: AdministratorRefused['claimed'] | undefined;
}

/** The sign-in that a challenge asks for. */
interface Demanded {
  acr?: Level | undefined;
  maxAge?: number;
}

const signInAgainText = 'the user must sign in again, or by another method';
const statuses = { not_authenticated: 401, not_allowed: 403, limited: 429 } as const;

/** A caller may not administer. `why` and `claimed` are for the audit trail; the answer does not tell them. */
export class AdministratorRefusal extends ProblemError {
  readonly why: AdministratorRefused['why'];
  readonly claimed: AdministratorRefused['claimed'] | undefined;

  constructor(detail: string, { why, claimed, ...options }: Refusal) {
    super(statuses[why], detail, options);
    this.why = why;
    this.claimed = claimed;
  }
}

/**
 * The 401 answers to a caller who does not prove who it is. Each names every way to do so (RFC 9110 11.6.1); where a token came, the ways
 * of tokens alone: a browser answers Basic by a window of its own, and keeps the answer from the page that asked.
 */
export type AdministratorChallenge = ReturnType<typeof createAdministratorChallenge>;

export function createAdministratorChallenge(realm: string) {
  const basic = `Basic realm="${realm}", charset="UTF-8"`;
  const bearer = `Bearer realm="${realm}"`;
  const dpop = `DPoP realm="${realm}", algs="${dpopAlgorithms.join(' ')}"`;
  const withError = (challenge: string, code: string, description: string) =>
    `${challenge}, error="${code}", error_description="${description}"`;
  const demandSignIn = ({ acr, maxAge }: Demanded) =>
    [bearer, dpop].map((scheme) =>
      [
        withError(scheme, 'insufficient_user_authentication', signInAgainText),
        ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
        ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
      ].join(', '),
    );
  const listForProof = ({ code, message }: OAuthError) => [bearer, withError(dpop, code, message)];
  const refuse = (detail: string, challenges: readonly string[], more: Pick<Refusal, 'reason' | 'claimed'> = {}) =>
    new AdministratorRefusal(detail, { ...more, why: 'not_authenticated', challenge: challenges.join(', ') });

  return {
    unauthenticated: (detail: string, more?: Pick<Refusal, 'reason' | 'claimed'>) =>
      refuse(detail, [basic, bearer, dpop], more),
    /** The header has the scheme of a token, and none. */
    noToken: (detail: string) => refuse(detail, [bearer, dpop]),
    /** RFC 6750 3.1: the access token opens nothing here. `reason` is for the log. */
    invalidToken: (detail: string, reason?: string) =>
      refuse(detail, [withError(bearer, 'invalid_token', detail), dpop], { reason }),
    /** RFC 9470 3: the user must sign in again, by a higher level. */
    insufficientLevel: (acr: Level) =>
      refuse(signInAgainText, demandSignIn({ acr }), { reason: `the level ${acr} is required` }),
    /** The same for an act that takes a fresh sign-in, which is no refusal. `maxAge`: seconds. */
    staleSignIn: (demanded: Demanded & { maxAge: number }) =>
      new ProblemError(401, signInAgainText, {
        challenge: demandSignIn(demanded).join(', '),
        reason: `a sign-in of the last ${demanded.maxAge} seconds is required`,
      }),
    /** RFC 9449 7.1: the proof is missing or wrong. */
    invalidProof: (error: OAuthError) => refuse(error.message, listForProof(error), { reason: error.code }),
    /** RFC 9449 9: the first proof of a sender lacks a nonce, which is no refusal. */
    useNonce: (error: OAuthError) =>
      new ProblemError(401, error.message, { challenge: listForProof(error).join(', '), reason: error.code }),
  };
}
