import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { LRUCache } from 'lru-cache';
import { isSameHour } from './entity-tag.ts';
import { bitCountOf } from './signed-status-list.ts';
import type { StatusListExtent, StatusStore } from './status-store.ts';

/** Signed lists by id, while they count as new. */
type BuiltLists = LRUCache<number, Promise<string | undefined>>;

interface Dependencies {
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
  /** What `built` had of it. */
  entry: Promise<string | undefined> | undefined;
}

/** Keeps lists as new as the database has them, and builds only those that changed. */
export interface StatusListRefresher {
  /** The signed lists of those ids that there are. */
  refresh(listIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Has to be told of each revocation by this process, once it is stored and `built` has forgotten the list. */
  noteRevocation(): void;
}

export function createStatusListRefresher({ statuses, built, find, clock }: Dependencies): StatusListRefresher {
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
  /** A list that somebody else built meanwhile is newer than the reading, and stays. */
  const keep = (listId: number, { entry, list }: Seen): void => {
    const current = built.peek(listId);
    if (current === undefined || current === entry) built.set(listId, entry ?? Promise.resolve(list));
  };

  return {
    async refresh(listIds) {
      const revocationsBefore = revocations;
      const extents = await statuses.readExtents(listIds);
      const lists = extents.map(
        async (current) => [current.listId, await refreshOne(current, revocationsBefore)] as const,
      );
      return new Map((await Promise.all(lists)).filter((entry): entry is [number, string] => entry[1] !== undefined));
    },
    noteRevocation() {
      revocations += 1;
    },
  };
}
