import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { Client } from './client.ts';
import { isPublic } from './client-demands.ts';
import type { RequestBudgetStore } from './request-budget-store.ts';
import type { IsOfStranger } from './stranger.ts';
import { createNetworkBudget } from './window-budget.ts';

/** Milliseconds. */
const windowLength = 60_000;

/** Bounds the rows that a caller without credentials, or with those of a stranger, can have stored, by the requests of a client from one network. */
export interface RequestBudget {
  /** Throws a 429 where the client has used up the minute of this network. */
  spend(client: Client, address: string): Promise<void>;
}

interface Dependencies {
  requestBudgets: RequestBudgetStore;
  isOfStranger: IsOfStranger;
  /** Whether it bounds confidential clients, too: where they need not authenticate. */
  boundsEveryClient?: boolean;
  /** Requests of a bounded client from one network in a minute of the clock, at all replicas together; ten times as many from a /48. */
  limit: number;
  /** Tells the requests from those of another budget; empty for the first one. */
  kind: string;
  clock: Clock;
}

export function createRequestBudget(deps: Dependencies): RequestBudget {
  const { kind, isOfStranger, boundsEveryClient = false } = deps;
  const { spend } = createNetworkBudget({ windowLength, ...deps });
  return {
    async spend(client, address) {
      if (!boundsEveryClient && !isPublic(client) && !isOfStranger(client)) return;
      const retryAfter = await spend(address, (network) => `${client.registrationId}\0${network}${kind}`);
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter);
    },
  };
}

function tooManyRequests(retryAfter: number): OAuthError {
  const description = `too many requests of this client from this network; try again in ${retryAfter} seconds`;
  return new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
}
