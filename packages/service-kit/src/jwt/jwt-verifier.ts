import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock, toSeconds } from '../clock.ts';
import { findClaimsFault } from './claims-fault.ts';
import { type CompactJws, isOfType, isSignedByEs256, parseCompactJws, parseJsonObject } from './compact-jws.ts';

/** The ES256 public keys that the auth server publishes now, by key id. A key stays the same object while it is published. */
export interface VerificationKeys {
  /** Undefined where there is no such key. May reject where the keys cannot be fetched now. */
  find(kid: string): Promise<KeyObject | undefined>;
  /** Finds a key without waiting; undefined also for a key that is not fetched yet. */
  findInHand(kid: string): KeyObject | undefined;
}

/** The checked registered claims (RFC 7519 4.1), and all other claims of the token. */
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

/** The rules of one kind of token. `Content` is the type that its claims are read into. */
export interface JwtRules<Content> {
  issuer: string;
  /** Absent where such tokens have no audience. */
  audience?: string;
  /** The `typ`, in lower case and without `application/`. No other kind that the auth server signs has it. */
  type: string;
  /** The required claims beside `iss` and `exp`. */
  requiredClaims: readonly string[];
  /** The most characters of such a token; 16 KiB if absent. */
  longest?: number;
  /** Characters of verified tokens that are remembered; 0 for tokens that come once. */
  remembered: number;
  /** Reads the claims; undefined where they are not those of such a token. */
  read(claims: JwtClaims): Content | undefined;
}

/** Gives the content of a JWT that keeps the rules, undefined for any other. Rejects where its key cannot be looked up. */
export type VerifyJwt<Content> = (token: string) => Promise<Content | undefined>;

interface VerifiedJwt<Content> {
  content: Content;
  /** Seconds. */
  exp: number;
  kid: string;
  key: KeyObject;
}

/**
 * Verifies JWTs that the auth server signed by ES256 (RFC 7519 7.2, RFC 8725). A verified JWT is not verified again until
 * it expires or its key is withdrawn, because its claims and its signature cannot change. What can change, such as the
 * state of its user, is not remembered here.
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

/** Finds the id of the key that the header names; undefined where the header is not that of such a token. */
function findKeyId({ header }: CompactJws, type: string): string | undefined {
  const { alg, kid, crit } = header;
  // RFC 7515 4.1.11: no extension is understood, so none may be critical.
  if (alg !== 'ES256' || crit !== undefined || !isOfType(header, type)) return undefined;
  return typeof kid === 'string' ? kid : undefined;
}

/** RFC 7519 4.1: finds the claims; undefined where they are malformed or not valid now. `now` is in seconds. */
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
