import { createHash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { findNetworkAround, networkOf } from '@gatehouse/service-kit/guess-limit';
import type { RequestBudgetStore } from './request-budget-store.ts';

/** The /48 of IPv6 has as much as ten /64s: it is what one customer of a provider has (RFC 6177). */
const networksOfWide = 10;

/** How often something may be done in a window of the clock, at all replicas together. */
export interface WindowBudget {
  /** Spends one of what the name has. Gives the seconds to wait where it is used up. */
  spend(name: string): Promise<number | undefined>;
}

interface Dependencies {
  requestBudgets: RequestBudgetStore;
  limit: number;
  /** Milliseconds. */
  windowLength: number;
  clock: Clock;
}

export function createWindowBudget({ requestBudgets, limit, windowLength, clock }: Dependencies): WindowBudget {
  /** The budgets used up in the current window: a refusal costs no statement. */
  let spent = { start: 0, keys: new Set<string>() };
  const spentSince = (start: number) => {
    if (spent.start !== start) spent = { start, keys: new Set() };
    return spent.keys;
  };

  return {
    async spend(name) {
      const now = clock();
      const start = now - (now % windowLength);
      const expiresAt = start + windowLength;
      const key = hashKey(name, start);
      const text = key.toString('hex');
      const isLeft = !spentSince(start).has(text) && (await requestBudgets.take(key, { limit, expiresAt }));
      if (isLeft) return undefined;
      spentSince(start).add(text);
      return Math.ceil((expiresAt - now) / 1000);
    },
  };
}

/** How often something may be done from a network: from an IPv4 address or a /64 of IPv6, and from the /48 around it. */
export interface NetworkBudget {
  /** Spends one of both. `nameOf` names what a network has. Gives the seconds to wait where one of them is used up. */
  spend(address: string, nameOf: (network: string) => string): Promise<number | undefined>;
}

export function createNetworkBudget(deps: Dependencies): NetworkBudget {
  const narrow = createWindowBudget(deps);
  const wide = createWindowBudget({ ...deps, limit: networksOfWide * deps.limit });
  return {
    async spend(address, nameOf) {
      const network = networkOf(address);
      // One /64 that has used up its own takes nothing from its neighbours.
      const retryAfter = await narrow.spend(nameOf(network));
      const around = findNetworkAround(network);
      return retryAfter !== undefined || around === undefined ? retryAfter : wide.spend(nameOf(around));
    },
  };
}

/** Of this window alone: the next one has a row of its own. */
function hashKey(name: string, start: number): Buffer {
  return createHash('sha256').update(`${name}\0${start}`).digest();
}
