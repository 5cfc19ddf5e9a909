import type { Clock } from '@gatehouse/service-kit';
import {
  type ClientChanges,
  type ClientMetadata,
  clientMetadataNames,
  fieldsProblem,
  findSettingsFaults,
  ProblemError,
} from '@gatehouse/shared';
import type { ChosenSecrets } from '../clients/chosen-secret.ts';
import { type Client, isThirdParty } from '../clients/client.ts';
import { buildSecretDigest, type ClientSecrets, generateClientSecret } from '../clients/client-secret.ts';
import type { ClientPageRequest, ClientStore } from '../clients/client-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../protocol/request-context.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { CheckLogoutHost } from './backchannel-logout-host.ts';
import {
  type Administrator,
  createCheckMayManage,
  isCeilingLowered,
  lowerCeiling,
  raiseCeiling,
} from './client-ceiling.ts';
import { getServiceAccount } from './service-account.ts';

export interface SecretReplacement {
  /** Made by the server where left out. */
  clientSecret: string | undefined;
  /** Seconds for which the old secret keeps working. */
  graceSeconds: number;
}

export interface ClientAdministration {
  list(page: ClientPageRequest): Promise<Client[]>;
  get(clientId: string): Promise<Client>;
  change(clientId: string, changes: ClientChanges, by: Author): Promise<Client>;
  /** Gives the new secret, which is shown this once, with the client that it is of. */
  replaceSecret(
    clientId: string,
    replacement: SecretReplacement,
    by: Author,
  ): Promise<{ client: Client; secret: string }>;
  /** Its tokens and codes end with it: they belong to the registration, not to the name. Gives what it was. */
  delete(clientId: string, by: Author): Promise<Client>;
}

/** Who changes a client, and where from. Each change throws 403 where the client is worth roles that this one lacks. */
export interface Author {
  administrator: Administrator;
  origin: Origin;
}

interface Dependencies {
  clients: ClientStore;
  clientSecrets: ClientSecrets;
  chosenSecrets: ChosenSecrets;
  checkLogoutHost: CheckLogoutHost;
  directory: OrganizationDirectory;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
}

export function createClientAdministration(deps: Dependencies): ClientAdministration {
  const { clients, clientSecrets, chosenSecrets, checkLogoutHost, directory, statusLists, clock } = deps;
  const checkMayManage = createCheckMayManage(directory);

  const get = async (clientId: string): Promise<Client> => {
    const client = await clients.find(clientId);
    if (client === undefined) throw noSuchClient();
    return client;
  };

  const getManageable = async (clientId: string, { administrator, origin }: Author): Promise<Client> => {
    const client = await get(clientId);
    await checkMayManage(client, administrator, origin);
    return client;
  };

  /** A change later than the one before, whatever the clocks say: by it a client is known as it was seen. */
  const chooseUpdatedAt = ({ updatedAt }: Client): number => Math.max(clock(), updatedAt + 1);

  /** Ends the access tokens of the generations before. */
  const endEarlierGenerations = async ({ registrationId, tokenGeneration }: Client): Promise<void> => {
    // Also after a change that ends none: a process that was killed halfway left this to those who repeat the change.
    if (tokenGeneration > 0) await statusLists.revokeRegistration(registrationId, tokenGeneration);
  };

  const applyChanges = async (client: Client, changes: ClientChanges, by: Author): Promise<Client> => {
    const { scope, authorized_grant_types: grantTypes, access_token_validity: validity } = changes;
    const { redirect_uri: redirectUri, srvc_ac_user_name: robot } = changes;
    const changed: Client = {
      ...client,
      scope: scope ?? client.scope,
      grantTypes: grantTypes ?? client.grantTypes,
      accessTokenValidity: validity ?? client.accessTokenValidity,
      redirectUri: redirectUri === undefined ? client.redirectUri : (redirectUri ?? undefined),
      serviceAccount: robot === null ? undefined : client.serviceAccount,
      metadata: changeMetadata(client.metadata, changes),
      ceiling: changes.trusted ? raiseCeiling(by.administrator) : lowerCeiling(client, by.administrator),
      updatedAt: chooseUpdatedAt(client),
    };
    checkSettings(changed, typeof robot === 'string' ? robot : changed.serviceAccount?.username);
    if (typeof robot === 'string') {
      changed.serviceAccount = await getServiceAccount(directory, { username: robot, ...by });
    }
    return changed;
  };

  return {
    list: (page) => clients.list(page),
    get,
    async change(clientId, changes, by) {
      checkLogoutHost(changes);
      const client = await getManageable(clientId, by);
      const changed = await applyChanges(client, changes, by);
      changed.tokenGeneration = chooseTokenGeneration(client, changed);
      // The rules between fields were checked against what was read, so it must still be what is changed.
      if (!(await clients.update(changed, client.updatedAt))) throw changedMeanwhile();
      await endEarlierGenerations(changed);
      return changed;
    },
    async replaceSecret(clientId, { clientSecret, graceSeconds }, by) {
      if (clientSecret !== undefined) chosenSecrets.check(clientSecret);
      const client = await getManageable(clientId, by);
      if (client.secretHash === undefined) throw new ProblemError(400, 'this client has no secret to replace');
      const secret = clientSecret ?? generateClientSecret();
      const newHash = await clientSecrets.hash(secret);
      const changed: Client = { ...client, ceiling: lowerCeiling(client, by.administrator) };
      changed.tokenGeneration = chooseTokenGeneration(client, changed);
      const replaced = await clients.replaceSecret(client, {
        newHash,
        newDigest: clientSecret === undefined ? buildSecretDigest(newHash, secret) : undefined,
        previousExpiresAt: clock() + graceSeconds * 1000,
        ceiling: changed.ceiling,
        tokenGeneration: changed.tokenGeneration,
        updatedAt: chooseUpdatedAt(client),
      });
      if (!replaced) throw changedMeanwhile();
      await endEarlierGenerations(changed);
      chosenSecrets.warnIfShort(clientId, secret);
      return { client, secret };
    },
    async delete(clientId, by) {
      for (;;) {
        const client = await getManageable(clientId, by);
        const { registrationId } = client;
        // Before, so that what fails halfway can be repeated; after, for tokens that were issued meanwhile.
        await statusLists.revokeRegistration(registrationId);
        // A client that was changed meanwhile is read once more.
        if (!(await clients.delete(client))) continue;
        await statusLists.revokeRegistration(registrationId);
        return client;
      }
    },
  };
}

/** The next one, which ends the access tokens that are out, where these allow more than the client may now. */
function chooseTokenGeneration(before: Client, after: Client): number {
  const mustAskNow = !isThirdParty(before) && isThirdParty(after);
  return mustAskNow || isCeilingLowered(before, after) ? before.tokenGeneration + 1 : before.tokenGeneration;
}

/** What is left out stays; null takes a field away. */
function changeMetadata(metadata: ClientMetadata, changes: ClientChanges): ClientMetadata {
  const merged = clientMetadataNames.map((name) => [
    name,
    changes[name] === undefined ? metadata[name] : changes[name],
  ]);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined && value !== null));
}

function checkSettings(client: Client, serviceAccountUsername: string | undefined): void {
  const faults = findSettingsFaults({
    authorized_grant_types: client.grantTypes,
    redirect_uri: client.redirectUri,
    srvc_ac_user_name: serviceAccountUsername,
    hasSecret: client.secretHash !== undefined,
    metadata: client.metadata,
  });
  if (faults.length > 0) throw fieldsProblem(faults);
}

function noSuchClient(): ProblemError {
  return new ProblemError(404, 'there is no such client');
}

function changedMeanwhile(): ProblemError {
  return new ProblemError(409, 'the client was changed by somebody else meanwhile; read it again and repeat');
}
