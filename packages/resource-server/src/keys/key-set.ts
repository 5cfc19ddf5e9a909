import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { VerificationKeys } from '../jwt/jwt-verifier.ts';
import type { SignatureAlgorithm } from '../jwt/signature-algorithms.ts';
import type { FetchKeySet, PublishedKeySet } from './fetch-key-set.ts';
import { findPublicJwkFault } from './public-jwk.ts';

/** Milliseconds after which the keys are fetched again, in the background. */
const freshFor = 5 * 60_000;
/** Milliseconds between fetches, however many unknown key ids are presented. */
const cooldown = 1_000;

interface PublicKey {
  key: KeyObject;
  /** The algorithms of the key: one, or those of its type where the set does not say. */
  algorithms: readonly SignatureAlgorithm[];
  /** The JSON of the published key, to compare it with the next one. */
  published: string;
}

interface Dependencies {
  fetchKeySet: FetchKeySet;
  clock: Clock;
  /** ES256 if absent. */
  algorithms?: readonly SignatureAlgorithm[];
  /** Builds what `find` throws where no key set could be fetched yet. */
  buildUnavailable: () => Error;
  /** Learns why a fetch failed. */
  onFailure?: (error: unknown) => void;
}

/**
 * Keeps the fetched keys. An unknown key id causes a fetch, one at a time and at most one a second. So a new key is found
 * at its first token, and forged key ids cannot flood the issuer with requests. While the issuer is out of reach the
 * fetched keys keep working.
 */
export function createKeySet(deps: Dependencies): VerificationKeys {
  const { fetchKeySet, clock, algorithms = ['ES256'], buildUnavailable, onFailure } = deps;
  let keys: ReadonlyMap<string, PublicKey> = new Map();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const load = async () => {
    const imported = importKeys(await fetchKeySet(), algorithms, keys);
    if (imported.size === 0) throw new Error('the key set holds no key that can be used');
    keys = imported;
    fetchedAt = clock();
  };
  const refresh = () => {
    if (fetching !== undefined) return fetching;
    if (clock() - triedAt < cooldown) return Promise.resolve();
    triedAt = clock();
    // After a failure the old keys stay, or there are none.
    fetching = load()
      .catch((error: unknown) => onFailure?.(error))
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };

  const findInHand = (kid: string, algorithm: SignatureAlgorithm) => {
    const known = keys.get(kid);
    if (known !== undefined && clock() - fetchedAt > freshFor) void refresh();
    return known?.algorithms.includes(algorithm) ? known.key : undefined;
  };

  return {
    findInHand,
    async find(kid, algorithm) {
      if (!keys.has(kid)) await refresh();
      if (keys.size === 0) throw buildUnavailable();
      return findInHand(kid, algorithm);
    },
  };
}

/**
 * Imports the keys that may sign tokens for this API. A set without any such key is no set of this issuer. A key that is
 * published unchanged stays the same object, so that tokens verified by it need no new verification.
 */
function importKeys(
  { keys }: PublishedKeySet,
  accepted: readonly SignatureAlgorithm[],
  before: ReadonlyMap<string, PublicKey>,
): ReadonlyMap<string, PublicKey> {
  const imported = new Map<string, PublicKey>();
  for (const jwk of keys) {
    const { kid, use } = (jwk ?? {}) as { kid?: unknown; use?: unknown };
    if (typeof kid !== 'string' || use === 'enc') continue;
    const published = JSON.stringify(jwk);
    const known = before.get(kid);
    const key = known?.published === published ? known : importKey(jwk, accepted, published);
    if (key !== undefined) imported.set(kid, key);
  }
  return imported;
}

/** RFC 7517 5: a key that cannot be used here gives undefined. It does not stop the others from working. */
function importKey(jwk: unknown, accepted: readonly SignatureAlgorithm[], published: string): PublicKey | undefined {
  if (findPublicJwkFault(jwk) !== undefined) return undefined;
  const algorithms = listAlgorithms(jwk as PublishedKey).filter((algorithm) => accepted.includes(algorithm));
  if (algorithms.length === 0) return undefined;
  try {
    return { key: createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }), algorithms, published };
  } catch {
    return undefined;
  }
}

interface PublishedKey {
  kty: string;
  alg?: unknown;
}

const algorithmsOfType: Record<string, readonly SignatureAlgorithm[]> = {
  EC: ['ES256'],
  RSA: ['RS256', 'PS256'],
  OKP: ['EdDSA', 'Ed25519'],
};

/** RFC 8725 3.1: a key is for one algorithm where its `alg` says so. EdDSA and Ed25519 are names of one (RFC 9864). */
function listAlgorithms({ kty, alg }: PublishedKey): readonly SignatureAlgorithm[] {
  const ofType = algorithmsOfType[kty] ?? [];
  if (alg === undefined) return ofType;
  if (!ofType.some((algorithm) => algorithm === alg)) return [];
  return kty === 'OKP' ? ofType : ofType.filter((algorithm) => algorithm === alg);
}
