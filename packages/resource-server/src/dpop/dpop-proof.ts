import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose';
import { type Clock, toSeconds } from '../clock.ts';
import { clockTolerance } from '../jwt/clock-tolerance.ts';
import { parseUnverifiedJwt } from '../jwt/unverified-jwt.ts';
import { findPublicJwkFault } from '../keys/public-jwk.ts';
import type { DpopNonces } from './dpop-nonce.ts';
import type { UsedIdentifiers } from './used-identifiers.ts';

/** The signature algorithms of proofs (RFC 9449 4.2: asymmetric ones). RFC 9864 gives EdDSA the name Ed25519. */
export const dpopAlgorithms = ['ES256', 'Ed25519', 'EdDSA', 'PS256', 'RS256'] as const;

/** Seconds after `iat` for which a proof is valid, in addition to the tolerance for clocks. */
const proofLifetime = 60;
const oldestAge = proofLifetime + clockTolerance.behind;

/** The request a proof is for. */
export interface DpopRequest {
  method: string;
  /** Public URL of the endpoint, without query and fragment. */
  url: string;
  /** The access token that comes with the proof, if any. */
  accessToken?: string;
  /** The signature algorithms that the sender may use; all of {@link dpopAlgorithms} where absent. */
  algorithms?: readonly string[];
  /** Runs before the `jti` is stored, when everything else of the proof is right. Its errors are passed on. */
  beforeUse?: () => Promise<void>;
}

/**
 * Gives the thumbprint (`jkt`) of the key a proof was made with; throws `invalid_dpop_proof`, or `use_dpop_nonce` where
 * the proof has no nonce, or one that is too old (RFC 9449 4.3, 8).
 */
export type VerifyDpopProof = (proof: string, request: DpopRequest) => Promise<string>;

export type DpopErrorCode = 'invalid_dpop_proof' | 'use_dpop_nonce';

/** A proof is refused. The message is public. */
export class DpopProofError extends Error {
  override readonly name = 'DpopProofError';
  readonly code: DpopErrorCode;
  /** For the log. */
  readonly reason: string | undefined;

  constructor(code: DpopErrorCode, message: string, reason?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

interface Dependencies {
  /** Absent where proofs need no nonce. */
  nonces?: DpopNonces | undefined;
  usedIdentifiers: UsedIdentifiers;
  clock: Clock;
  /** Builds what is thrown for a proof that is refused; a {@link DpopProofError} if absent. */
  buildError?: (code: DpopErrorCode, message: string, reason?: string) => Error;
}

export function createVerifyDpopProof({
  nonces,
  usedIdentifiers,
  clock,
  buildError = (...parts) => new DpopProofError(...parts),
}: Dependencies): VerifyDpopProof {
  const { checkExpiry, checkRequest, checkNonce, invalidProof } = createChecks(buildError);
  const verify = async (proof: string, algorithms: readonly string[]) => {
    try {
      checkKey(parseUnverifiedJwt(proof).header.jwk);
      return await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: [...algorithms],
        requiredClaims: ['jti', 'htm', 'htu', 'iat'],
        // The library uses one tolerance for `iat`, `nbf`, the age and `exp`. `exp` is checked below with its own.
        clockTolerance: clockTolerance.ahead,
        maxTokenAge: oldestAge - clockTolerance.ahead,
        currentDate: new Date(toSeconds(clock()) * 1000),
      });
    } catch (error) {
      throw invalidProof(error instanceof Error ? error.message : 'not verifiable');
    }
  };

  return async (proof, request) => {
    const { payload, protectedHeader } = await verify(proof, request.algorithms ?? dpopAlgorithms);
    checkExpiry(payload, toSeconds(clock()));
    checkRequest(payload, request);
    if (nonces !== undefined) checkNonce(payload, nonces);
    const jkt = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
    await request.beforeUse?.();
    const identifier = createHash('sha256').update(`dpop\0${jkt}\0${payload.jti}`).digest();
    // The row lives as long as this proof is valid. Ages are whole seconds, so one second is added.
    const expiresAt = (Math.ceil(payload.iat ?? 0) + oldestAge + 1) * 1000;
    if (!(await usedIdentifiers.use(identifier, expiresAt))) throw invalidProof('the jti was used before');
    return jkt;
  };
}

/** RFC 9449 4.3, 7: a public key, and no private one. */
function checkKey(jwk: unknown): void {
  const fault = findPublicJwkFault(jwk);
  if (fault !== undefined) throw new Error(`the jwk is not a public key that is accepted: it ${fault}`);
}

/** The checks of a proof whose signature is good. */
function createChecks(buildError: Required<Dependencies>['buildError']) {
  const invalidProof = (reason: string): Error =>
    buildError('invalid_dpop_proof', `the DPoP proof is not valid for this request: ${reason}`, reason);
  return {
    invalidProof,
    checkExpiry({ exp }: JWTPayload, now: number): void {
      if (exp !== undefined && exp <= now - clockTolerance.behind)
        throw invalidProof('exp has passed; check the clock');
    },
    /** RFC 9449 4.3, 8, 9 and 12. */
    checkRequest({ htm, htu, ath }: JWTPayload, { method, url, accessToken }: DpopRequest): void {
      if (htm !== method) throw invalidProof('htm must be the method of the request');
      const expected = normalizeUrl(url);
      if (typeof htu !== 'string' || expected === undefined || normalizeUrl(htu) !== expected) {
        throw invalidProof('htu must be the URL of the request');
      }
      if (accessToken !== undefined && ath !== createHash('sha256').update(accessToken).digest('base64url')) {
        throw invalidProof('ath must be the hash of the access token');
      }
    },
    checkNonce({ nonce }: JWTPayload, nonces: DpopNonces): void {
      if (typeof nonce === 'string' && nonces.isGood(nonce)) return;
      throw buildError(
        'use_dpop_nonce',
        'repeat the request with a DPoP proof that has the nonce of the DPoP-Nonce header',
      );
    },
  };
}

function normalizeUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}
