import { bitsOf } from './entity-tag.ts';
import type { MeterWaits } from './meter-waits.ts';
import { createWaitingPlaces, type Waiting } from './waiting-places.ts';
import type { StatusListReader, StatusListWatch } from './watch-status-lists.ts';

/** How a wait ended: the list changed, the time is over, nothing could be read, the caller is gone, the process stops. */
export type WaitOutcome = 'changed' | 'over' | 'unread' | 'gone' | 'stopped';

export interface WaitRequest {
  listId: number;
  /** Entity tags of the lists in hand. */
  tags: readonly string[];
  seconds: number;
  caller: Waiting;
  /** Is called with what ends the wait where the caller is gone. */
  whenGone(leave: () => void): void;
}

/** Lets callers wait for a change of a status list. */
export interface StatusListWaits {
  /** Undefined where the caller may not wait. */
  wait(request: WaitRequest): Promise<WaitOutcome> | undefined;
  /** Ends all waits, and allows none any more. */
  stop(): void;
}

interface Dependencies {
  watch: StatusListWatch;
  meter: MeterWaits;
}

export function createStatusListWaits({ watch, meter }: Dependencies): StatusListWaits {
  const places = createWaitingPlaces();
  const ending = new Set<(outcome: WaitOutcome) => void>();
  let isStopped = false;
  meter.observe(places.count);

  const begin = ({ listId, tags, seconds, caller, whenGone }: WaitRequest): Promise<WaitOutcome> =>
    new Promise((resolve) => {
      const end = (outcome: WaitOutcome) => {
        if (!ending.delete(end)) return;
        clearTimeout(timer);
        watch.remove(reader);
        places.free(caller);
        resolve(outcome);
      };
      const reader: StatusListReader = {
        listId,
        bits: tags.map(bitsOf),
        changed: () => end('changed'),
        unread: () => end('unread'),
      };
      const timer = setTimeout(end, seconds * 1000, 'over');
      ending.add(end);
      watch.add(reader);
      whenGone(() => end('gone'));
    });

  return {
    wait(request) {
      const refusal = isStopped ? 'stopping' : places.take(request.caller);
      if (refusal === undefined) return begin(request);
      meter.refused(refusal);
      return undefined;
    },
    stop() {
      isStopped = true;
      for (const end of ending) end('stopped');
    },
  };
}
