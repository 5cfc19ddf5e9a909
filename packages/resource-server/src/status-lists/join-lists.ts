import { toSeconds } from '../clock.ts';
import { clockTolerance } from '../jwt/clock-tolerance.ts';
import type { StatusList } from './status-list.ts';

/**
 * The list that counts after another one came. A newer list replaces the one in hand. Every other list only adds
 * revocations: replicas of an issuer sign for themselves, by clocks that differ, so a list with a smaller `iat` may say more.
 * Throws where an older list takes a revocation back, as one from a cache does. `now` is in milliseconds.
 */
export function joinLists(known: StatusList | undefined, come: StatusList, now: number): StatusList {
  // A list from the future only adds, and counts as made now: it keeps no later list out.
  const latest = toSeconds(now) + clockTolerance.ahead;
  const iat = Math.min(come.iat, latest);
  if (known === undefined || (come.iat > known.iat && come.iat <= latest)) return { ...come, iat };
  if (come.bits !== known.bits) throw new Error('no newer than the status list in hand, and of other bits a token');
  const bytes = addBits(known.bytes, come.bytes);
  if (come.iat < known.iat && !bytes.equals(come.bytes)) {
    throw new Error(`${known.iat - come.iat} s older than the status list in hand, and without its revocations`);
  }
  return { ...come, bytes, iat: Math.max(known.iat, iat), exp: Math.max(known.exp, come.exp) };
}

/** The bits of both. */
function addBits(one: Buffer, other: Buffer): Buffer {
  if (one.equals(other)) return other;
  const [long, short] = one.length < other.length ? [other, one] : [one, other];
  const both = Buffer.from(long);
  for (const [index, byte] of short.entries()) both[index] = (both[index] ?? 0) | byte;
  return both;
}
