import type { Clock } from '@gatehouse/service-kit';
import {
  type ClientChanges,
  type ClientMetadata,
  clientMetadataNames,
  type FieldError,
  fieldsProblem,
  type GrantType,
  ProblemError,
} from '@gatehouse/shared';
import type { ChosenSecrets } from '../clients/chosen-secret.ts';
import type { Client } from '../clients/client.ts';
import { completeMetadata } from '../clients/client-demands.ts';
import { chooseLapseOnceEnabled } from '../clients/client-lapse.ts';
import { type ClientSecrets, keepImportedSecret, makeClientSecret } from '../clients/client-secret.ts';
import { findGrantTypeOff, findSettingsFaults } from '../clients/client-settings.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { Author, Change } from './administrator.ts';
import type { CheckLogoutHost } from './backchannel-logout-host.ts';
import { checkImportedSecret } from './check-imported-secret.ts';
import {
  type CheckExchangeFrom,
  getServiceAccount,
  lowerCeiling,
  type ManageableClients,
  raiseCeiling,
} from './client-ceiling.ts';
import type { CheckClientIssuers } from './client-issuers.ts';
import type { CheckClientResources } from './client-resources.ts';
import { chooseGenerations, chooseTokenGeneration, chooseUpdatedAt, endEarlierGenerations } from './client-version.ts';
import { editConflict } from './edit-conflict.ts';

/** Gives the client as it is and as the fields that are named would make it; throws 400, 403, 404 or 412. */
export type PlanChange = (
  clientId: string,
  changes: ClientChanges,
  by: Change,
) => Promise<{ before: Client; after: Client }>;

/** Changes the fields that are named and gives the client as it was and as it is then; throws what a {@link PlanChange} does, and 409. */
export type ChangeClient = PlanChange;

interface PlanDependencies {
  manageableClients: ManageableClients;
  checkLogoutHost: CheckLogoutHost;
  checkClientResources: CheckClientResources;
  checkExchangeFrom: CheckExchangeFrom;
  checkClientIssuers: CheckClientIssuers;
  directory: Pick<OrganizationDirectory, 'findUserByUsername'>;
  clock: Clock;
  grantTypesOff: readonly GrantType[];
}

export function createPlanChange(deps: PlanDependencies): PlanChange {
  const { manageableClients, checkLogoutHost, checkClientResources, checkExchangeFrom, directory, clock } = deps;

  return async (clientId, changes, by) => {
    checkLogoutHost(changes);
    const client = await manageableClients.getToChange(by, clientId);
    checkFaults(findDocumentFaults(client, changes));
    checkFaults(findGrantTypeOff(changes.authorized_grant_types, deps.grantTypesOff));
    const { srvc_ac_user_name: robot } = changes;
    const changed = applyChanges(client, changes, by);
    changed.updatedAt = chooseUpdatedAt(client, clock());
    if (changes.trusted) changed.ceilingGivenAt = changed.updatedAt;
    if (changed.document !== undefined) changed.lapsesAt ??= chooseLapseOnceEnabled(changed.updatedAt);
    checkSettings(changed, robot ?? changed.serviceAccount?.username);
    changed.metadata = await checkClientResources(changed, changes);
    await checkExchangeFrom(changes.exchange_from, by.administrator);
    await deps.checkClientIssuers(changes.federated_credentials);
    if (typeof robot === 'string') {
      changed.serviceAccount = await getServiceAccount(directory, { username: robot, ...by });
    }
    Object.assign(changed, chooseGenerations(client, changed));
    return { before: client, after: changed };
  };
}

interface Dependencies extends PlanDependencies {
  clients: Pick<ClientStore, 'update'>;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
}

export function createChangeClient(deps: Dependencies): ChangeClient {
  const { clients, manageableClients, statusLists } = deps;
  const planChange = createPlanChange(deps);
  const refuseLate = createRefuseLate(manageableClients);

  return async (clientId, changes, by) => {
    const { before, after } = await planChange(clientId, changes, by);
    // The rules between fields were checked against what was read, so it must still be what is changed.
    if (!(await clients.update(after, before.updatedAt))) return refuseLate(by, clientId);
    await endEarlierGenerations(statusLists, after);
    return { before, after };
  };
}

/** Refuses a change whose client was changed, or deleted, after it was read: by 412 where it named a version, else by 409. */
export function createRefuseLate(manageableClients: Pick<ManageableClients, 'getToChange'>) {
  return async (change: Change, clientId: string): Promise<never> => {
    if (change.expected !== undefined) await manageableClients.getToChange(change, clientId);
    throw editConflict('client');
  };
}

/** All else of such a client stands in its document, which is read again. */
function findDocumentFaults({ document }: Client, { enabled: _, ...others }: ClientChanges): FieldError[] {
  if (document === undefined) return [];
  return Object.keys(others).map((field) => ({ field, detail: 'is what the metadata document of the client says' }));
}

/** The client with all changes but a new Robot, which the organization must know first. */
function applyChanges(client: Client, changes: ClientChanges, { administrator }: Author): Client {
  const { scope, authorized_grant_types: grantTypes, access_token_validity: validity } = changes;
  const { redirect_uri: redirectUri, srvc_ac_user_name: robot } = changes;
  return {
    ...client,
    enabled: changes.enabled ?? client.enabled,
    scope: scope ?? client.scope,
    grantTypes: grantTypes ?? client.grantTypes,
    accessTokenValidity: validity ?? client.accessTokenValidity,
    redirectUri: redirectUri === undefined ? client.redirectUri : (redirectUri ?? undefined),
    serviceAccount: robot === null ? undefined : client.serviceAccount,
    metadata: completeMetadata(changeMetadata(client.metadata, changes)),
    ceiling: changes.trusted ? raiseCeiling(administrator) : lowerCeiling(client, administrator),
  };
}

/** A field that is left out stays; null takes it away. */
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
  checkFaults(faults);
}

function checkFaults(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw fieldsProblem(faults);
}

export interface SecretReplacement {
  /** The server makes one where it is left out. */
  clientSecret: string | undefined;
  /** In place of it: its hash as another server made it. */
  clientSecretHash?: string | undefined;
  /** Seconds for which the old secret keeps working. */
  graceSeconds: number;
}

/** Gives the new secret, which is shown this once, with its client; throws 400, 403, 404, 409 or 412. */
export type ReplaceClientSecret = (
  clientId: string,
  replacement: SecretReplacement,
  by: Change,
) => Promise<{ client: Client; secret: string | undefined }>;

interface SecretDependencies {
  clients: Pick<ClientStore, 'replaceSecret'>;
  manageableClients: ManageableClients;
  clientSecrets: Pick<ClientSecrets, 'hash'>;
  chosenSecrets: ChosenSecrets;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
}

export function createReplaceClientSecret(deps: SecretDependencies): ReplaceClientSecret {
  const { clients, manageableClients, clientSecrets, chosenSecrets, statusLists, clock } = deps;
  const keepChosen = async (secret: string, address: string) => {
    const secretHash = await clientSecrets.hash(secret, address);
    return { secret, stored: { secretHash, secretDigest: undefined } };
  };

  const refuseLate = createRefuseLate(manageableClients);

  const store = async (clientSecret: string | undefined, secretHash: string | undefined, address: string) => {
    if (secretHash !== undefined) return { secret: undefined, stored: keepImportedSecret(secretHash) };
    return clientSecret === undefined ? makeClientSecret() : keepChosen(clientSecret, address);
  };

  return async (clientId, { clientSecret, clientSecretHash, graceSeconds }, by) => {
    checkImportedSecret({ client_secret: clientSecret, client_secret_hash: clientSecretHash }, by.administrator);
    if (clientSecret !== undefined) chosenSecrets.check(clientSecret);
    const client = await manageableClients.getToChange(by, clientId);
    if (client.secretHash === undefined)
      throw new ProblemError(400, 'the client has no secret, so there is none to replace');
    const { secret, stored } = await store(clientSecret, clientSecretHash, by.context.address);
    const changed: Client = { ...client, ceiling: lowerCeiling(client, by.administrator) };
    changed.tokenGeneration = chooseTokenGeneration(client, changed);
    const now = clock();
    const replaced = await clients.replaceSecret(client, {
      newHash: stored.secretHash,
      newDigest: stored.secretDigest,
      newImported: 'importedSecret' in stored ? stored.importedSecret : undefined,
      setAt: now,
      previousExpiresAt: now + graceSeconds * 1000,
      ceiling: changed.ceiling,
      tokenGeneration: changed.tokenGeneration,
      updatedAt: chooseUpdatedAt(client, now),
    });
    if (!replaced) return refuseLate(by, clientId);
    await endEarlierGenerations(statusLists, changed);
    if (secret !== undefined) chosenSecrets.warnIfShort(clientId, secret);
    return { client, secret };
  };
}
