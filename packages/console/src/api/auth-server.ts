import type { AuthServerOperations, AuthServerSchemas } from '@gatehouse/api-types';
import { type ApiRequest, type OfVersion, versioned } from './request.ts';

export type Client = AuthServerSchemas['Client'];
export type DryRun = AuthServerSchemas['DryRun'];
export type AuditEvent = AuthServerSchemas['AuditEvent'];
export type UserSession = AuthServerSchemas['Session'];

type Query<Operation extends keyof AuthServerOperations> = Partial<
  NonNullable<AuthServerOperations[Operation]['parameters']['query']>
>;

/** It has its name and descriptions in other languages too (`name#de`). */
export interface Resource {
  id: string;
  resource: string;
  name: string;
  scopes: { name: string; description: string }[];
  /** Seconds. */
  access_token_validity?: number;
  dynamic_clients: boolean;
  updatedAt: string;
  createdAt: string;
}
export type Issuer = AuthServerSchemas['Issuer'];
export type InitialAccessToken = AuthServerSchemas['InitialAccessToken'];

const clients = { service: 'auth-server', tag: 'clients' } as const;
const sessions = { service: 'auth-server', tag: 'sessions' } as const;
const pathOf = (clientId: string) => `/clients/${encodeURIComponent(clientId)}`;

export type ClientQuery = Query<'listClients'>;
export const listClients = (
  query: ClientQuery,
): ApiRequest<{ clients: Client[]; next_cursor?: string; total?: number; total_is_exact?: boolean }> => ({
  ...{ ...clients, operation: 'listClients', method: 'GET', path: '/clients', query: { ...query } },
});

export const getClient = (clientId: string): ApiRequest<Client> => ({
  ...{ ...clients, operation: 'getClient', method: 'GET', path: pathOf(clientId) },
});

/** The secret stands in the answer alone. */
export const registerClient = (
  body: object,
  { dryRun = false } = {},
): ApiRequest<DryRun & { client: Client; client_secret?: string }> => ({
  ...{ ...clients, operation: 'registerClient', method: 'POST', path: '/clients', body },
  ...(dryRun && { query: { dry_run: true } }),
  headers: { Prefer: 'return=representation' },
  secrets: { client_secret: 'CLIENT_SECRET' },
});

export const changeClient = (clientId: string, body: object, version: OfVersion = {}): ApiRequest<DryRun & Client> => ({
  ...{ ...clients, operation: 'changeClient', method: 'PATCH', path: pathOf(clientId), body },
  ...versioned(version),
});

export const deleteClient = (clientId: string, version: OfVersion = {}): ApiRequest<DryRun> => ({
  ...{ ...clients, operation: 'deleteClient', method: 'DELETE', path: pathOf(clientId) },
  ...versioned(version),
});

export const makeClientSecret = (
  clientId: string,
  body: { grace_seconds: number; client_secret?: string },
): ApiRequest<{ client_secret: string; previous_secret_expires_in: number }> => ({
  ...{ ...clients, operation: 'makeClientSecret', method: 'POST', path: `${pathOf(clientId)}/secret`, body },
  secrets: { client_secret: 'CLIENT_SECRET' },
});

export const endPreviousClientSecret = (clientId: string): ApiRequest => ({
  ...{
    ...clients,
    operation: 'endPreviousClientSecret',
    method: 'DELETE',
    path: `${pathOf(clientId)}/secret/previous`,
  },
});

export const checkClientSecret = (clientId: string, secret: string): ApiRequest<{ matches: boolean }> => ({
  ...{ ...clients, operation: 'checkClientSecret', method: 'POST', path: `${pathOf(clientId)}/secret-checks` },
  body: { secret },
  secrets: { secret: 'CLIENT_SECRET' },
});

/** A token that would be issued, or why none would be. */
export type Preview = AuthServerOperations['previewTokens']['responses']['200']['content']['application/json'];

export const previewTokens = (clientId: string, body: object): ApiRequest<Preview> => ({
  ...{ ...clients, operation: 'previewTokens', method: 'POST', path: `${pathOf(clientId)}/preview`, body },
});

const logoOf = (clientId: string) => `${pathOf(clientId)}/logo`;

/** The answer is a PNG image. */
export const getClientLogo = (clientId: string): ApiRequest => ({
  ...{ ...clients, operation: 'getClientLogo', method: 'GET', path: logoOf(clientId) },
});

export const putClientLogo = (clientId: string, file: Blob): ApiRequest => ({
  ...{ ...clients, operation: 'putClientLogo', method: 'PUT', path: logoOf(clientId), file },
});

export const deleteClientLogo = (clientId: string): ApiRequest => ({
  ...{ ...clients, operation: 'deleteClientLogo', method: 'DELETE', path: logoOf(clientId) },
});

export const listSessions = (
  query: Query<'listSessions'>,
): ApiRequest<{ sessions: UserSession[]; next_cursor?: string }> => ({
  ...{ ...sessions, operation: 'listSessions', method: 'GET', path: '/sessions', query: { ...query } },
});

export const endSession = (sid: string): ApiRequest => ({
  ...{ ...sessions, operation: 'endSession', method: 'DELETE', path: `/sessions/${encodeURIComponent(sid)}` },
});

export const endSessionsOfUser = (user: string): ApiRequest => ({
  ...{ ...sessions, operation: 'endSessionsOfUser', method: 'DELETE', path: '/sessions', query: { user } },
});

/** All that is kept of a user, of both services; no secrets. */
export const getUserData = (user: string): ApiRequest<object> => ({
  ...{ ...sessions, operation: 'getUserData', method: 'GET', path: '/user-data', query: { user } },
});

const resources = { service: 'auth-server', tag: 'resources' } as const;
const resourcePath = (id: string) => `/resources/${encodeURIComponent(id)}`;

export const listResources = (
  query: Query<'listResources'>,
): ApiRequest<{ resources: Resource[]; next_cursor?: string; total?: number; total_is_exact?: boolean }> => ({
  ...{ ...resources, operation: 'listResources', method: 'GET', path: '/resources', query: { ...query } },
});

export const getResource = (id: string): ApiRequest<Resource> => ({
  ...{ ...resources, operation: 'getResource', method: 'GET', path: resourcePath(id) },
});

export const registerResource = (body: object, { dryRun = false } = {}): ApiRequest<DryRun & Resource> => ({
  ...{ ...resources, operation: 'registerResource', method: 'POST', path: '/resources', body },
  ...(dryRun && { query: { dry_run: true } }),
});

export const changeResource = (id: string, body: object, version: OfVersion = {}): ApiRequest<DryRun & Resource> => ({
  ...{ ...resources, operation: 'changeResource', method: 'PATCH', path: resourcePath(id), body },
  ...versioned(version),
});

export const deleteResource = (id: string, version: OfVersion = {}): ApiRequest<DryRun> => ({
  ...{ ...resources, operation: 'deleteResource', method: 'DELETE', path: resourcePath(id) },
  ...versioned(version),
});

const issuers = { service: 'auth-server', tag: 'issuers' } as const;
const issuerPath = (id: string) => `/issuers/${encodeURIComponent(id)}`;

export const listIssuers = (
  query: Query<'listIssuers'>,
): ApiRequest<{ issuers: Issuer[]; next_cursor?: string; total?: number; total_is_exact?: boolean }> => ({
  ...{ ...issuers, operation: 'listIssuers', method: 'GET', path: '/issuers', query: { ...query } },
});

export const getIssuer = (id: string): ApiRequest<Issuer> => ({
  ...{ ...issuers, operation: 'getIssuer', method: 'GET', path: issuerPath(id) },
});

export const registerIssuer = (body: object, { dryRun = false } = {}): ApiRequest<DryRun & Issuer> => ({
  ...{ ...issuers, operation: 'registerIssuer', method: 'POST', path: '/issuers', body },
  ...(dryRun && { query: { dry_run: true } }),
});

export const changeIssuer = (id: string, body: object, version: OfVersion = {}): ApiRequest<DryRun & Issuer> => ({
  ...{ ...issuers, operation: 'changeIssuer', method: 'PATCH', path: issuerPath(id), body },
  ...versioned(version),
});

export const deleteIssuer = (id: string, version: OfVersion = {}): ApiRequest<DryRun> => ({
  ...{ ...issuers, operation: 'deleteIssuer', method: 'DELETE', path: issuerPath(id) },
  ...versioned(version),
});

export type Upstream = AuthServerSchemas['Upstream'];

const upstreams = { service: 'auth-server', tag: 'upstreams' } as const;
const upstreamPathOf = (alias: string) => `/upstreams/${encodeURIComponent(alias)}`;
const upstreamSecrets = { client_secret: 'CLIENT_SECRET' };

export const listUpstreams = (
  query: Query<'listUpstreams'>,
): ApiRequest<{ upstreams: Upstream[]; next_cursor?: string; total?: number; total_is_exact?: boolean }> => ({
  ...{ ...upstreams, operation: 'listUpstreams', method: 'GET', path: '/upstreams', query: { ...query } },
});

export const getUpstream = (alias: string): ApiRequest<Upstream> => ({
  ...{ ...upstreams, operation: 'getUpstream', method: 'GET', path: upstreamPathOf(alias) },
});

export const registerUpstream = (body: object, { dryRun = false } = {}): ApiRequest<DryRun & Upstream> => ({
  ...{ ...upstreams, operation: 'registerUpstream', method: 'POST', path: '/upstreams', body },
  ...(dryRun && { query: { dry_run: true } }),
  secrets: upstreamSecrets,
});

export const changeUpstream = (
  alias: string,
  body: object,
  version: OfVersion = {},
): ApiRequest<DryRun & Upstream> => ({
  ...{ ...upstreams, operation: 'changeUpstream', method: 'PATCH', path: upstreamPathOf(alias), body },
  ...{ ...versioned(version), secrets: upstreamSecrets },
});

export const deleteUpstream = (alias: string, version: OfVersion = {}): ApiRequest<DryRun> => ({
  ...{ ...upstreams, operation: 'deleteUpstream', method: 'DELETE', path: upstreamPathOf(alias) },
  ...versioned(version),
});

export const checkUpstreamSecret = (alias: string, secret: string): ApiRequest<{ matches: boolean }> => ({
  ...{ ...upstreams, operation: 'checkUpstreamSecret', method: 'POST', path: `${upstreamPathOf(alias)}/secret-checks` },
  body: { secret },
  secrets: { secret: 'CLIENT_SECRET' },
});

const registration = { service: 'auth-server', tag: 'registration' } as const;

export const listInitialAccessTokens = (
  query: Query<'listInitialAccessTokens'>,
): ApiRequest<{
  registration: 'off' | 'token' | 'open';
  registration_tokens: InitialAccessToken[];
  next_cursor?: string;
  total?: number;
  total_is_exact?: boolean;
}> => ({
  ...{ ...registration, operation: 'listInitialAccessTokens', method: 'GET', path: '/registration-tokens' },
  query: { ...query },
});

export const makeInitialAccessToken = (body: object): ApiRequest<InitialAccessToken & { token: string }> => ({
  ...{ ...registration, operation: 'makeInitialAccessToken', method: 'POST', path: '/registration-tokens', body },
});

export const deleteInitialAccessToken = (id: string): ApiRequest => ({
  ...{ ...registration, operation: 'deleteInitialAccessToken', method: 'DELETE' },
  path: `/registration-tokens/${encodeURIComponent(id)}`,
});
