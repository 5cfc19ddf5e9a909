import { deflateSync } from 'node:zlib';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { LRUCache } from 'lru-cache';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { statusListUri } from '../protocol/token-status.ts';
import { isSameHour } from './entity-tag.ts';
import type { StatusStore } from './status-store.ts';

/** Seconds after which a verifier should ask again, and after which it must not rely on the list any more. */
const timeToLive = 1;
const lifetime = 43_200;
/** Indices; far more than are given out in the time for which a list is handed out again. */
const room = 131_072;

/** The bits of a list for which `length` indices are reserved. */
export function bitCountOf(length: number): number {
  return (Math.floor(length / room) + 1) * room;
}

/** Reads a list and signs it as a Status List Token; undefined where there is none. */
export type FindSignedStatusList = (listId: number) => Promise<string | undefined>;

interface Dependencies {
  statuses: Pick<StatusStore, 'read'>;
  signingKeys: SigningKeys;
  issuer: string;
  clock: Clock;
  /** Is told of each list that was built: the seconds it took. */
  observeBuild?(seconds: number): void;
}

export function createFindSignedStatusList(deps: Dependencies): FindSignedStatusList {
  const { statuses, signingKeys, issuer, clock, observeBuild } = deps;
  const signed = new LRUCache<number, { lst: string; iat: number; text: string }>({ max: 64 });

  const sign = (listId: number, lst: string, iat: number) =>
    signingKeys.sign('ES256', 'statuslist+jwt', {
      iss: issuer,
      sub: statusListUri(issuer, listId),
      iat,
      exp: iat + lifetime,
      ttl: timeToLive,
      status_list: { bits: 1, lst },
    });

  return async (listId) => {
    const startedAt = performance.now();
    const { length, revoked } = await statuses.read(listId);
    if (length === 0) return undefined;
    const lst = deflateSync(buildBits(length, revoked)).toString('base64url');
    observeBuild?.((performance.now() - startedAt) / 1000);
    const iat = toSeconds(clock());
    const last = signed.get(listId);
    // While nothing changes, the very same text is handed out, so that a verifier who has it is told just that.
    if (last !== undefined && last.lst === lst && isSameHour(iat, last.iat)) return last.text;
    const text = sign(listId, lst, iat);
    signed.set(listId, { lst, iat, text });
    return text;
  };
}

/**
 * One bit for each index, the lowest first in its byte; 1 is revoked. Room is left for tokens that are issued while the
 * list is on its way, since a verifier may refuse one that lies beyond its end; it packs to next to nothing.
 */
function buildBits(length: number, revoked: readonly { first: number; size: number }[]): Buffer {
  const bits = Buffer.alloc(bitCountOf(length) / 8);
  for (const { first, size } of revoked) {
    for (let index = first; index < Math.min(first + size, length); index += 1) {
      const byte = index >> 3;
      bits[byte] = (bits[byte] ?? 0) | (1 << (index & 7));
    }
  }
  return bits;
}
