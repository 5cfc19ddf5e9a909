import { hash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import { chooseFirstLapse, chooseLastUnusedLapse } from '../clients/client-lapse.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { UnusedClientStore } from '../clients/unused-client-store.ts';
import type { BuiltRegistration } from './build-registration.ts';

/** Clients of open registration that never had a token, in the whole realm. */
const mostUnused = 1_000;
/** Milliseconds for which the server answers that there are too many, without a statement. */
const fullFor = 1_000;
/** Seconds after which a client is told to try again. */
const retryAfter = 60;
/** Between a look-up and what follows it the equal client may come, be used, be changed or go, one after the other. */
const mostAttempts = 5;

interface Dependencies {
  clients: Pick<ClientStore, 'insert' | 'delete'>;
  unusedClients: UnusedClientStore;
  clock: Clock;
}

/** A client that registers openly, and the hash of all that it says and of the network that it says it from. */
export interface OpenClient {
  client: Client & { dynamic: { tokenHash: Buffer } };
  unusedHash: Buffer;
}

/**
 * Registers a client openly; gives the one that is in force. That is an earlier one where it registered with the same hash
 * and never had a token: its registration access token is replaced. Throws a 503 where too many were never used.
 */
export type RegisterOpenly = (open: OpenClient) => Promise<Client>;

export function createRegisterOpenly({ clients, unusedClients, clock }: Dependencies): RegisterOpenly {
  let fullUntil = 0;
  const checkRoom = async (client: Client): Promise<void> => {
    // Counted with this one in it: of several at the same moment no more stay than there is room for.
    if ((await unusedClients.count()) <= mostUnused) return;
    fullUntil = clock() + fullFor;
    await clients.delete(client);
    throw tooManyUnused();
  };
  const renew = async (seen: Client, { client, unusedHash }: OpenClient): Promise<Client | undefined> => {
    const now = clock();
    if ((seen.lapsesAt ?? 0) > chooseLastUnusedLapse(now)) {
      await unusedClients.release(unusedHash);
      return undefined;
    }
    const { tokenHash } = client.dynamic;
    const isRenewed = await unusedClients.renew(unusedHash, { tokenHash, lapsesAt: chooseFirstLapse(now), now });
    return isRenewed ? { ...seen, dynamic: client.dynamic } : undefined;
  };

  return async (open) => {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const equal = await unusedClients.find(open.unusedHash);
      if (equal !== undefined) {
        const renewed = await renew(equal, open);
        if (renewed !== undefined) return renewed;
        continue;
      }
      if (clock() < fullUntil) throw tooManyUnused();
      // False where an equal one was inserted meanwhile, or a resource was deleted.
      if (!(await clients.insert(open.client, open.unusedHash))) continue;
      await checkRoom(open.client);
      return open.client;
    }
    throw changedMeanwhile();
  };
}

/** The identity of an open registration. The members stand in the order of the server. */
export function hashOpenRegistration({ registration, metadata }: BuiltRegistration, client: Client, address: string) {
  const { client_id: _, ...said } = registration;
  const parts = [networkOf(address), said, metadata, client.dynamic?.applicationType];
  return hash('sha256', JSON.stringify(parts), 'buffer');
}

/** 503, for a client that could not be stored with what was true when it was checked. */
export function changedMeanwhile(): OAuthError {
  return new OAuthError('temporarily_unavailable', 'a resource was deleted a moment ago; register again', {
    retryAfter: 1,
  });
}

function tooManyUnused(): OAuthError {
  const description = 'too many clients registered and were never used; try again later';
  return new OAuthError('temporarily_unavailable', description, { retryAfter });
}
