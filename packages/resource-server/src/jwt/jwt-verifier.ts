import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock, toSeconds } from '../clock.ts';
import { findClaimsFault } from './claims-fault.ts';
import { findClaimsRefusal } from './claims-refusal.ts';
import { type CompactJws, isOfType, parseCompactJws, parseJsonObject } from './compact-jws.ts';
import type { JwtClaims, JwtRules } from './jwt-rules.ts';
import { findAlgorithm, isSignedBy, type SignatureAlgorithm } from './signature-algorithms.ts';

/** The public keys that the issuer publishes now, by key id. A key stays the same object while it is published. */
export interface VerificationKeys {
  /** Undefined where there is no such key for the algorithm. May reject where the keys cannot be fetched now. */
  find(kid: string, algorithm: SignatureAlgorithm): Promise<KeyObject | undefined>;
  /** Finds a key without waiting; undefined also for a key that is not fetched yet. */
  findInHand(kid: string, algorithm: SignatureAlgorithm): KeyObject | undefined;
}

/** Learns why a JWT is refused, in words for a log. Only claims that the issuer signed are repeated. */
export type NoteFault = (fault: string) => void;

/** Gives the content of a JWT that keeps the rules, undefined for any other. Rejects where its key cannot be looked up. */
export interface VerifyJwt<Content> {
  (token: string, note?: NoteFault): Promise<Content | undefined>;
  /** Finds the content without waiting; undefined also for a token that is not verified yet. */
  findRemembered(token: string): Content | undefined;
}

interface KeyName {
  kid: string;
  algorithm: SignatureAlgorithm;
}

interface VerifiedJwt<Content> extends KeyName {
  content: Content;
  /** Seconds. */
  exp: number;
  key: KeyObject;
}

/**
 * Verifies JWTs that an issuer signed (RFC 7519 7.2, RFC 8725). A verified JWT is not verified again until it expires or its
 * key is withdrawn, because its claims and its signature cannot change. State that can change, such as that of its user, is
 * not remembered here.
 */
export function createJwtVerifier<Content>(
  { keys, clock }: { keys: VerificationKeys; clock: Clock },
  rules: JwtRules<Content>,
): VerifyJwt<Content> {
  const verify = async (token: string, note?: NoteFault): Promise<VerifiedJwt<Content> | undefined> => {
    const refuse = (fault: string) => void note?.(fault);
    const jws = parseCompactJws(token, rules.longest);
    if (jws === undefined) return refuse('not a JWT');
    const name = findKeyName(jws, rules);
    if (name === undefined) return refuse(`its header is not that of a JWT of the type ${rules.type}`);
    const { kid, algorithm } = name;
    const key = await keys.find(kid, algorithm);
    if (key === undefined) return refuse('signed by a key that the issuer does not publish');
    if (!isSignedBy(jws, algorithm, key)) return refuse('its signature is wrong');
    const claims = findClaims(jws, rules, toSeconds(clock()), refuse);
    if (claims === undefined) return undefined;
    const content = rules.read(claims);
    if (content === undefined) return refuse('its claims are not those of such a token');
    return { content, exp: claims.exp, kid, algorithm, key };
  };

  if (rules.remembered === 0) {
    const verifyOnce = async (token: string, note?: NoteFault) => (await verify(token, note))?.content;
    return Object.assign(verifyOnce, { findRemembered: () => undefined });
  }

  const remembered = new LRUCache<string, VerifiedJwt<Content>>({
    maxSize: rules.remembered,
    sizeCalculation: (_verified, token) => token.length,
  });
  const findRemembered = (token: string): Content | undefined => {
    const known = remembered.get(token);
    if (known === undefined) return undefined;
    const stillStands = known.exp > toSeconds(clock()) && keys.findInHand(known.kid, known.algorithm) === known.key;
    return stillStands ? known.content : undefined;
  };
  const verifyAndRemember = async (token: string, note?: NoteFault) => {
    const verified = await verify(token, note);
    if (verified === undefined) remembered.delete(token);
    else remembered.set(token, verified);
    return verified?.content;
  };
  const verifyRemembering = async (token: string, note?: NoteFault) =>
    findRemembered(token) ?? verifyAndRemember(token, note);
  return Object.assign(verifyRemembering, { findRemembered });
}

/** Finds the key that the header names; undefined where the header is not that of such a token. */
function findKeyName(
  { header }: CompactJws,
  { type, algorithms = ['ES256'] }: Pick<JwtRules<unknown>, 'type' | 'algorithms'>,
): KeyName | undefined {
  const { alg, kid, crit } = header;
  const algorithm = findAlgorithm(alg, algorithms);
  // RFC 7515 4.1.11: no extension is understood, so none may be critical.
  if (algorithm === undefined || crit !== undefined || !isOfType(header, type)) return undefined;
  return typeof kid === 'string' ? { kid, algorithm } : undefined;
}

/** RFC 7519 4.1: finds the claims; undefined where they are malformed or not valid now. `now` is in seconds. */
function findClaims(
  { payload }: CompactJws,
  rules: JwtRules<unknown>,
  now: number,
  refuse: NoteFault,
): JwtClaims | undefined {
  const { issuer, optionalClaims = [] } = rules;
  const claims = parseJsonObject(payload);
  if (claims === undefined) return void refuse('its claims are no JSON object');
  if (optionalClaims.includes('iss')) claims.iss ??= issuer;
  const isEndless = claims.exp === undefined && optionalClaims.includes('exp');
  const fault = findClaimsFault(claims);
  if (fault !== undefined) return void refuse(fault);
  if (isEndless) claims.exp = Number.POSITIVE_INFINITY;
  if (!hasIssuerAndExpiry(claims)) return void refuse('lacks the claim iss or exp');
  const refusal = findClaimsRefusal(claims, rules, now);
  return refusal === undefined ? claims : void refuse(refusal);
}

function hasIssuerAndExpiry(claims: Record<string, unknown>): claims is JwtClaims & { nbf?: number } {
  return claims.iss !== undefined && claims.exp !== undefined;
}
