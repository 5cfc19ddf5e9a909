import { timingSafeEqual } from 'node:crypto';
import { OAuthError } from '@gatehouse/shared';
import type { DeleteRegistration } from '../administration/administer-clients.ts';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import type { RegisteredClient } from './register-dynamic-client.ts';
import type { RegistrationBudget } from './registration-budget.ts';
import type { ReplaceRegistration } from './replace-registration.ts';

/** Which registration a request is about, and by which registration access token. */
export interface OwnRequest {
  clientId: string;
  token: string;
}

/** Operations of a client on its own registration (RFC 7592 2). Each throws `invalid_token` where the token is not of this client. */
export interface OwnRegistration {
  read(request: OwnRequest): Promise<RegisteredClient>;
  /** Gives what it was, too. */
  replace(request: OwnRequest, body: unknown): Promise<RegisteredClient & { before: Client }>;
  /** Gives what it was. */
  delete(request: OwnRequest): Promise<Client>;
}

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  replaceRegistration: ReplaceRegistration;
  deleteRegistration: DeleteRegistration;
  registrationBudget: Pick<RegistrationBudget, 'spendChange'>;
}

export function createOwnRegistration(deps: Dependencies): OwnRegistration {
  const { clients, replaceRegistration, deleteRegistration, registrationBudget } = deps;
  const get = async ({ clientId, token }: OwnRequest): Promise<Client> => {
    const client = await clients.find(clientId);
    const expected = client?.dynamic?.tokenHash;
    // RFC 7592 2.1: nobody learns whether the client exists.
    if (client !== undefined && expected !== undefined && isTokenOf(expected, token)) return client;
    throw new OAuthError('invalid_token', 'the registration access token is not of a client that is registered here');
  };
  return {
    async read(request) {
      return { client: await get(request), secret: undefined, registrationAccessToken: request.token };
    },
    async replace(request, body) {
      let client = await get(request);
      await registrationBudget.spendChange(client.clientId);
      for (;;) {
        const replaced = await replaceRegistration(client, body);
        // A client that was changed in between is read once more.
        if (replaced !== undefined) return { registrationAccessToken: request.token, before: client, ...replaced };
        client = await get(request);
      }
    },
    async delete(request) {
      for (;;) {
        const client = await get(request);
        if (await deleteRegistration(client)) return client;
      }
    },
  };
}

function isTokenOf(expected: Buffer, token: string): boolean {
  return timingSafeEqual(expected, hashOpaqueToken(token));
}
