/** Callers of a process, and of one network among them, that may wait at the same moment. */
const most = 1_000;
const mostOfNetwork = 100;

/** Why a caller gets no place. */
export type NoPlace = 'process' | 'network';

/** The places of those who wait at this process. */
export interface WaitingPlaces {
  /** Undefined where a place was taken. */
  take(network: string): NoPlace | undefined;
  free(network: string): void;
  count(): number;
}

export function createWaitingPlaces(): WaitingPlaces {
  const byNetwork = new Map<string, number>();
  let count = 0;
  const set = (network: string, places: number) => {
    if (places > 0) byNetwork.set(network, places);
    else byNetwork.delete(network);
  };
  return {
    take(network) {
      if (count >= most) return 'process';
      const ofNetwork = byNetwork.get(network) ?? 0;
      if (ofNetwork >= mostOfNetwork) return 'network';
      count += 1;
      set(network, ofNetwork + 1);
      return undefined;
    },
    free(network) {
      count -= 1;
      set(network, (byNetwork.get(network) ?? 0) - 1);
    },
    count: () => count,
  };
}
