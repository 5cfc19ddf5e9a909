import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { Author } from './administrator.ts';
import type { ManageableClients } from './client-ceiling.ts';
import { createDeleteRegistration } from './delete-registration.ts';

/**
 * Deletes a client and gives what it was; throws 403 or 404. Its tokens and codes end with it: they belong to the
 * registration, not to the name.
 */
export type DeleteClient = (clientId: string, by: Author) => Promise<Client>;

interface Dependencies {
  clients: Pick<ClientStore, 'delete'>;
  manageableClients: ManageableClients;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
}

export function createDeleteClient({ clients, manageableClients, statusLists }: Dependencies): DeleteClient {
  const deleteRegistration = createDeleteRegistration({ clients, statusLists });
  return async (clientId, by) => {
    for (;;) {
      const client = await manageableClients.getFor(by, clientId);
      // A client that was changed in between is read once more.
      if (await deleteRegistration(client)) return client;
    }
  };
}
