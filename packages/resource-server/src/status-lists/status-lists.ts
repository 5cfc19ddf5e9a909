import { LRUCache } from 'lru-cache';
import { createFollowedList, type FollowedList } from './followed-list.ts';
import { tickEvery } from './list-requests.ts';
import type { StatusListsOptions } from './status-lists-options.ts';
import type { StatusReference, TokenStatus } from './token-status.ts';

/** Follows the status lists that tokens name, so that revoked tokens are refused without a call for each request. */
export interface StatusLists {
  /** The status by a list that is in hand and up to date; undefined where the list must be asked for first. */
  findInHand(reference: StatusReference): TokenStatus | undefined;
  /** The status, after the list was asked for where that is due. Never rejects. */
  find(reference: StatusReference): Promise<TokenStatus>;
  stop(): void;
}

const mostLists = 256;

/**
 * Fetches a list when the first token refers to it. Then it waits for a change at servers that allow that, and asks again
 * in the background at others: each second, or by the list's `ttl`. A list that no token named for a minute rests.
 */
export function createStatusLists(options: StatusListsOptions): StatusLists {
  const { isTrusted, unavailable, repeat } = options;
  const lists = new LRUCache<string, FollowedList>({ max: mostLists, dispose: (list) => list.stop() });
  const outside: TokenStatus = unavailable === 'accept' ? 'valid' : 'unknown';
  const stop = repeat(() => {
    for (const list of lists.values()) list.keepUp();
  }, tickEvery);

  const findList = (uri: string): FollowedList | undefined => {
    const known = lists.get(uri);
    if (known !== undefined || !isTrusted(uri)) return known;
    const list = createFollowedList(uri, options);
    lists.set(uri, list);
    return list;
  };

  return {
    findInHand({ idx, uri }) {
      const list = findList(uri);
      return list === undefined ? outside : list.findInHand(idx);
    },
    async find({ idx, uri }) {
      const list = findList(uri);
      return list === undefined ? outside : (list.findInHand(idx) ?? list.find(idx));
    },
    stop() {
      stop();
      lists.clear();
    },
  };
}
