import { createCounts } from '@gatehouse/service-kit';

/** Callers of a process that may wait at the same moment, and those among them that did not authenticate. */
const most = 1_000;
const mostStrangers = 500;
/** Callers of one network, or of one client, that may wait at the same moment. */
const mostOfOne = 100;

/** Why a caller gets no place. */
export type NoPlace = 'process' | 'network' | 'client';

/** A caller that asks for a place: a client that authenticated, or a network of strangers. */
export interface Waiting {
  by: 'client' | 'network';
  name: string;
}

/** The places of those who wait at this process. */
export interface WaitingPlaces {
  /** Undefined where a place was taken. */
  take(caller: Waiting): NoPlace | undefined;
  free(caller: Waiting): void;
  count(): number;
}

export function createWaitingPlaces(): WaitingPlaces {
  const places = { client: createCounts(), network: createCounts() };
  const count = () => places.client.total() + places.network.total();
  return {
    take({ by, name }) {
      if (count() >= most || (by === 'network' && places.network.total() >= mostStrangers)) return 'process';
      if (places[by].of(name) >= mostOfOne) return by;
      places[by].add(name, 1);
      return undefined;
    },
    free: ({ by, name }) => places[by].add(name, -1),
    count,
  };
}
