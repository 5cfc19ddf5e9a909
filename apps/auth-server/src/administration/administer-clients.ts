import type { Clock } from '@gatehouse/service-kit';
import type { CheckGuess } from '@gatehouse/service-kit/guess-limit';
import type { GrantType } from '@gatehouse/shared';
import type { ChosenSecrets } from '../clients/chosen-secret.ts';
import type { Client } from '../clients/client.ts';
import type { ClientListStore } from '../clients/client-list-store.ts';
import type { ClientSecrets } from '../clients/client-secret.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { Change } from './administrator.ts';
import type { CheckLogoutHost } from './backchannel-logout-host.ts';
import { createChangeClient, createPlanChange, createRefuseLate, createReplaceClientSecret } from './change-client.ts';
import { type CheckExchangeFrom, createManageableClients, type ManageableClients } from './client-ceiling.ts';
import type { CheckClientIssuers } from './client-issuers.ts';
import type { CheckClientResources } from './client-resources.ts';
import { createCheckClientSecret, createEndPreviousSecret } from './client-secrets.ts';
import { chooseUpdatedAt } from './client-version.ts';
import type { ClientViews } from './client-view.ts';
import { createListClients } from './list-clients.ts';

export type ClientAdministration = ReturnType<typeof createClientAdministration>;

interface Dependencies {
  clients: ClientStore;
  clientViews: ClientViews;
  clientLists: ClientListStore;
  clientSecrets: ClientSecrets;
  chosenSecrets: ChosenSecrets;
  checkGuess: CheckGuess;
  checkLogoutHost: CheckLogoutHost;
  checkClientResources: CheckClientResources;
  checkExchangeFrom: CheckExchangeFrom;
  checkClientIssuers: CheckClientIssuers;
  directory: OrganizationDirectory;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
  grantTypesOff: readonly GrantType[];
}

/** Operations of administrators on registered clients. */
export function createClientAdministration(deps: Dependencies) {
  const manageableClients = createManageableClients(deps);
  const needs = { ...deps, manageableClients };
  return {
    list: createListClients(deps),
    get: manageableClients.get,
    planChange: createPlanChange(needs),
    planDeletion: (clientId: string, by: Change) => manageableClients.getToChange(by, clientId),
    change: createChangeClient(needs),
    replaceSecret: createReplaceClientSecret(needs),
    endPreviousSecret: createEndPreviousSecret(needs),
    checkSecret: createCheckClientSecret(needs),
    delete: createDeleteClient(needs),
  };
}

/** Deletes a client as it was seen, and ends its tokens. False where it is gone, or was changed meanwhile. */
export type DeleteRegistration = (seen: Client) => Promise<boolean>;

interface DeletionDependencies {
  clients: Pick<ClientStore, 'delete'>;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
}

export function createDeleteRegistration({ clients, statusLists }: DeletionDependencies): DeleteRegistration {
  return async (seen) => {
    // Before, so that a deletion that fails halfway can be repeated; after, for tokens that were issued in between.
    await statusLists.revokeRegistration(seen.registrationId);
    if (!(await clients.delete(seen))) return false;
    await statusLists.revokeRegistration(seen.registrationId);
    return true;
  };
}

/**
 * Deletes a client and gives what it was; throws 403, 404 or 412. Its tokens and codes end with it: they belong to the
 * registration, not to the name.
 */
type DeleteClient = (clientId: string, by: Change) => Promise<Client>;

interface AdministeredDeletion extends DeletionDependencies {
  clients: Pick<ClientStore, 'delete' | 'update'>;
  manageableClients: ManageableClients;
  clock: Clock;
}

function createDeleteClient(deps: AdministeredDeletion): DeleteClient {
  const { manageableClients } = deps;
  const deleteRegistration = createDeleteRegistration(deps);
  const claim = createClaim(deps);
  return async (clientId, by) => {
    if (by.expected !== undefined) await claim(clientId, by);
    for (;;) {
      const client = await manageableClients.getFor(by, clientId);
      // A client that was changed in between is read once more.
      if (await deleteRegistration(client)) return client;
    }
  };
}

/** Moves the version that a deletion names: of several that name it one goes on, and the others have ended nothing. */
function createClaim({ clients, manageableClients, clock }: AdministeredDeletion) {
  const refuseLate = createRefuseLate(manageableClients);
  return async (clientId: string, by: Change): Promise<void> => {
    const client = await manageableClients.getToChange(by, clientId);
    const claimed = { ...client, updatedAt: chooseUpdatedAt(client, clock()) };
    if (!(await clients.update(claimed, client.updatedAt))) await refuseLate(by, clientId);
  };
}
