import type { Clock } from '@gatehouse/service-kit';
import { type Client, displayNameOf } from '../clients/client.ts';
import type { ClientStore, ConsentStore } from '../storage/stores.ts';
import type { Revocations } from '../tokens/revocations.ts';

/** What a user has allowed a client, as it is stored. */
export interface Consent {
  userId: string;
  registrationId: string;
  clientId: string;
  scope: string[];
  /** Milliseconds. */
  grantedAt: number;
}

/** A consent as its user sees it. */
export interface ShownConsent extends Consent {
  /** The name of the client now. */
  application: string;
}

/** Users' decisions about third-party clients: asked once, kept, shown, taken back. */
export interface Consents {
  /** Whether the user has to be asked before the client gets the scope. */
  isNeeded(client: Client, userId: string, scope: readonly string[]): Promise<boolean>;
  /** Adds to what the user has allowed before. */
  give(client: Client, userId: string, scope: readonly string[]): Promise<void>;
  /** Of clients that are still registered. */
  list(userId: string): Promise<ShownConsent[]>;
  /** Ends with it what the client holds for the user. Gives what it was; undefined where there was none. */
  takeBack(userId: string, registrationId: string): Promise<Consent | undefined>;
}

interface Dependencies {
  consents: ConsentStore;
  clients: Pick<ClientStore, 'find'>;
  revocations: Revocations;
  clock: Clock;
}

export function createConsents({ consents, clients, revocations, clock }: Dependencies): Consents {
  const findScope = async (userId: string, { registrationId }: Client) =>
    (await consents.find(userId, registrationId))?.scope ?? [];
  const findShown = async (consent: Consent): Promise<ShownConsent | undefined> => {
    const client = await clients.find(consent.clientId);
    // Another registration of the same name was never allowed anything.
    if (client?.registrationId !== consent.registrationId) return undefined;
    return { ...consent, application: displayNameOf(client) };
  };
  return {
    async isNeeded(client, userId, scope) {
      if (client.metadata.require_consent !== true) return false;
      const allowed = await findScope(userId, client);
      return scope.some((name) => !allowed.includes(name));
    },
    async give(client, userId, scope) {
      const { registrationId, clientId } = client;
      const allowed = [...new Set([...(await findScope(userId, client)), ...scope])];
      await consents.put({ userId, registrationId, clientId, scope: allowed, grantedAt: clock() });
    },
    async list(userId) {
      const shown = await Promise.all((await consents.list(userId)).map(findShown));
      return shown.filter((consent) => consent !== undefined);
    },
    async takeBack(userId, registrationId) {
      const consent = await consents.find(userId, registrationId);
      // Before, so that what fails halfway can be repeated; after, for grants that began meanwhile.
      await revocations.endGrantsOf(userId, registrationId);
      await consents.delete(userId, registrationId);
      await revocations.endGrantsOf(userId, registrationId);
      return consent;
    },
  };
}
