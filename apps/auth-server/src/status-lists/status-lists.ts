import { deflateSync } from 'node:zlib';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { listExpiresAt, listIdOf, statusListUri, type TokenStatus } from '../protocol/token-status.ts';
import { isSameHour } from './entity-tag.ts';
import type { StatusStore } from './status-store.ts';

/** Milliseconds for which a list that was built is handed out again: the most by which a revocation is late here. */
const freshFor = 500;
/** Seconds after which a verifier should ask again, and after which it must not rely on the list any more. */
const timeToLive = 1;
const lifetime = 43_200;

/** The published state of access tokens (Token Status List). */
export interface StatusLists {
  revoke(statuses: readonly TokenStatus[]): Promise<void>;
  /** Every access token of a registration, or of its generations before one, however it was granted. */
  revokeRegistration(registrationId: string, beforeGeneration?: number): Promise<void>;
  /** The signed list; undefined where there is none. */
  find(listId: number): Promise<string | undefined>;
}

interface Dependencies {
  statuses: StatusStore;
  signingKeys: SigningKeys;
  issuer: string;
  clock: Clock;
  /** Is told of each list that was built: the seconds it took. */
  observeBuild?(seconds: number): void;
}

export function createStatusLists({ statuses, signingKeys, issuer, clock, observeBuild }: Dependencies): StatusLists {
  const built = new LRUCache<number, Promise<string | undefined>>({ max: 64, ttl: freshFor });
  const signed = new LRUCache<number, { lst: string; iat: number; text: string }>({ max: 64 });

  const build = async (listId: number): Promise<string | undefined> => {
    const startedAt = performance.now();
    const { length, revoked } = await statuses.read(listId);
    if (length === 0) return undefined;
    const lst = deflateSync(buildBits(length, revoked)).toString('base64url');
    observeBuild?.((performance.now() - startedAt) / 1000);
    const iat = toSeconds(clock());
    const last = signed.get(listId);
    // While nothing changes the very same text is handed out, so that who has it is told just that.
    if (last !== undefined && last.lst === lst && isSameHour(iat, last.iat)) return last.text;
    const text = signList(listId, lst, iat);
    signed.set(listId, { lst, iat, text });
    return text;
  };
  const signList = (listId: number, lst: string, iat: number) =>
    signingKeys.sign('ES256', 'statuslist+jwt', {
      iss: issuer,
      sub: statusListUri(issuer, listId),
      iat,
      exp: iat + lifetime,
      ttl: timeToLive,
      status_list: { bits: 1, lst },
    });

  return {
    async revoke(list) {
      for (const { listId, index } of list) {
        if (listExpiresAt(listId) <= clock()) continue;
        await statuses.revoke({ listId, first: index, size: 1, expiresAt: listExpiresAt(listId) });
        built.delete(listId);
      }
    },
    async revokeRegistration(registrationId, beforeGeneration) {
      for (const { listId, first, size } of await statuses.listBlocks(registrationId, beforeGeneration)) {
        await statuses.revoke({ listId, first, size, expiresAt: listExpiresAt(listId) });
        built.delete(listId);
      }
    },
    async find(listId) {
      if (!mayExist(listId, toSeconds(clock()))) return undefined;
      const known = built.get(listId);
      if (known !== undefined) return known;
      const building = build(listId);
      // What failed is tried again by the next who asks.
      building.catch(() => built.delete(listId));
      built.set(listId, building);
      return building;
    },
  };
}

/** Indices; far more than are given out in the time for which a list is handed out again. */
const room = 131_072;

/** Whether tokens of the list can be in force; others are not looked for, whoever asks for them. */
function mayExist(listId: number, now: number): boolean {
  const latest = listIdOf(now + maximumAccessTokenValidity) + 1;
  return listId >= listIdOf(now) - 2 && listId <= latest;
}

/**
 * One bit for each index, the lowest first in its byte; 1 is revoked. Room is left for tokens that are issued while the
 * list is on its way, since a verifier may refuse one that lies beyond its end; it packs to next to nothing.
 */
function buildBits(length: number, revoked: readonly { first: number; size: number }[]): Buffer {
  const bits = Buffer.alloc((Math.floor(length / room) + 1) * (room / 8));
  for (const { first, size } of revoked) {
    for (let index = first; index < Math.min(first + size, length); index += 1) {
      const byte = index >> 3;
      bits[byte] = (bits[byte] ?? 0) | (1 << (index & 7));
    }
  }
  return bits;
}
