import type { Clock } from '@gatehouse/service-kit';
import { type Client, displayNameOf, isThirdParty } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { listClaimsBeyond, listClaimsOf } from '../tokens/userinfo-claims.ts';
import type { Allowed, Asked, Consent, ShownConsent } from './consent.ts';
import type { ConsentStore } from './consent-store.ts';

/** Users' decisions about third-party clients: asked once, kept, shown, taken back. */
export interface Consents {
  /** Whether the user has to be asked before the client gets what it asks for. */
  isNeeded(client: Client, userId: string, asked: Asked): Promise<boolean>;
  /** Adds to what the user has allowed before. */
  give(client: Client, userId: string, asked: Asked): Promise<void>;
  /** What the user allows a third-party client of what it holds; undefined where that is no scope. */
  findAllowed(client: Client, userId: string, held: Asked): Promise<Allowed | undefined>;
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

type Given = Pick<Consent, 'scope' | 'claims'>;
const nothing: Given = { scope: [], claims: [] };

export function createConsents({ consents, clients, revocations, clock }: Dependencies): Consents {
  const findGiven = async (userId: string, { registrationId }: Client): Promise<Given> =>
    (await consents.find(userId, registrationId)) ?? nothing;
  const findShown = async (consent: Consent): Promise<ShownConsent | undefined> => {
    const client = await clients.find(consent.clientId);
    // Another registration of the same name was never allowed anything.
    if (client?.registrationId !== consent.registrationId) return undefined;
    return { ...consent, application: displayNameOf(client) };
  };
  return {
    async isNeeded(client, userId, asked) {
      if (!isThirdParty(client)) return false;
      const given = await findGiven(userId, client);
      const claims = listClaimsBeyond(given.scope, asked.claims);
      return !includesAll(given.scope, asked.scope) || !includesAll(given.claims, claims);
    },
    async give(client, userId, asked) {
      const { registrationId, clientId } = client;
      const given = await findGiven(userId, client);
      const scope = unite(given.scope, asked.scope);
      const claims = unite(given.claims, listClaimsBeyond(asked.scope, asked.claims));
      await consents.put({ userId, registrationId, clientId, scope, claims, grantedAt: clock() });
    },
    async findAllowed(client, userId, held) {
      return findRest(held, await findGiven(userId, client));
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

/** What is left of what a client holds where only this was allowed; undefined where that is no scope. */
function findRest(held: Asked, given: Given): Allowed | undefined {
  const scope = held.scope.filter((name) => given.scope.includes(name));
  if (scope.length === 0) return undefined;
  const claims = new Set([...listClaimsOf(given.scope), ...given.claims]);
  const pick = (names: readonly string[]) => names.filter((name) => claims.has(name));
  return { scope, claims: { idToken: pick(held.claims.idToken), userinfo: pick(held.claims.userinfo) } };
}

function includesAll(allowed: readonly string[], asked: readonly string[]): boolean {
  return asked.every((name) => allowed.includes(name));
}

function unite(some: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...some, ...more])];
}
