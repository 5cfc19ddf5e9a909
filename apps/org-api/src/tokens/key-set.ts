import { KeyObject } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import type { VerificationKeys } from '@gatehouse/service-kit/jwt';
import type { TraceHeaders } from '@gatehouse/service-kit/tracing';
import { ProblemError } from '@gatehouse/shared';
import { type CryptoKey, importJWK, type JSONWebKeySet } from 'jose';
import { Agent, type Dispatcher, request } from 'undici';

/** Milliseconds after which the keys are fetched again, in the background. */
const freshFor = 5 * 60_000;
/** Milliseconds between fetches, however many unknown key ids are presented. */
const cooldown = 1_000;
const timeout = 3_000;

/** `find` gives undefined where the auth server publishes no such key. It throws 503 where no key set could be fetched yet. */
export type KeySet = VerificationKeys;

interface PublicKey {
  key: KeyObject;
  /** The JSON of the published key, to compare it with the next one. */
  published: string;
}

export type FetchKeySet = () => Promise<JSONWebKeySet>;

/** The connection to the auth server. */
export interface FetchOptions {
  traceHeaders?: TraceHeaders;
  /** Connections to use instead of those that the process shares. */
  dispatcher?: Dispatcher | undefined;
}

/** Opens connections that trust these PEM certificates. Without certificates it gives undefined: the process's own are used. */
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
 * Keeps the fetched keys. An unknown key id causes a fetch, one at a time and at most one a second. So a new key is found
 * at its first token, and forged key ids cannot flood the auth server with requests. While the auth server is out of
 * reach the fetched keys keep working.
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
    // After a failure the old keys stay, or there are none.
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
 * Imports the keys that may sign tokens for this service. A set without any such key is no set of this realm. A key that
 * is published unchanged stays the same object, so that tokens verified by it need no new verification.
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
  // RFC 7517 5: a key that this service cannot use does not stop the others from working.
  const imported = await Promise.allSettled(entries);
  return new Map(imported.filter((entry) => entry.status === 'fulfilled').map(({ value }) => value));
}

function keySetUnavailable(): ProblemError {
  return new ProblemError(503, 'the keys that verify access tokens are out of reach; try again', { retryAfter: 5 });
}
