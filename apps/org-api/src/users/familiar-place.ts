import type { Clock } from '@gatehouse/service-kit';
import { familiarAfter, type KnownNetworks, networkOf } from '@gatehouse/service-kit/guess-limit';
import { foldUsername, type KnownBrowser } from '@gatehouse/shared';
import { findBrowserSince } from './known-browser.ts';
import type { User } from './user.ts';

/** Where a user is. */
export interface Place {
  address: string;
  knownBrowsers?: readonly KnownBrowser[] | undefined;
}

/** Whether the user signed in at this browser, or from this network, a day ago or before. */
export type IsFamiliarPlace = (user: User, place: Place) => Promise<boolean>;

interface Dependencies {
  knownNetworks: Pick<KnownNetworks, 'isFamiliar'>;
  clock: Clock;
}

export function createIsFamiliarPlace({ knownNetworks, clock }: Dependencies): IsFamiliarPlace {
  return async (user, { address, knownBrowsers = [] }) => {
    const since = findBrowserSince(user, knownBrowsers);
    if (since !== undefined && since <= clock() - familiarAfter) return true;
    return knownNetworks.isFamiliar(foldUsername(user.username), networkOf(address));
  };
}
