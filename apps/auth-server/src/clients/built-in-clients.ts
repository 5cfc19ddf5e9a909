import { deviceCodeGrantType, type GrantType, type Role, roles } from '@gatehouse/shared';
import type { Client } from './client.ts';

export const consoleClientId = 'gatehouse-console';
const cliClientId = 'gatehouse-cli';

/** How the command-line tool signs administrators in: not at all, at a browser of the same machine, or of any machine too. */
export const cliClientModes = ['off', 'on', 'device'] as const;
export type CliClientMode = (typeof cliClientModes)[number];

/** The registrations of built-in clients: what they hold belongs to these on every replica, whatever its configuration. */
const registrations = {
  [consoleClientId]: '019b76da-a800-76ea-8dca-e1158f926743',
  [cliClientId]: '019b76da-a800-7c11-a5e0-3f6b2d90c4a7',
};
const registrationIds = new Set(Object.values(registrations));

/** The instant in these ids. A built-in client has no row that would know another one. */
const createdAt = Date.UTC(2026, 0, 1);

/** The grants of a built-in client that a user has at most; each start of its program is one. */
export const mostGrantsOfBuiltIn = 10;

const codeGrantTypes: GrantType[] = ['authorization_code', 'refresh_token'];

interface Needs {
  consoleUrl: string | undefined;
  consoleRoles: readonly Role[];
  cliClient: CliClientMode;
}

/** The clients that the configuration makes: they have no rows. */
export function listBuiltInClients({ consoleUrl, consoleRoles, cliClient }: Needs): Client[] {
  return [
    ...(consoleUrl === undefined ? [] : [buildConsoleClient(consoleUrl, consoleRoles)]),
    ...(cliClient === 'off' ? [] : [buildCliClient(cliClient)]),
  ];
}

function buildConsoleClient(consoleUrl: string, consoleRoles: readonly Role[]): Client {
  return buildAdministrationClient({
    clientId: consoleClientId,
    registrationId: registrations[consoleClientId],
    grantTypes: codeGrantTypes,
    redirectUri: `${consoleUrl}/callback`,
    metadata: {
      client_name: 'Gatehouse console',
      post_logout_redirect_uris: [consoleUrl],
    },
    ceiling: consoleRoles,
  });
}

function buildCliClient(mode: Exclude<CliClientMode, 'off'>): Client {
  return buildAdministrationClient({
    clientId: cliClientId,
    registrationId: registrations[cliClientId],
    grantTypes: mode === 'device' ? [...codeGrantTypes, deviceCodeGrantType] : codeGrantTypes,
    redirectUri: 'http://127.0.0.1/callback',
    metadata: { client_name: 'Gatehouse on the command line', loopback_ports: 'any' },
    ceiling: roles,
  });
}

export function isBuiltIn({ managedBy }: Pick<Client, 'managedBy'>): boolean {
  return managedBy === 'configuration';
}

/** Whether a registration is one that never has a row. */
export function isBuiltInRegistration(registrationId: string): boolean {
  return registrationIds.has(registrationId);
}

type Said = 'clientId' | 'registrationId' | 'grantTypes' | 'redirectUri' | 'metadata' | 'ceiling';

/** A public client that gets tokens for administration of both services alone: short, and bound to a key. */
function buildAdministrationClient({ metadata, ...said }: Pick<Client, Said>): Client {
  return {
    enabled: true,
    scope: ['openid', 'profile', 'roles'],
    accessTokenValidity: 300,
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
    metadata: {
      ...metadata,
      token_endpoint_auth_method: 'none',
      require_pkce: true,
      dpop_bound_access_tokens: true,
      // They say who is signed in, and do not ask the userinfo endpoint.
      id_token_scope_claims: true,
      administration_max_age: 900,
    },
    ...said,
  };
}
