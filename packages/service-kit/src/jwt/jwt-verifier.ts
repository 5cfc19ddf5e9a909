import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock, toSeconds } from '../clock.ts';
import { findClaimsFault } from './claims-fault.ts';
import { type CompactJws, isOfType, isSignedByEs256, parseCompactJws, parseJsonObject } from './compact-jws.ts';

/** The public keys of ES256 that the auth server publishes now, by key id: the very same object as long as it is the same key. */
export interface VerificationKeys {
  /** Undefined where there is no such key; may reject where that cannot be known now. */
  find(kid: string): Promise<KeyObject | undefined>;
  /** The same without waiting; undefined also for a key that is not in hand. */
  findInHand(kid: string): KeyObject | undefined;
}

/** The registered claims (RFC 7519 4.1) once they are checked, and whatever else the token says. */
export interface JwtClaims {
  iss: string;
  sub?: string;
  aud?: string | string[];
  /** Seconds. */
  exp: number;
  /** Seconds. */
  iat?: number;
  [claim: string]: unknown;
}

/** What one kind of token has to be. `Content`: what is read from its claims. */
export interface JwtRules<Content> {
  issuer: string;
  /** Left out where such tokens are for nobody in particular. */
  audience?: string;
  /** The `typ`, in lower case and without `application/`, that tells this kind from every other the auth server signs. */
  type: string;
  /** Beside `iss` and `exp`. */
  requiredClaims: readonly string[];
  /** Characters of such a token; 16 KiB where left out. */
  longest?: number;
  /** Characters of such tokens that are remembered as verified; 0 for tokens that come once. */
  remembered: number;
  /** Undefined where the claims are not those of such a token after all. */
  read(claims: JwtClaims): Content | undefined;
}

/** Gives what a JWT that keeps the rules says, undefined for any other; rejects where its key cannot be looked for. */
export type VerifyJwt<Content> = (token: string) => Promise<Content | undefined>;

interface VerifiedJwt<Content> {
  content: Content;
  /** Seconds. */
  exp: number;
  kid: string;
  key: KeyObject;
}

/**
 * Verifies JWTs that the auth server signed by ES256 (RFC 7519 7.2, RFC 8725). One that was verified is not verified again
 * until it expires or its key is withdrawn: neither what it says nor who signed it can change. Whatever can change, as
 * the state of its user, is not remembered here.
 */
export function createJwtVerifier<Content>(
  { keys, clock }: { keys: VerificationKeys; clock: Clock },
  rules: JwtRules<Content>,
): VerifyJwt<Content> {
  const verify = async (token: string): Promise<VerifiedJwt<Content> | undefined> => {
    const jws = parseCompactJws(token, rules.longest);
    if (jws === undefined) return undefined;
    const kid = findKeyId(jws, rules.type);
    if (kid === undefined) return undefined;
    const key = await keys.find(kid);
    if (key === undefined || !isSignedByEs256(jws, key)) return undefined;
    const claims = findClaims(jws, rules, toSeconds(clock()));
    const content = claims && rules.read(claims);
    return content && { content, exp: claims.exp, kid, key };
  };

  if (rules.remembered === 0) return async (token) => (await verify(token))?.content;

  const remembered = new LRUCache<string, VerifiedJwt<Content>>({
    maxSize: rules.remembered,
    sizeCalculation: (_verified, token) => token.length,
  });
  const stillStands = ({ exp, kid, key }: VerifiedJwt<Content>) =>
    exp > toSeconds(clock()) && keys.findInHand(kid) === key;
  return async (token) => {
    const known = remembered.get(token);
    if (known !== undefined && stillStands(known)) return known.content;
    const verified = await verify(token);
    if (verified === undefined) remembered.delete(token);
    else remembered.set(token, verified);
    return verified?.content;
  };
}

/** The id of the key that is to have signed; undefined where the header is not one of such a token. */
function findKeyId({ header }: CompactJws, type: string): string | undefined {
  const { alg, kid, crit } = header;
  // RFC 7515 4.1.11: no extension is understood, so none may be critical.
  if (alg !== 'ES256' || crit !== undefined || !isOfType(header, type)) return undefined;
  return typeof kid === 'string' ? kid : undefined;
}

/** RFC 7519 4.1; `now` in seconds. Undefined where the claims are malformed or do not hold here and now. */
function findClaims({ payload }: CompactJws, rules: JwtRules<unknown>, now: number): JwtClaims | undefined {
  const claims = parseJsonObject(payload);
  if (claims === undefined || !areWellFormed(claims)) return undefined;
  const holds =
    claims.iss === rules.issuer &&
    (rules.audience === undefined || [claims.aud].flat().includes(rules.audience)) &&
    claims.exp > now &&
    (claims.nbf ?? 0) <= now &&
    rules.requiredClaims.every((name) => Object.hasOwn(claims, name));
  return holds ? claims : undefined;
}

function areWellFormed(claims: Record<string, unknown>): claims is JwtClaims & { nbf?: number } {
  return claims.iss !== undefined && claims.exp !== undefined && findClaimsFault(claims) === undefined;
}
