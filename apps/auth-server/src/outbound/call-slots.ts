import { OutboundFailure } from './outbound-failure.ts';

/** Bounds the calls under way at once, in all and to one host. */
export interface CallSlots {
  /**
   * Takes a slot; gives what frees it again. Throws where none is free. Where calls wait, it throws once the signal says that it is
   * too late.
   */
  take(host: string, signal: AbortSignal): Promise<() => void>;
}

export interface CallSlotsOptions {
  most: number;
  mostOfHost: number;
  waits: boolean;
}

interface Waiter {
  host: string;
  start: () => void;
}

export function createCallSlots({ most, mostOfHost, waits }: CallSlotsOptions): CallSlots {
  const underWay = new Map<string, number>();
  let calls = 0;
  /** In the order in which they came. */
  const waiting = new Set<Waiter>();

  const isFree = (host: string) => calls < most && (underWay.get(host) ?? 0) < mostOfHost;
  const occupy = (host: string) => {
    calls += 1;
    underWay.set(host, (underWay.get(host) ?? 0) + 1);
    return () => free(host);
  };
  const free = (host: string): void => {
    calls -= 1;
    const left = (underWay.get(host) ?? 1) - 1;
    if (left === 0) underWay.delete(host);
    else underWay.set(host, left);
    const next = [...waiting].find((waiter) => isFree(waiter.host));
    if (next === undefined) return;
    waiting.delete(next);
    next.start();
  };
  const wait = (host: string, signal: AbortSignal) =>
    new Promise<() => void>((resolve, reject) => {
      const waiter = { host, start: () => resolve(occupy(host)) };
      waiting.add(waiter);
      signal.addEventListener('abort', () => {
        waiting.delete(waiter);
        reject(signal.reason);
      });
    });

  return {
    async take(host, signal) {
      if (isFree(host)) return occupy(host);
      if (waits) return wait(host, signal);
      throw new OutboundFailure('unreachable', `too many calls at once to ${host}, or in all`);
    },
  };
}
