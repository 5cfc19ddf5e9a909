import { type Client, redirectUrisOf } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { matchesRedirectUri } from '../clients/match-redirect-uri.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import { chooseResponseMode } from '../protocol/response-types.ts';
import type { AuthorizationTarget } from './authorization-request.ts';

/** A request without a safe address for its answer. The user sees `message`. */
export class UntrustedRequestError extends Error {
  override readonly name = 'UntrustedRequestError';
}

/** Gives the target of a request, or throws {@link UntrustedRequestError}: such a request is never redirected. */
export type GetAuthorizationTarget = (
  parameters: RequestParameters,
  repeated: ReadonlySet<string>,
) => Promise<AuthorizationTarget>;

export function createGetAuthorizationTarget({ clients }: { clients: ClientStore }): GetAuthorizationTarget {
  const getClient = async (parameters: RequestParameters): Promise<Client> => {
    const clientId = parameters.get('client_id');
    if (clientId === undefined) throw untrusted('The application did not say which one it is: client_id is missing.');
    const client = await clients.find(clientId);
    if (client === undefined) throw untrusted('No application is registered here under this client_id.');
    return client;
  };

  return async (parameters, repeated) => {
    for (const name of ['client_id', 'redirect_uri']) {
      if (repeated.has(name)) throw untrusted(`The application sent ${name} more than once.`);
    }
    const client = await getClient(parameters);
    return {
      client,
      redirectUri: getRedirectUri(client, parameters),
      responseMode: chooseResponseMode(parameters, repeated),
      state: repeated.has('state') ? undefined : parameters.get('state'),
    };
  };
}

/** RFC 6749 3.1.2.3: a registered one, by the rules of `matchesRedirectUri`. It may be absent where only one is registered. */
function getRedirectUri(client: Client, parameters: RequestParameters): string {
  const [only, ...others] = redirectUrisOf(client);
  if (only === undefined)
    throw untrusted('This application has no address to return to: it registered no redirect_uri.');
  const asked = parameters.get('redirect_uri');
  // OpenID Connect Core 3.1.2.1 makes redirect_uri a required parameter.
  const isOpenId = (parameters.get('scope') ?? '').split(' ').includes('openid');
  if (asked === undefined && others.length === 0 && !isOpenId) return only;
  if (asked !== undefined && matchesRedirectUri(client, asked)) return asked;
  throw untrusted('The address to return to (redirect_uri) is not the one this application registered.');
}

function untrusted(message: string): UntrustedRequestError {
  return new UntrustedRequestError(message);
}
