import type { Role } from '@gatehouse/shared';
import type { Client } from './client.ts';

export const consoleClientId = 'gatehouse-console';

/** The registrations of built-in clients: what they hold belongs to these on every replica, whatever its configuration. */
const registrations = { [consoleClientId]: '019b76da-a800-76ea-8dca-e1158f926743' };
const registrationIds = new Set(Object.values(registrations));

/** The instant in these ids. A built-in client has no row that would know another one. */
const createdAt = Date.UTC(2026, 0, 1);

/** The grants of a built-in client that a user has at most; each start of its program is one. */
export const mostGrantsOfBuiltIn = 10;

interface Needs {
  consoleUrl: string | undefined;
  consoleRoles: readonly Role[];
}

/** The clients that the configuration makes: they have no rows. */
export function listBuiltInClients({ consoleUrl, consoleRoles }: Needs): Client[] {
  if (consoleUrl === undefined) return [];
  return [
    buildPublicClient({
      clientId: consoleClientId,
      registrationId: registrations[consoleClientId],
      scope: ['openid', 'profile', 'roles'],
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUri: `${consoleUrl}/callback`,
      accessTokenValidity: 300,
      metadata: {
        client_name: 'Gatehouse console',
        post_logout_redirect_uris: [consoleUrl],
        token_endpoint_auth_method: 'none',
        require_pkce: true,
        // The console shows who is signed in, and may not ask the userinfo endpoint.
        id_token_scope_claims: true,
        dpop_bound_access_tokens: true,
        administration_max_age: 900,
      },
      ceiling: consoleRoles,
    }),
  ];
}

export function isBuiltIn({ managedBy }: Pick<Client, 'managedBy'>): boolean {
  return managedBy === 'configuration';
}

/** Whether a registration is one that never has a row. */
export function isBuiltInRegistration(registrationId: string): boolean {
  return registrationIds.has(registrationId);
}

type Said =
  | 'clientId'
  | 'registrationId'
  | 'scope'
  | 'grantTypes'
  | 'redirectUri'
  | 'accessTokenValidity'
  | 'metadata'
  | 'ceiling';

function buildPublicClient(said: Pick<Client, Said>): Client {
  return {
    enabled: true,
    secretHash: undefined,
    secretDigest: undefined,
    secretSetAt: undefined,
    previousSecret: undefined,
    serviceAccount: undefined,
    ceilingGivenAt: createdAt,
    tokenGeneration: 0,
    grantGeneration: 0,
    codeGeneration: 0,
    dynamic: undefined,
    document: undefined,
    managedBy: 'configuration',
    lapsesAt: undefined,
    createdAt,
    updatedAt: createdAt,
    ...said,
  };
}
