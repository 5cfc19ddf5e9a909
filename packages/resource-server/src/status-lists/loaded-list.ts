import type { FetchedList, Waiting } from './fetch-status-list.ts';
import { type StatusList, unpackStatusList } from './status-list.ts';
import type { StatusListsOptions } from './status-lists.ts';

/** A list as it came last. */
export interface LoadedList {
  /** Undefined where it never came. */
  current(): StatusList | undefined;
  /** Whether the last request for it failed. */
  isFailing(): boolean;
  /** Asks the server; tells whether it was willing to wait. Rejects where the answer is no list of the issuer. */
  load(waiting?: Waiting): Promise<boolean>;
  fail(error: unknown): void;
}

type Needs = Pick<StatusListsOptions, 'fetchStatusList' | 'verifyStatusList' | 'clock' | 'onFailure'>;

/** Fetches a list and keeps it. A list that cannot be read does not take the place of the one in hand. */
export function createLoadedList(uri: string, needs: Needs): LoadedList {
  const { fetchStatusList, verifyStatusList, clock, onFailure } = needs;
  let list: StatusList | undefined;
  let isFailing = false;

  const read = async ({ text, etag }: FetchedList): Promise<StatusList | undefined> => {
    if (text === undefined) return list && { ...list, confirmedAt: clock() };
    const published = await verifyStatusList(text);
    if (published?.uri !== uri) throw new Error('not a status list of this issuer at its own address');
    const { bits, exp, ttl } = published;
    return { bytes: unpackStatusList(published), bits, etag, exp, ttl, confirmedAt: clock() };
  };
  return {
    current: () => list,
    isFailing: () => isFailing,
    async load(waiting) {
      const fetched = await fetchStatusList(uri, list?.etag, waiting);
      list = await read(fetched);
      isFailing = false;
      return fetched.waited === true;
    },
    fail(error) {
      isFailing = true;
      onFailure(error, uri);
    },
  };
}
