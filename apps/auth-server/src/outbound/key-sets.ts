import type { Clock } from '@gatehouse/service-kit';
import { findPublicJwkFault, isJsonObject, isPrivateJwk, issuerCurves, parseBoundedJson } from '@gatehouse/shared';
import { decodeProtectedHeader, errors, type JSONWebKeySet, type JWTVerifyOptions, type JWTVerifyResult } from 'jose';
import { LRUCache } from 'lru-cache';
import { chooseAge } from './answer-age.ts';
import type { Call, Share } from './http-call.ts';
import { OutboundFailure } from './outbound-failure.ts';
import { verifyByKeySet } from './verify-by-key-set.ts';

/** Where keys are, and their owner: keys that one owner published are not those of another, or of itself before a change. */
export interface KeySource {
  owner: string;
  url: string;
  /** Of the calls at once; `registered` where it is left out. */
  share?: Share | undefined;
  /** Whether the URL is that of an issuer, whose metadata say where the keys are (OpenID Connect Discovery 4). */
  isIssuer?: boolean | undefined;
  /** The `use` of the keys that count as those without it do; absent: signatures. */
  use?: string | undefined;
}

export interface KeySets {
  /**
   * Verifies a JWT by the keys of a source. Where none of those in hand fits, they are read again, once in 30 s. Throws an
   * {@link OutboundFailure} where there are none, and what jose throws.
   */
  verify(source: KeySource, token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult>;
}

/** Of one source. Instants are milliseconds since the epoch. */
interface KeysInHand {
  keys?: JSONWebKeySet;
  readAt: number;
  goodUntil: number;
  /** Bytes of the text that the keys came in. */
  length: number;
  /** The call under way, which all callers share. */
  reading?: Promise<JSONWebKeySet> | undefined;
}

const mostSources = 1_000;
/** Bytes of the texts of all sets in hand, of each share. */
const mostInHand = 8 * 1024 * 1024;
const mostKeys = 50;
const mostBytes = 64 * 1024;
const bounds = { longest: mostBytes, deepest: 8 };

/** Milliseconds. */
const leastAge = 60_000;
/** For which keys count after the last good read, where no other succeeds. */
const keptFor = 86_400_000;
const pause = 30_000;
/** Between two reads of a URL of which the first failed. */
const pauseAfterFailure = 1_000;

export function createKeySets({ call, clock }: { call: Call; clock: Clock }): KeySets {
  // Sets that strangers publish push no others out.
  const memories = { registered: createMemory(), strangers: createMemory(), upstreams: createMemory() };
  const memoryOf = ({ share = 'registered' }: KeySource) => memories[share];

  const find = (source: KeySource): KeysInHand => {
    const { sources } = memoryOf(source);
    const known = sources.get(nameOf(source)) ?? { readAt: 0, goodUntil: 0, length: 1 };
    sources.set(nameOf(source), known);
    return known;
  };

  const readNow = async (source: KeySource, inHand: KeysInHand): Promise<JSONWebKeySet> => {
    const { sources, failures } = memoryOf(source);
    const failed = failures.get(source.url);
    if (failed !== undefined && clock() < failed.at + pauseAfterFailure) throw failed.error;
    const { keys, age, length } = await readKeySet(call, source).catch((error: unknown) => {
      failures.set(source.url, { error, at: clock() });
      throw error;
    });
    const readAt = clock();
    Object.assign(inHand, { keys, readAt, goodUntil: readAt + age, length });
    // The cache asks for the size of a value that it does not have yet.
    sources.delete(nameOf(source));
    sources.set(nameOf(source), inHand);
    return keys;
  };
  const read = (source: KeySource, inHand: KeysInHand): Promise<JSONWebKeySet> => {
    inHand.reading ??= readNow(source, inHand).finally(() => {
      inHand.reading = undefined;
    });
    return inHand.reading;
  };

  /** Whether a set that was read may be read once more now; says so once in 30 s. */
  const mayRepeat = (source: KeySource): boolean => {
    const { url } = source;
    const { repeatedAt } = memoryOf(source);
    const now = clock();
    if (now < (repeatedAt.get(url) ?? 0) + pause) return false;
    repeatedAt.set(url, now);
    return true;
  };

  const getKeys = async (source: KeySource, inHand: KeysInHand): Promise<JSONWebKeySet> => {
    const { keys, readAt, goodUntil, reading } = inHand;
    const now = clock();
    if (keys === undefined || now >= readAt + keptFor) return read(source, inHand);
    if (now < goodUntil) return keys;
    if (reading === undefined && !mayRepeat(source)) return keys;
    return read(source, inHand).catch(() => keys);
  };

  /** The keys as they are now, where those of before fitted nothing; undefined where they are the same, or cannot be read. */
  const findNewer = async (source: KeySource, inHand: KeysInHand, before: JSONWebKeySet) => {
    // Another caller may have read them meanwhile, or be about to.
    if (inHand.keys !== before) return inHand.keys;
    if (inHand.reading === undefined && !mayRepeat(source)) return undefined;
    return read(source, inHand).catch(() => undefined);
  };

  return {
    async verify(source, token, options) {
      const inHand = find(source);
      const keys = await getKeys(source, inHand);
      try {
        return await verifyByKeySet(token, keys, options);
      } catch (error) {
        const newer = isOfOtherKey(error, token) ? await findNewer(source, inHand, keys) : undefined;
        if (newer === undefined) throw error;
        return verifyByKeySet(token, newer, options);
      }
    },
  };
}

function createMemory() {
  return {
    sources: new LRUCache<string, KeysInHand>({
      max: mostSources,
      maxSize: mostInHand,
      sizeCalculation: ({ length }) => length,
    }),
    /** When a set was last read again because no key fitted, or after a failure, by its URL. */
    repeatedAt: new LRUCache<string, number>({ max: mostSources }),
    /** The failure of the last read of a URL, and its instant. */
    failures: new LRUCache<string, { error: unknown; at: number }>({ max: mostSources }),
  };
}

function nameOf({ owner, url }: KeySource): string {
  return `${owner} ${url}`;
}

/** Whether no key fitted: none of its `kid`; without one, none that made the signature. */
function isOfOtherKey(error: unknown, token: string): boolean {
  if (error instanceof errors.JWKSNoMatchingKey) return true;
  return error instanceof errors.JWSSignatureVerificationFailed && decodeProtectedHeader(token).kid === undefined;
}

async function readKeySet(call: Call, source: KeySource) {
  const { share } = source;
  const url = source.isIssuer ? await findKeyAddress(call, source) : source.url;
  const { body, maxAge } = await call({
    ...{ purpose: 'jwks', share, url, mostBytes },
    accept: 'application/jwk-set+json, application/json',
    mediaType: /^application\/(?:jwk-set\+)?json$/,
  });
  const keys = pickKeysOfUse(parseKeySet(body), source.use);
  return { keys, age: chooseAge(maxAge, leastAge), length: body.length };
}

const mostBytesOfMetadata = 256 * 1024;

/** OpenID Connect Discovery 4.1, 4.3: metadata of another issuer are none. */
async function findKeyAddress(call: Call, { url: issuer, share }: KeySource): Promise<string> {
  const { body } = await call({
    ...{ purpose: 'issuer_metadata', share, mostBytes: mostBytesOfMetadata },
    url: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    accept: 'application/json',
    mediaType: /^application\/json$/,
  });
  const metadata = parseBoundedJson(body.toString('utf8'), { ...bounds, longest: mostBytesOfMetadata })?.value;
  if (isJsonObject(metadata) && metadata.issuer === issuer && typeof metadata.jwks_uri === 'string') {
    return metadata.jwks_uri;
  }
  throw new OutboundFailure('bad answer', 'no metadata of this issuer that say where its keys are');
}

/** The keys of a set that have this `use`, or none, without it: the library knows `sig` alone. */
export function pickKeysOfUse(set: JSONWebKeySet, use: string | undefined): JSONWebKeySet {
  if (use === undefined) return set;
  const picked = set.keys.filter((key) => key.use === undefined || key.use === use);
  return { keys: picked.map(({ use: _, ...key }) => key) };
}

/** RFC 7517 5: keys of kinds that are not used here are passed over. */
function parseKeySet(body: Buffer): JSONWebKeySet {
  const content = parseBoundedJson(body.toString('utf8'), bounds)?.value;
  const keys = isJsonObject(content) && Array.isArray(content.keys) ? content.keys : undefined;
  if (keys === undefined || keys.length > mostKeys || keys.some(isPrivateJwk)) {
    throw new OutboundFailure('bad answer', `not a set of at most ${mostKeys} public keys`);
  }
  return { keys: keys.filter((key) => findPublicJwkFault(key, issuerCurves) === undefined) as JSONWebKeySet['keys'] };
}
