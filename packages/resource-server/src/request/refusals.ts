import { dpopAlgorithms } from '../dpop/dpop-proof.ts';
import type { PresentedToken } from './presented-token.ts';
import { TokenError, type TokenErrorCode, type TokenErrorParts, type TokenRefusal } from './token-error.ts';

type Scheme = PresentedToken['scheme'];

/** Builds the errors of RFC 6750 3 and RFC 9449 7.1 with their challenges. */
export interface Refusals {
  missing(scopes: readonly string[]): TokenError;
  malformed(): TokenError;
  /** One public text whatever is wrong with the token. `reason`: what is wrong, for the log, where more than the refusal is known. */
  invalidToken(refusal: 'not_valid' | 'revoked' | 'wrong_scheme', scheme: Scheme, reason?: string): TokenError;
  /** `algorithms`: those that the token limits proofs to. */
  proof(code: 'invalid_dpop_proof' | 'use_dpop_nonce', detail: string, more: ProofDetails): TokenError;
  insufficientScope(scopes: readonly string[], scheme: Scheme): TokenError;
  /** Names no group: the caller need not learn who may. */
  insufficientGroups(scheme: Scheme): TokenError;
  /** RFC 9470 3: names what was demanded. */
  insufficientAuthentication(demanded: AuthenticationNeeds, scheme: Scheme): TokenError;
  unavailable(what: string): TokenError;
}

interface ProofDetails {
  nonce: string | undefined;
  algorithms?: readonly string[] | undefined;
}

export interface ChallengeOptions {
  /** RFC 9110 11.5. */
  realm?: string | undefined;
  /** The URL of the metadata of the API (RFC 9728 5.1). */
  resourceMetadata?: string | undefined;
}

/** The demands of a route on the sign-in of the user (RFC 9470). */
export interface AuthenticationNeeds {
  /** Values of `acr` that will do, each of them; any where left out. They are compared as text. */
  acr?: readonly string[] | undefined;
  /** Seconds since the user signed in, at most. */
  maxAge?: number | undefined;
}

type Parameters = Record<string, string | undefined>;

/** For the log. */
const reasons = {
  not_valid: 'not a token of this issuer for this API',
  revoked: 'revoked',
  wrong_scheme: 'presented by another scheme than its own',
};

/** Seconds. */
const retryAfter = 5;

export function createRefusals({ realm, resourceMetadata }: ChallengeOptions): Refusals {
  const challenge = (scheme: Scheme, parameters: Parameters) =>
    buildChallenge(scheme, {
      realm,
      ...(scheme === 'DPoP' ? { algs: dpopAlgorithms.join(' ') } : {}),
      ...parameters,
      resource_metadata: resourceMetadata,
    });
  const refuse = (
    parts: Pick<TokenErrorParts, 'status' | 'refusal' | 'reason'> & { code: TokenErrorCode; scheme: Scheme },
    detail: string,
    more: { nonce?: string | undefined; parameters?: Parameters } = {},
  ) => {
    const { scheme, ...rest } = parts;
    const parameters = { error: rest.code, error_description: detail, ...more.parameters };
    const nonce: Record<string, string> = more.nonce === undefined ? {} : { 'dpop-nonce': more.nonce };
    return new TokenError(detail, {
      ...rest,
      headers: { 'www-authenticate': challenge(scheme, parameters), ...nonce },
    });
  };

  return {
    // RFC 6750 3: a request without a token is told how to authenticate, and no error code.
    missing(scopes) {
      const parameters = { scope: scopes.length === 0 ? undefined : scopes.join(' ') };
      const challenges = [challenge('Bearer', parameters), challenge('DPoP', parameters)].join(', ');
      const detail = 'an access token is required; send it in the Authorization header';
      return new TokenError(detail, { status: 401, refusal: 'missing', headers: { 'www-authenticate': challenges } });
    },
    malformed: () =>
      refuse(
        { status: 400, refusal: 'malformed', code: 'invalid_request', scheme: 'Bearer', reason: undefined },
        'the Authorization header must be a scheme, a space and one access token',
      ),
    invalidToken: (refusal, scheme, reason = reasons[refusal]) =>
      refuse(
        { status: 401, refusal, code: 'invalid_token', scheme, reason },
        'the access token is malformed, expired, revoked or not meant for this service',
      ),
    proof: (code, detail, { nonce, algorithms }) =>
      refuse({ status: 401, refusal: 'proof', code, scheme: 'DPoP', reason: detail }, detail, {
        nonce,
        ...(algorithms && { parameters: { algs: algorithms.join(' ') } }),
      }),
    insufficientScope(scopes, scheme) {
      const scope = scopes.join(' ');
      const detail = `the access token lacks a scope of: ${scope}`;
      return refuse({ status: 403, refusal: 'scope', code: 'insufficient_scope', scheme, reason: detail }, detail, {
        parameters: { scope },
      });
    },
    insufficientGroups(scheme) {
      const detail = 'the user is in none of the groups that may do this, or the access token does not say so';
      return refuse({ status: 403, refusal: 'scope', code: 'insufficient_scope', scheme, reason: detail }, detail);
    },
    insufficientAuthentication({ acr, maxAge }, scheme) {
      const detail = 'the user must sign in again, or by another method';
      const code = 'insufficient_user_authentication';
      return refuse({ status: 401, refusal: 'authentication', code, scheme, reason: detail }, detail, {
        parameters: { acr_values: acr?.join(' '), max_age: maxAge?.toString() },
      });
    },
    unavailable: buildUnavailable,
  };
}

/** The 503 of an API that cannot tell now whether a token is good. The client may come again. */
export function buildUnavailable(what: string): TokenError {
  const refusal: TokenRefusal = 'unavailable';
  return new TokenError(`${what} out of reach; try again`, {
    status: 503,
    refusal,
    code: 'temporarily_unavailable',
    headers: { 'retry-after': String(retryAfter) },
    reason: `${what} out of reach`,
  });
}

/** RFC 9110 11.6.1. Parameters are quoted; what a quoted text cannot hold becomes another character (RFC 6750 3). */
function buildChallenge(scheme: Scheme, parameters: Parameters): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value = '']) => `${name}="${value.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, '?')}"`);
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(', ')}`;
}
