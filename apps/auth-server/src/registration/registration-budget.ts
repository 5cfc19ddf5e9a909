import { createHash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import { OAuthError } from '@gatehouse/shared';
import type { RequestBudgetStore } from '../clients/request-budget-store.ts';

/** Open registrations from one network in an hour of the clock, at all replicas together. */
const limit = 20;
/** Milliseconds. */
const windowLength = 3_600_000;

/** Bounds the clients that somebody without credentials can have stored. */
export interface RegistrationBudget {
  /** Throws a 429 where the network has used up its hour. */
  spend(address: string): Promise<void>;
}

interface Dependencies {
  requestBudgets: RequestBudgetStore;
  clock: Clock;
}

export function createRegistrationBudget({ requestBudgets, clock }: Dependencies): RegistrationBudget {
  return {
    async spend(address) {
      const now = clock();
      const start = now - (now % windowLength);
      const expiresAt = start + windowLength;
      if (await requestBudgets.take(hashKey(address, start), { limit, expiresAt })) return;
      const retryAfter = Math.ceil((expiresAt - now) / 1000);
      const description = `too many clients were registered from this network; try again in ${retryAfter} seconds`;
      throw new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
    },
  };
}

/** Of this hour alone: the next one has a row of its own. */
function hashKey(address: string, start: number): Buffer {
  return createHash('sha256')
    .update(`registration\0${networkOf(address)}\0${start}`)
    .digest();
}
