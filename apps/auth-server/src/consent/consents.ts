import type { Clock } from '@gatehouse/service-kit';
import { type Client, isThirdParty } from '../clients/client.ts';
import { hasAnyLoopbackPort, isPublic } from '../clients/client-demands.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { hostOfDocument } from '../clients/document-url.ts';
import { redirectUrisOf } from '../clients/redirect-uri.ts';
import { nameApplication } from '../pages/application.ts';
import type { Prompt } from '../protocol/prompt.ts';
import { listScopeNames, orgApiId } from '../resources/granted-resource.ts';
import type { FindShownResource } from '../resources/requested-access.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { listClaimsBeyond, listClaimsOf } from '../tokens/userinfo-claims.ts';
import type { Allowed, Asked, Consent, ShownConsent } from './consent.ts';
import type { ConsentStore } from './consent-store.ts';
import { areAllowed, limitResources, listOrgApiScopes, uniteResources } from './consented-resources.ts';
import { describePlace } from './describe-access.ts';

/** The consents of users to third-party clients: asked for once, stored, shown, withdrawn. */
export interface Consents {
  /** Whether the user must be asked before the client gets the requested scopes and claims. */
  isNeeded(client: Client, userId: string, asked: Asked): Promise<boolean>;
  /** Adds to the user's earlier consent. */
  give(client: Client, userId: string, asked: Asked): Promise<void>;
  /** Finds the part of a third-party client's scope and claims that the user allows; undefined where nothing is left. */
  findAllowed(client: Client, userId: string, held: Asked): Promise<Allowed | undefined>;
  /** Plans the consent of a user who allows what is asked for, too. Stores nothing. */
  plan(client: Client, userId: string, asked: Asked): Promise<PlannedConsent>;
  /** Lists the user's consents to clients that are still registered. */
  list(userId: string): Promise<ShownConsent[]>;
  /** Withdraws a consent and ends the client's grants for the user. Gives the consent; undefined where there was none. */
  takeBack(userId: string, registrationId: string): Promise<Consent | undefined>;
}

interface Dependencies {
  consents: ConsentStore;
  clients: Pick<ClientStore, 'find'>;
  findShownResource: FindShownResource;
  revocations: Revocations;
  clock: Clock;
}

type Given = Pick<Consent, 'scope' | 'resources' | 'claims'>;

/** A consent as it would be once the user has allowed what is asked for. */
export interface PlannedConsent {
  /** As the user allowed it before. */
  given: Given;
  /** Gives the part of a client's scope and claims that the user would allow. */
  allow(held: Asked): Allowed | undefined;
}

const nothing: Given = { scope: [], resources: [], claims: [] };

export function createConsents({ consents, clients, findShownResource, revocations, clock }: Dependencies): Consents {
  const findGiven = async (userId: string, { registrationId }: Client): Promise<Given> =>
    (await consents.find(userId, registrationId)) ?? nothing;
  /** The part that the user need not be asked for once more: not what was given to a document that looked otherwise. */
  const findStanding = async (userId: string, { registrationId, document }: Client): Promise<Given> => {
    const consent = await consents.find(userId, registrationId);
    return consent === undefined || consent.grantedAt < (document?.changedAt ?? 0) ? nothing : consent;
  };
  const findShown = async (consent: Consent): Promise<ShownConsent | undefined> => {
    const client = await clients.find(consent.clientId);
    // A consent holds for one registration, not for another one of the same name.
    if (client?.registrationId !== consent.registrationId) return undefined;
    const shown = (await Promise.all(consent.resources.map(findShownResource))).filter((one) => one !== undefined);
    const place = placeOf(client);
    const { initiate_login_uri: initiateLoginUri } = client.metadata;
    return { ...consent, application: nameApplication(client, place), initiateLoginUri, shown };
  };
  return {
    async isNeeded(client, userId, asked) {
      if (!isThirdParty(client)) return false;
      const given = await findStanding(userId, client);
      const claims = listClaimsBeyond(given.scope, asked.claims);
      const isCovered =
        includesAll(given.scope, listOrgApiScopes(asked)) &&
        areAllowed(given.resources, asked.resources ?? []) &&
        includesAll(given.claims, claims);
      return !isCovered;
    },
    async give(client, userId, asked) {
      const { registrationId, clientId } = client;
      const given = addAsked(await findStanding(userId, client), asked);
      // The clock of another replica may be ahead.
      const grantedAt = Math.max(clock(), client.document?.changedAt ?? 0);
      await consents.put({ userId, registrationId, clientId, ...given, grantedAt });
    },
    async findAllowed(client, userId, held) {
      return findRest(held, await findGiven(userId, client));
    },
    async plan(client, userId, asked) {
      const given = await findStanding(userId, client);
      const after = addAsked(given, asked);
      return { given, allow: (held) => findRest(held, after) };
    },
    async list(userId) {
      const shown = await Promise.all((await consents.list(userId)).map(findShown));
      return shown.filter((consent) => consent !== undefined);
    },
    async takeBack(userId, registrationId) {
      const consent = await consents.find(userId, registrationId);
      // Ends grants before the deletion, so that a failure halfway can be repeated, and after it, for grants that began meanwhile.
      await revocations.endGrantsOf(userId, registrationId);
      await consents.delete(userId, registrationId);
      await revocations.endGrantsOf(userId, registrationId);
      return consent;
    },
  };
}

/** The place that tells the client from every other one of its name. */
function placeOf(client: Client): string {
  if (client.document !== undefined) return hostOfDocument(client.clientId);
  const places = redirectUrisOf(client).map(describePlace);
  return [...new Set(places)].join(', ') || client.clientId;
}

/** Adds to what was given what is asked for. */
function addAsked(given: Given, asked: Asked): Given {
  return {
    scope: unite(given.scope, listOrgApiScopes(asked)),
    resources: uniteResources(given.resources, asked.resources ?? []),
    claims: unite(given.claims, listClaimsBeyond(asked.scope, asked.claims)),
  };
}

/** Cuts a client's scope, resources and claims to a consent; undefined where nothing is left. */
function findRest(held: Asked, given: Given): Allowed | undefined {
  const resources = held.resources && limitResources(held.resources, given.resources);
  const ofResources = new Set(listScopeNames(resources ?? []));
  const ofOrgApi = new Set(listOrgApiScopes(held));
  const isAllowed = (name: string) => (ofOrgApi.has(name) ? given.scope.includes(name) : ofResources.has(name));
  const scope = held.scope.filter(isAllowed);
  const hasOtherResource = resources?.some(({ id }) => id !== orgApiId) === true;
  if (scope.length === 0 && !hasOtherResource) return undefined;
  const claims = new Set([...listClaimsOf(given.scope), ...given.claims]);
  const pick = (names: readonly string[]) => names.filter((name) => claims.has(name));
  return { scope, resources, claims: { idToken: pick(held.claims.idToken), userinfo: pick(held.claims.userinfo) } };
}

function includesAll(allowed: readonly string[], asked: readonly string[]): boolean {
  return asked.every((name) => allowed.includes(name));
}

function unite(some: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...some, ...more])];
}

/** Whether the user is to be asked by a page before the client is answered. */
export async function isConsentOpen(
  consents: Pick<Consents, 'isNeeded'>,
  client: Client,
  userId: string,
  asked: Asked & { prompts: ReadonlySet<Prompt> },
): Promise<boolean> {
  if (asksEachTime(client) || (asked.prompts.has('consent') && isThirdParty(client))) return true;
  return consents.isNeeded(client, userId, asked);
}

/**
 * RFC 6749 10.2: whether the user is asked at each request. Nothing proves that a public client is what its registration
 * says, and anybody can register one of any name. Only an https redirect URI says where the answer goes: a host that
 * nobody else has. With several hosts, what a user allows for one would be given to the others too.
 */
function asksEachTime(client: Client): boolean {
  // The keys of a document do not say which program of the machine gets the answer.
  if (client.document !== undefined && hasAnyLoopbackPort(client)) return true;
  return client.dynamic !== undefined && isPublic(client) && !hasOneHost(redirectUrisOf(client));
}

function hasOneHost(redirectUris: readonly string[]): boolean {
  const hosts = new Set(redirectUris.map((uri) => new URL(uri).host));
  return hosts.size === 1 && redirectUris.every((uri) => /^https:/i.test(uri));
}
