import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { listExpiresAt, listIdOf, type TokenStatus } from '../protocol/token-status.ts';
import { isSameHour } from './entity-tag.ts';
import type { EndOfExchanged } from './grant-status.ts';
import type { GrantStatusStore } from './grant-status-store.ts';
import { bitCountOf, createFindSignedStatusList } from './signed-status-list.ts';
import type { StatusRange } from './status-block-store.ts';
import type { StatusListExtent, StatusStore } from './status-store.ts';

/** Milliseconds for which a list that was built is handed out again: the most by which a revocation is late here. */
const freshFor = 500;

interface Dependencies {
  statuses: StatusStore;
  grantStatuses: Pick<GrantStatusStore, 'listLists' | 'revoke'>;
  signingKeys: SigningKeys;
  issuer: string;
  clock: Clock;
  /** Is told of each list that was built: the seconds it took. */
  observeBuild?(seconds: number): void;
}

export type StatusLists = ReturnType<typeof createStatusLists>;

/** The published state of access tokens (Token Status List). */
export function createStatusLists(deps: Dependencies) {
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
  /** A caller that exchanges a token at the same moment looks after the insert whether its subject token has ended. */
  const revokeExchanged = async (end: EndOfExchanged): Promise<void> => {
    const listIds = await grantStatuses.listLists(end);
    if (listIds.length === 0) return;
    await grantStatuses.revoke(end);
    for (const listId of listIds) forget(listId);
  };

  return {
    async revoke(list: readonly TokenStatus[]): Promise<void> {
      for (const { listId, index } of list) {
        if (listExpiresAt(listId) > clock()) await revokeRange({ listId, first: index, size: 1 });
      }
    },
    /**
     * Revokes every access token of a registration, or of its generations before one, however it was granted, and every token
     * that was exchanged from one of those.
     */
    async revokeRegistration(registrationId: string, beforeGeneration?: number): Promise<void> {
      await revokeExchanged({ registrationId, beforeGeneration });
      for (const range of await statuses.listBlocks(registrationId, beforeGeneration)) await revokeRange(range);
    },
    /** Revokes every access token that was exchanged from what ended. */
    revokeExchanged,
    /** The signed list; undefined where there is none. */
    find,
    /** The signed lists of those ids that there are, as the database has them now; asks it once where none changed. */
    refresh: (listIds: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> =>
      refresher.refresh([...listIds].filter((listId) => mayExist(listId, toSeconds(clock())))),
  };
}

/** Whether tokens of the list can be in force; no other list is looked for. */
function mayExist(listId: number, now: number): boolean {
  const latest = listIdOf(now + maximumAccessTokenValidity) + 1;
  return listId >= listIdOf(now) - 2 && listId <= latest;
}

/** Signed lists by id, while they count as new. */
type BuiltLists = LRUCache<number, Promise<string | undefined>>;

interface RefresherDependencies {
  statuses: Pick<StatusStore, 'readExtents'>;
  built: BuiltLists;
  /** Gives what was built, or builds it. */
  find(listId: number): Promise<string | undefined>;
  clock: Clock;
}

/** A signed list, and the extent of the list before it was read. */
interface Seen {
  extent: string;
  /** Seconds. */
  builtAt: number;
  list: string;
  /** The statuses that `built` had of it. */
  entry: Promise<string | undefined> | undefined;
}

/** Keeps lists as new as the database has them, and builds only those that changed. */
function createStatusListRefresher({ statuses, built, find, clock }: RefresherDependencies) {
  const seen = new LRUCache<number, Seen>({ max: 64 });
  let revocations = 0;

  /** A reading that began before a revocation by this process confirms nothing: the next caller is shown the revocation. */
  const refreshOne = async (current: StatusListExtent, revocationsBefore: number): Promise<string | undefined> => {
    const { listId } = current;
    const extent = `${bitCountOf(current.length)} ${current.changes}`;
    const now = toSeconds(clock());
    const last = seen.get(listId);
    if (last?.extent === extent && isSameHour(last.builtAt, now)) {
      if (revocations === revocationsBefore) keep(listId, last);
      return last.list;
    }
    built.delete(listId);
    const finding = find(listId);
    const entry = built.peek(listId);
    const list = await finding;
    if (list !== undefined) seen.set(listId, { extent, builtAt: now, list, entry });
    return list;
  };
  /** A list that another caller built meanwhile is newer than the reading, and stays. */
  const keep = (listId: number, { entry, list }: Seen): void => {
    const current = built.peek(listId);
    if (current === undefined || current === entry) built.set(listId, entry ?? Promise.resolve(list));
  };

  return {
    /** The signed lists of those ids that there are. */
    async refresh(listIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
      const revocationsBefore = revocations;
      const extents = await statuses.readExtents(listIds);
      const lists = extents.map(
        async (current) => [current.listId, await refreshOne(current, revocationsBefore)] as const,
      );
      return new Map((await Promise.all(lists)).filter((entry): entry is [number, string] => entry[1] !== undefined));
    },
    /** Has to be called after each revocation by this process, once it is stored and `built` has forgotten the list. */
    noteRevocation() {
      revocations += 1;
    },
  };
}
