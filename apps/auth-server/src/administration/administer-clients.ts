import type { Clock } from '@gatehouse/service-kit';
import type { ChosenSecrets } from '../clients/chosen-secret.ts';
import type { ClientSecrets } from '../clients/client-secret.ts';
import type { ClientPageRequest, ClientStore } from '../clients/client-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { CheckLogoutHost } from './backchannel-logout-host.ts';
import { createChangeClient, createReplaceClientSecret } from './change-client.ts';
import { createManageableClients } from './client-ceiling.ts';
import type { CheckClientResources } from './client-resources.ts';
import { createDeleteClient } from './delete-client.ts';

export type ClientAdministration = ReturnType<typeof createClientAdministration>;

interface Dependencies {
  clients: ClientStore;
  clientSecrets: ClientSecrets;
  chosenSecrets: ChosenSecrets;
  checkLogoutHost: CheckLogoutHost;
  checkClientResources: CheckClientResources;
  directory: OrganizationDirectory;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
}

/** What administrators do with registered clients. */
export function createClientAdministration(deps: Dependencies) {
  const manageableClients = createManageableClients(deps);
  const needs = { ...deps, manageableClients };
  return {
    list: (page: ClientPageRequest) => deps.clients.list(page),
    get: manageableClients.get,
    change: createChangeClient(needs),
    replaceSecret: createReplaceClientSecret(needs),
    delete: createDeleteClient(needs),
  };
}
