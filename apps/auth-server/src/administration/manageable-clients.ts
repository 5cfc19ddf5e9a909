import { ProblemError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Author } from './administrator.ts';
import { createCheckMayManage } from './client-ceiling.ts';

export type ManageableClients = ReturnType<typeof createManageableClients>;

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  directory: Pick<OrganizationDirectory, 'findUserById'>;
}

/** Registered clients as administrators reach them. */
export function createManageableClients({ clients, directory }: Dependencies) {
  const checkMayManage = createCheckMayManage(directory);

  const get = async (clientId: string): Promise<Client> => {
    const client = await clients.find(clientId);
    if (client === undefined) throw new ProblemError(404, 'no client has this client_id');
    return client;
  };

  return {
    /** Throws 404 where no client has this client_id. */
    get,
    /** Throws 403 too, where the author lacks a role that the client is worth. */
    async getFor({ administrator, context }: Author, clientId: string): Promise<Client> {
      const client = await get(clientId);
      await checkMayManage(client, administrator, context);
      return client;
    },
  };
}
