import { inflateSync } from 'node:zlib';
import { toSeconds } from '../clock.ts';
import { isJsonObject } from '../json/bounded-json.ts';
import type { JwtClaims } from '../jwt/jwt-rules.ts';

/** The claims of a signed list. */
export interface PublishedList {
  uri: string;
  /** Deflated and in base64url (Token Status List 4.2). */
  lst: string;
  /** The bits of one status. */
  bits: number;
  /** Seconds. */
  iat: number;
  /** Seconds. */
  exp: number;
  /** Seconds after which the list should be asked for again; undefined where it does not say. */
  ttl: number | undefined;
}

/** Characters: the longest list, if compression does not shorten it, in base64url twice. */
export const longestStatusList = 24 * 1024 * 1024;
/** The most bytes of an unpacked list: some 80 million tokens in an hour. */
const longestUnpacked = 10 * 1024 * 1024;

/** The rules for lists: the issuer signs them for this purpose alone. The signer counts, so `iss` may be absent. */
export const statusListRules = {
  type: 'statuslist+jwt',
  requiredClaims: ['sub', 'iat', 'status_list'],
  optionalClaims: ['iss', 'exp'],
  longest: longestStatusList,
  remembered: 0,
  read: readStatusList,
} as const;

function readStatusList({ sub, iat, exp, ttl, status_list: list }: JwtClaims): PublishedList | undefined {
  const { lst, bits } = isJsonObject(list) ? list : {};
  if (typeof lst !== 'string' || sub === undefined || iat === undefined) return undefined;
  if (![1, 2, 4, 8].includes(Number(bits))) return undefined;
  return { uri: sub, lst, bits: Number(bits), iat, exp, ttl: typeof ttl === 'number' && ttl > 0 ? ttl : undefined };
}

/** A list as it is kept. */
export interface StatusList {
  bytes: Buffer;
  /** The bits of one status. */
  bits: number;
  /** Seconds: the largest that was believed at this address, and not more than the clock tolerance ahead of this server. */
  iat: number;
  etag: string | undefined;
  /** Seconds. */
  exp: number;
  ttl: number | undefined;
  /** Milliseconds: the time of the last answer of the issuer, 200 or 304. */
  confirmedAt: number;
}

/** Unpacks a list; throws where it is longer than any list that is followed. */
export function unpackStatusList({ lst }: PublishedList): Buffer {
  return inflateSync(Buffer.from(lst, 'base64url'), { maxOutputLength: longestUnpacked });
}

/** Whether the list is valid now and has the index. A fetched list may be older than the token. */
export function holdsFor({ exp, bytes, bits }: StatusList, now: number, idx: number): boolean {
  return exp > toSeconds(now) && idx * bits < bytes.length * 8;
}

/**
 * Token Status List 4.1: the lowest bits of a byte stand for the first of its tokens. An index outside the list is 0: the
 * issuer signed it, so the list is older than the token.
 */
export function isRevokedIn({ bytes, bits }: StatusList, idx: number): boolean {
  const first = idx * bits;
  const byte = bytes[Math.floor(first / 8)] ?? 0;
  return ((byte >> (first % 8)) & ((1 << bits) - 1)) !== 0;
}
