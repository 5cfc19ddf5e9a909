import { createHash } from 'node:crypto';
import { fieldsProblem, ProblemError } from '@gatehouse/shared';
import { findPngFault } from '../branding/image.ts';
import type { Client } from '../clients/client.ts';
import type { ClientLogo } from '../clients/client-logo.ts';
import type { ClientLogoStore } from '../clients/client-logo-store.ts';
import type { Author } from './administrator.ts';
import type { ManageableClients } from './client-ceiling.ts';

export type ClientLogoAdministration = ReturnType<typeof createClientLogoAdministration>;

interface Dependencies {
  clientLogos: ClientLogoStore;
  manageableClients: ManageableClients;
}

/** Operations of administrators on the logos of clients. Each throws 404 where there is no such client. */
export function createClientLogoAdministration({ clientLogos, manageableClients }: Dependencies) {
  return {
    /** Throws 404 where the client has no logo. */
    async get(clientId: string): Promise<ClientLogo> {
      const logo = await clientLogos.find(await manageableClients.get(clientId));
      if (logo === undefined) throw noLogo();
      return logo;
    },
    /** Gives the client; throws 400 and 403 too. */
    async put(clientId: string, bytes: Buffer, by: Author): Promise<Client> {
      const client = await manageableClients.getFor(by, clientId);
      const fault = findPngFault(bytes);
      if (fault !== undefined) throw fieldsProblem([{ field: 'body', detail: fault }]);
      const digest = createHash('sha256').update(bytes).digest();
      if (await clientLogos.put(client, { bytes, digest })) return client;
      throw new ProblemError(404, 'no client has this client_id');
    },
    /** Gives the client; throws 403 too, and 404 where the client has no logo. */
    async delete(clientId: string, by: Author): Promise<Client> {
      const client = await manageableClients.getFor(by, clientId);
      if (await clientLogos.delete(client)) return client;
      throw noLogo();
    },
  };
}

function noLogo(): ProblemError {
  return new ProblemError(404, 'this client has no logo');
}
