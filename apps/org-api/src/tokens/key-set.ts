import { KeyObject } from 'node:crypto';
import type { Clock, TraceHeaders, VerificationKeys } from '@gatehouse/service-kit';
import { ProblemError } from '@gatehouse/shared';
import { type CryptoKey, importJWK, type JSONWebKeySet } from 'jose';
import { Agent, type Dispatcher, request } from 'undici';

/** Milliseconds after which keys in hand are fetched anew, in the background. */
const freshFor = 5 * 60_000;
/** Milliseconds between fetches, however many unknown key ids are presented. */
const cooldown = 1_000;
const timeout = 3_000;

/** `find` gives undefined where the auth server publishes no such key; 503 where it is out of reach and no key is in hand. */
export type KeySet = VerificationKeys;

interface PublicKey {
  key: KeyObject;
  /** The key as it was published, for telling whether it is still the same. */
  published: string;
}

export type FetchKeySet = () => Promise<JSONWebKeySet>;

/** How the auth server is reached. */
export interface FetchOptions {
  traceHeaders?: TraceHeaders;
  /** Connections to use instead of those that the process shares. */
  dispatcher?: Dispatcher | undefined;
}

/** Connections that trust these PEM certificates; undefined where there are none, and the process's own do. */
export function openConnections(ca: string | undefined): Dispatcher | undefined {
  return ca === undefined ? undefined : new Agent({ connect: { ca } });
}

/** Fetches a JWKS over HTTP (RFC 7517 5). */
export function createFetchKeySet(url: string, { traceHeaders, dispatcher }: FetchOptions = {}): FetchKeySet {
  return async () => {
    const { statusCode, body } = await request(url, {
      headers: traceHeaders?.() ?? {},
      signal: AbortSignal.timeout(timeout),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    const document = await body.json();
    if (statusCode !== 200) throw new Error(`the key set answered ${statusCode}`);
    return document as JSONWebKeySet;
  };
}

/**
 * Keeps the keys in hand. A key id that is not there is looked for once at a time and at most once a second, so new
 * keys are found at first sight and forged key ids cannot make this service hammer the other. While the auth server
 * is out of reach the keys in hand go on working.
 */
export function createKeySet({ fetchKeySet, clock }: { fetchKeySet: FetchKeySet; clock: Clock }): KeySet {
  let keys = new Map<string, PublicKey>();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const load = async () => {
    const imported = await importKeys(await fetchKeySet(), keys);
    if (imported.size === 0) throw new Error('the key set holds no key that can be used');
    keys = imported;
    fetchedAt = clock();
  };
  const refresh = () => {
    if (fetching !== undefined) return fetching;
    if (clock() - triedAt < cooldown) return Promise.resolve();
    triedAt = clock();
    // A failure shows in what is then in hand: the old keys, or none.
    fetching = load()
      .catch(() => {})
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };

  const findInHand = (kid: string) => {
    const key = keys.get(kid);
    if (key !== undefined && clock() - fetchedAt > freshFor) void refresh();
    return key?.key;
  };

  return {
    findInHand,
    async find(kid) {
      if (!keys.has(kid)) await refresh();
      if (keys.size === 0) throw keySetUnavailable();
      return findInHand(kid);
    },
  };
}

/**
 * The keys that may have signed what this service reads: a set without any is no set of this realm. A key that is published
 * as before stays the very same object, and what was verified with it stands.
 */
async function importKeys({ keys }: JSONWebKeySet, before: ReadonlyMap<string, PublicKey>) {
  const entries = keys
    .filter(({ kid, alg, use }) => kid !== undefined && alg === 'ES256' && use !== 'enc')
    .map(async (jwk): Promise<[string, PublicKey]> => {
      const { kid } = jwk as { kid: string };
      const published = JSON.stringify(jwk);
      const known = before.get(kid);
      if (known?.published === published) return [kid, known];
      return [kid, { key: KeyObject.from((await importJWK(jwk, 'ES256')) as CryptoKey), published }];
    });
  // RFC 7517 5: a key that this service cannot use does not spoil the others.
  const imported = await Promise.allSettled(entries);
  return new Map(imported.filter((entry) => entry.status === 'fulfilled').map(({ value }) => value));
}

function keySetUnavailable(): ProblemError {
  return new ProblemError(503, 'the keys to check tokens with are out of reach', { retryAfter: 5 });
}
