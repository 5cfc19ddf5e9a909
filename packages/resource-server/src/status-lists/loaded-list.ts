import type { Waiting } from './fetch-status-list.ts';
import { joinLists } from './join-lists.ts';
import { type StatusList, unpackStatusList } from './status-list.ts';
import type { StatusListsOptions } from './status-lists-options.ts';

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

/**
 * Fetches a list and keeps it. A list that cannot be read, or that is older and takes a revocation back, does not take the
 * place of the one in hand: the request has failed.
 */
export function createLoadedList(uri: string, needs: Needs): LoadedList {
  const { fetchStatusList, verifyStatusList, clock, onFailure } = needs;
  let list: StatusList | undefined;
  let isFailing = false;

  const read = async (text: string, etag: string | undefined): Promise<StatusList> => {
    const published = await verifyStatusList(text);
    if (published?.uri !== uri) throw new Error('not a status list of this issuer at its own address');
    const { bits, iat, exp, ttl } = published;
    return { bytes: unpackStatusList(published), bits, iat, etag, exp, ttl, confirmedAt: clock() };
  };
  /** A 304 confirms the list that the request named. Another request may have brought a newer one meanwhile. */
  const confirm = (etag: string | undefined) => {
    if (list !== undefined && list.etag === etag) list = { ...list, confirmedAt: clock() };
  };
  return {
    current: () => list,
    isFailing: () => isFailing,
    async load(waiting) {
      const named = list?.etag;
      const { text, etag, waited } = await fetchStatusList(uri, named, waiting);
      const come = text === undefined ? undefined : await read(text, etag);
      if (come === undefined) confirm(named);
      else list = joinLists(list, come, clock());
      isFailing = false;
      return waited === true;
    },
    fail(error) {
      isFailing = true;
      onFailure(error, uri);
    },
  };
}
