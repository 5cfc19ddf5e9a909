import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { listExpiresAt, listIdOf, type TokenStatus } from '../protocol/token-status.ts';
import type { EndOfExchanged } from './grant-status.ts';
import type { GrantStatusStore } from './grant-status-store.ts';
import { createStatusListRefresher } from './refresh-status-lists.ts';
import { createFindSignedStatusList } from './signed-status-list.ts';
import type { StatusRange } from './status-block.ts';
import type { StatusStore } from './status-store.ts';

/** Milliseconds for which a list that was built is handed out again: the most by which a revocation is late here. */
const freshFor = 500;

/** The published state of access tokens (Token Status List). */
export interface StatusLists {
  revoke(statuses: readonly TokenStatus[]): Promise<void>;
  /**
   * Every access token of a registration, or of its generations before one, however it was granted, and every token that
   * was exchanged from one of those.
   */
  revokeRegistration(registrationId: string, beforeGeneration?: number): Promise<void>;
  /** Every access token that was exchanged from what ended. */
  revokeExchanged(end: EndOfExchanged): Promise<void>;
  /** The signed list; undefined where there is none. */
  find(listId: number): Promise<string | undefined>;
  /** The signed lists of those ids that there are, as the database has them now; asks it once where none changed. */
  refresh(listIds: ReadonlySet<number>): Promise<ReadonlyMap<number, string>>;
}

interface Dependencies {
  statuses: StatusStore;
  grantStatuses: Pick<GrantStatusStore, 'listLists' | 'revoke'>;
  signingKeys: SigningKeys;
  issuer: string;
  clock: Clock;
  /** Is told of each list that was built: the seconds it took. */
  observeBuild?(seconds: number): void;
}

export function createStatusLists(deps: Dependencies): StatusLists {
  const { statuses, grantStatuses, clock } = deps;
  const findSignedStatusList = createFindSignedStatusList(deps);
  const built = new LRUCache<number, Promise<string | undefined>>({ max: 64, ttl: freshFor });

  const find = async (listId: number): Promise<string | undefined> => {
    if (!mayExist(listId, toSeconds(clock()))) return undefined;
    const known = built.get(listId);
    if (known !== undefined) return known;
    const building = findSignedStatusList(listId);
    // A list that could not be built is tried again at the next request.
    building.catch(() => built.delete(listId));
    built.set(listId, building);
    return building;
  };
  const refresher = createStatusListRefresher({ statuses, built, find, clock });

  const revokeRange = async (range: StatusRange): Promise<void> => {
    await statuses.revoke({ ...range, expiresAt: listExpiresAt(range.listId) });
    forget(range.listId);
  };
  /** The next who asks for the list sees what was revoked here. */
  const forget = (listId: number): void => {
    built.delete(listId);
    refresher.noteRevocation();
  };
  /** Who exchanges a token at the same moment looks after the insert whether what it came from has ended. */
  const revokeExchanged = async (end: EndOfExchanged): Promise<void> => {
    const listIds = await grantStatuses.listLists(end);
    if (listIds.length === 0) return;
    await grantStatuses.revoke(end);
    for (const listId of listIds) forget(listId);
  };

  return {
    async revoke(list) {
      for (const { listId, index } of list) {
        if (listExpiresAt(listId) > clock()) await revokeRange({ listId, first: index, size: 1 });
      }
    },
    async revokeRegistration(registrationId, beforeGeneration) {
      await revokeExchanged({ registrationId, beforeGeneration });
      for (const range of await statuses.listBlocks(registrationId, beforeGeneration)) await revokeRange(range);
    },
    revokeExchanged,
    find,
    refresh: (listIds) => refresher.refresh([...listIds].filter((listId) => mayExist(listId, toSeconds(clock())))),
  };
}

/** Whether tokens of the list can be in force; no other list is looked for. */
function mayExist(listId: number, now: number): boolean {
  const latest = listIdOf(now + maximumAccessTokenValidity) + 1;
  return listId >= listIdOf(now) - 2 && listId <= latest;
}
