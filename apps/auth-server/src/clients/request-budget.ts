import { createHash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import { OAuthError } from '@gatehouse/shared';
import { type Client, isPublic } from './client.ts';
import type { RequestBudgetStore } from './request-budget-store.ts';

/** Milliseconds. */
const windowLength = 60_000;

/** Bounds the rows that somebody without credentials can have stored, by the requests of a public client from one network. */
export interface RequestBudget {
  /** Throws a 429 where the client has used up the minute of this network. A confidential client has no limit. */
  spend(client: Client, address: string): Promise<void>;
}

interface Dependencies {
  requestBudgets: RequestBudgetStore;
  /** Requests of a public client from one network in a minute of the clock, at all replicas together. */
  limit: number;
  /** Tells the requests from those of another budget; empty for the first one. */
  kind: string;
  clock: Clock;
}

export function createRequestBudget({ requestBudgets, limit, kind, clock }: Dependencies): RequestBudget {
  /** What is used up in the current minute, so that what is refused costs no statement. */
  let spent = { start: 0, keys: new Set<string>() };
  const spentSince = (start: number) => {
    if (spent.start !== start) spent = { start, keys: new Set() };
    return spent.keys;
  };

  return {
    async spend(client, address) {
      if (!isPublic(client)) return;
      const now = clock();
      const start = now - (now % windowLength);
      const key = hashKey(client, address, `${start}${kind}`);
      const name = key.toString('hex');
      const isLeft =
        !spentSince(start).has(name) && (await requestBudgets.take(key, { limit, expiresAt: start + windowLength }));
      if (isLeft) return;
      spentSince(start).add(name);
      throw tooManyRequests(Math.ceil((start + windowLength - now) / 1000));
    },
  };
}

/** Of this minute alone: the next one has a row of its own. */
function hashKey({ registrationId }: Client, address: string, minute: string): Buffer {
  return createHash('sha256')
    .update(`${registrationId}\0${networkOf(address)}\0${minute}`)
    .digest();
}

function tooManyRequests(retryAfter: number): OAuthError {
  const description = `too many requests of this client from this network; try again in ${retryAfter} seconds`;
  return new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
}
