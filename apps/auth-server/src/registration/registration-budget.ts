import { createHash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import { OAuthError } from '@gatehouse/shared';
import type { RequestBudgetStore } from '../clients/request-budget-store.ts';

/** How often something may be done in a time, by all replicas together. */
interface Limit {
  most: number;
  /** Milliseconds. */
  windowLength: number;
  /** What was done too often. */
  what: string;
}

const registrations: Limit = { most: 20, windowLength: 3_600_000, what: 'clients were registered from this network' };
const changes: Limit = { most: 30, windowLength: 60_000, what: 'changes of this registration' };

/** Bounds what somebody without credentials can have stored. Each throws a 429 where it is used up. */
export interface RegistrationBudget {
  /** Spends one of the open registrations that a network has in an hour of the clock. */
  spend(address: string): Promise<void>;
  /** Spends one of the changes that a client has in a minute of the clock. */
  spendChange(clientId: string): Promise<void>;
}

interface Dependencies {
  requestBudgets: RequestBudgetStore;
  clock: Clock;
}

export function createRegistrationBudget({ requestBudgets, clock }: Dependencies): RegistrationBudget {
  const spend = async ({ most: limit, windowLength, what }: Limit, name: string): Promise<void> => {
    const now = clock();
    const start = now - (now % windowLength);
    const expiresAt = start + windowLength;
    if (await requestBudgets.take(hashKey(name, start), { limit, expiresAt })) return;
    const retryAfter = Math.ceil((expiresAt - now) / 1000);
    const description = `too many ${what}; try again in ${retryAfter} seconds`;
    throw new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
  };
  return {
    spend: (address) => spend(registrations, `registration\0${networkOf(address)}`),
    spendChange: (clientId) => spend(changes, `registration change\0${clientId}`),
  };
}

/** Of this window alone: the next one has a row of its own. */
function hashKey(name: string, start: number): Buffer {
  return createHash('sha256').update(`${name}\0${start}`).digest();
}
