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
  const counts = { client: new Map<string, number>(), network: new Map<string, number>() };
  let count = 0;
  let strangers = 0;
  const add = ({ by, name }: Waiting, change: 1 | -1) => {
    count += change;
    if (by === 'network') strangers += change;
    const places = (counts[by].get(name) ?? 0) + change;
    if (places > 0) counts[by].set(name, places);
    else counts[by].delete(name);
  };
  return {
    take(caller) {
      if (count >= most || (caller.by === 'network' && strangers >= mostStrangers)) return 'process';
      if ((counts[caller.by].get(caller.name) ?? 0) >= mostOfOne) return caller.by;
      add(caller, 1);
      return undefined;
    },
    free: (caller) => add(caller, -1),
    count: () => count,
  };
}
