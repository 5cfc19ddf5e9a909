import { buildEntryLimit, type Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { RequestBudgetStore } from '../clients/request-budget-store.ts';
import { createNetworkBudget } from '../clients/window-budget.ts';
import { DocumentFault } from './document-fault.ts';

/** Calls in a minute of the clock. */
const ofNetwork = 30;
const ofProcess = 300;
/** New rows in an hour of the clock. */
const mostRows = 20;
const minute = 60_000;
/** Milliseconds between two calls for one URL. */
const pause = 1_000;
const mostUrls = 10_000;

/** On whose behalf a document is read. */
export interface Asker {
  address: string;
  /** Whether administrators listed the URL, or it has a row. */
  isKnown: boolean;
}

/** Bounds what anonymous requests cause. */
export interface DocumentBudget {
  /** Spends a call; throws a {@link DocumentFault} where none is left. */
  spend(url: string, asker: Asker): Promise<void>;
  /** Spends one of the rows that pushed requests of a network may make in an hour of the clock; throws a 429. */
  spendRow(address: string): Promise<void>;
}

export function createDocumentBudget(deps: { requestBudgets: RequestBudgetStore; clock: Clock }): DocumentBudget {
  const { clock } = deps;
  const networks = createNetworkBudget({ ...deps, limit: ofNetwork, windowLength: minute });
  const rows = createNetworkBudget({ ...deps, limit: mostRows, windowLength: 60 * minute });
  // Of their own: strangers do not take the calls of clients that are known.
  const known = createProcessBudget(clock);
  const unknown = createProcessBudget(clock);
  const lastCalls = new LRUCache<string, number>(buildEntryLimit(mostUrls));

  const findWait = async (url: string, { address, isKnown }: Asker): Promise<number | undefined> => {
    if (clock() - (lastCalls.get(url) ?? 0) < pause) return 1;
    if (isKnown) return known();
    return (await networks.spend(address, (network) => `client document\0${network}`)) ?? unknown();
  };
  return {
    async spend(url, asker) {
      const retryAfter = await findWait(url, asker);
      if (retryAfter === undefined) return void lastCalls.set(url, clock());
      throw new DocumentFault('limited', 'too many metadata documents are read at the moment', { retryAfter });
    },
    async spendRow(address) {
      const retryAfter = await rows.spend(address, (network) => `client document row\0${network}`);
      if (retryAfter === undefined) return;
      const description = `too many new clients from this network; try again in ${retryAfter} seconds`;
      throw new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
    },
  };
}

/** Of this process alone. Gives the seconds to wait where it is used up. */
function createProcessBudget(clock: Clock): () => number | undefined {
  let window = { start: 0, used: 0 };
  return () => {
    const now = clock();
    const start = now - (now % minute);
    if (window.start !== start) window = { start, used: 0 };
    if (window.used >= ofProcess) return Math.ceil((start + minute - now) / 1000);
    window.used += 1;
    return undefined;
  };
}
