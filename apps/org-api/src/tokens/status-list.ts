import { inflateSync } from 'node:zlib';
import { type Clock, type Logger, type Repeat, toSeconds } from '@gatehouse/service-kit';
import type { JwtClaims, VerifyJwt } from '@gatehouse/service-kit/jwt';
import { LRUCache } from 'lru-cache';
import { request } from 'undici';
import type { FetchOptions } from './key-set.ts';

/** The claim by which a token refers to its status (Token Status List 6.1). */
export interface StatusReference {
  idx: number;
  uri: string;
}

/** Follows the auth server's status lists, so that revoked tokens are refused without a call for each request. */
export interface StatusLists {
  /** Whether the token was revoked, as of about a second ago. */
  isRevoked(reference: StatusReference): Promise<boolean>;
  stop(): void;
}

/** Gives the list's text, or undefined where `etag` still names it. Rejects where the server is out of reach. */
export type FetchStatusList = (uri: string, etag: string | undefined) => Promise<FetchedList | undefined>;

export interface FetchedList {
  text: string;
  etag: string | undefined;
}

interface KnownList {
  bits: Buffer;
  etag: string | undefined;
  /** Seconds. */
  exp: number;
  /** Milliseconds: the time of the last answer of the auth server, 200 or 304. */
  confirmedAt: number;
}

/** The rules for lists: the auth server signs them for this purpose alone. */
export const statusListRules = {
  type: 'statuslist+jwt',
  requiredClaims: ['sub', 'iat', 'status_list'],
  // The longest list, if compression does not shorten it, in base64url twice.
  longest: 24 * 1024 * 1024,
  remembered: 1,
  read: readStatusList,
} as const;

/** The claims of a signed list. `exp` is in seconds. */
export interface PublishedList {
  uri: string;
  /** Deflated and in base64url (Token Status List 4.1). */
  lst: string;
  exp: number;
}

function readStatusList({ sub, exp, status_list: list }: JwtClaims): PublishedList | undefined {
  const lst = (list as { lst?: unknown } | undefined)?.lst;
  return typeof lst === 'string' && sub !== undefined ? { uri: sub, lst, exp } : undefined;
}

/** Milliseconds after which a list is fetched again; and after which an unused list is no longer fetched. */
const freshFor = 1_000;
const followedFor = 60_000;
const timeout = 2_000;
/** The most bytes of an unpacked list: some 80 million tokens in an hour. */
const longestList = 10 * 1024 * 1024;

/** Fetches over HTTP; `base` stands for the `publicBase` that URIs begin with. */
export function createFetchStatusList(
  publicBase: string,
  base: string,
  { traceHeaders, dispatcher }: FetchOptions = {},
): FetchStatusList {
  return async (uri, etag) => {
    const { statusCode, headers, body } = await request(base + uri.slice(publicBase.length), {
      headers: {
        accept: 'application/statuslist+jwt',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
        ...traceHeaders?.(),
      },
      signal: AbortSignal.timeout(timeout),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    const text = await body.text();
    if (statusCode === 304) return undefined;
    if (statusCode !== 200) throw new Error(`the status list answered ${statusCode}`);
    return { text, etag: typeof headers.etag === 'string' ? headers.etag : undefined };
  };
}

interface Dependencies {
  fetchStatusList: FetchStatusList;
  verifyStatusList: VerifyJwt<PublishedList>;
  /** The beginning of the URIs of this realm's lists. Other URIs are not fetched. */
  publicBase: string;
  clock: Clock;
  repeat: Repeat;
  log: Logger;
}

/**
 * Fetches a list when the first token refers to it, and then once a second in the background. While the auth server is
 * out of reach the fetched lists count until they expire, and a list that was never fetched revokes nothing: the API must
 * keep working without the auth server.
 */
export function createStatusLists(deps: Dependencies): StatusLists {
  const { fetchStatusList, verifyStatusList, publicBase, clock, repeat, log } = deps;
  const known = new LRUCache<string, KnownList>({ max: 256 });
  const lastWanted = new Map<string, number>();
  const failing = new LRUCache<string, true>({ max: 256 });
  const fetching = new Map<string, Promise<void>>();
  const triedAt = new LRUCache<string, number>({ max: 256 });

  const load = async (uri: string) => {
    const before = known.get(uri);
    const fetched = await fetchStatusList(uri, before?.etag);
    if (fetched === undefined) {
      if (before !== undefined) known.set(uri, { ...before, confirmedAt: clock() });
      return;
    }
    const published = await verifyStatusList(fetched.text);
    if (published?.uri !== uri) throw new Error('not a status list of this realm');
    const bits = inflateSync(Buffer.from(published.lst, 'base64url'), { maxOutputLength: longestList });
    known.set(uri, { bits, etag: fetched.etag, exp: published.exp, confirmedAt: clock() });
  };
  const refresh = (uri: string): Promise<void> => {
    const running = fetching.get(uri);
    if (running !== undefined) return running;
    if (clock() - (triedAt.get(uri) ?? Number.NEGATIVE_INFINITY) < freshFor) return Promise.resolve();
    triedAt.set(uri, clock());
    const started = load(uri)
      .then(() => void failing.delete(uri))
      .catch((error: unknown) => {
        failing.set(uri, true);
        log.debug({ err: error, uri }, 'a status list could not be read');
      })
      .finally(() => fetching.delete(uri));
    fetching.set(uri, started);
    return started;
  };
  const stop = repeat(() => {
    for (const [uri, wantedAt] of lastWanted) {
      if (clock() - wantedAt < followedFor) void refresh(uri);
      else lastWanted.delete(uri);
    }
  }, freshFor);

  return {
    async isRevoked({ idx, uri }) {
      if (!uri.startsWith(publicBase)) return false;
      const now = clock();
      lastWanted.set(uri, now);
      const list = known.get(uri);
      if (list !== undefined && holdsFor(list, now, idx)) {
        // The list was not fetched for a while. The token waits for it, unless the last fetch failed: then it runs in the background.
        const isDue = now - list.confirmedAt > 2 * freshFor && !failing.has(uri);
        if (!isDue) return isSet(list, idx);
      }
      await refresh(uri);
      return isSet(known.get(uri), idx);
    },
    stop,
  };
}

/** Whether the list is valid now and has the bit. A fetched list may be older than the token. */
function holdsFor({ exp, bits }: KnownList, now: number, idx: number): boolean {
  return exp > toSeconds(now) && idx < bits.length * 8;
}

/** Token Status List 4.1: the lowest bit of a byte stands for the first of its tokens. */
function isSet(list: KnownList | undefined, idx: number): boolean {
  return list !== undefined && ((list.bits[idx >> 3] ?? 0) & (1 << (idx & 7))) !== 0;
}
