import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { RequestBudgetStore } from '../clients/request-budget-store.ts';
import { createNetworkBudget, createWindowBudget } from '../clients/window-budget.ts';

const perHour = { limit: 20, windowLength: 3_600_000 };
const perMinute = { limit: 30, windowLength: 60_000 };

/** Bounds the rows that a caller without credentials can have stored. Each throws a 429 where it is used up. */
export interface RegistrationBudget {
  /** Spends one of the open registrations that a network has in an hour of the clock, and the /48 around it. */
  spend(address: string): Promise<void>;
  /** Spends one of the changes that a client has in a minute of the clock. */
  spendChange(clientId: string): Promise<void>;
}

interface Dependencies {
  requestBudgets: RequestBudgetStore;
  clock: Clock;
}

export function createRegistrationBudget(deps: Dependencies): RegistrationBudget {
  const registrations = createNetworkBudget({ ...deps, ...perHour });
  const changes = createWindowBudget({ ...deps, ...perMinute });
  return {
    async spend(address) {
      const retryAfter = await registrations.spend(address, (network) => `registration\0${network}`);
      if (retryAfter !== undefined) throw tooMany('clients were registered from this network', retryAfter);
    },
    async spendChange(clientId) {
      const retryAfter = await changes.spend(`registration change\0${clientId}`);
      if (retryAfter !== undefined) throw tooMany('changes of this registration', retryAfter);
    },
  };
}

function tooMany(what: string, retryAfter: number): OAuthError {
  const description = `too many ${what}; try again in ${retryAfter} seconds`;
  return new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
}
