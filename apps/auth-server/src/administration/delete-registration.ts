import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';

/** Deletes a client as it was seen, and ends its tokens. False where it is gone, or was changed meanwhile. */
export type DeleteRegistration = (seen: Client) => Promise<boolean>;

interface Dependencies {
  clients: Pick<ClientStore, 'delete'>;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
}

export function createDeleteRegistration({ clients, statusLists }: Dependencies): DeleteRegistration {
  return async (seen) => {
    // Before, so that a deletion that fails halfway can be repeated; after, for tokens that were issued in between.
    await statusLists.revokeRegistration(seen.registrationId);
    if (!(await clients.delete(seen))) return false;
    await statusLists.revokeRegistration(seen.registrationId);
    return true;
  };
}
