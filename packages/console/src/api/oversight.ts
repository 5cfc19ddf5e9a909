import type { AuthServerOperations, AuthServerSchemas } from '@gatehouse/api-types';
import type { ApiRequest, Service } from './request.ts';

export type Refusal = AuthServerSchemas['Refusal'];

interface RefusalPage {
  refusals: Refusal[];
  next_cursor?: string;
  nextCursor?: string;
}

export type Statistics = AuthServerOperations['getStatistics']['responses']['200']['content']['application/json'];

export type Finding =
  AuthServerOperations['listFindings']['responses']['200']['content']['application/json']['findings'][number];
export type Grant = AuthServerSchemas['Grant'];
export type Consent = AuthServerSchemas['Consent'];

export type SigningKey = AuthServerSchemas['SigningKey'];

export type Configuration = AuthServerSchemas['Configuration'];

type Query = Readonly<Record<string, string | number | undefined>>;
/** A user or a client, or both. */
export type Whose = { user: string; client?: string } | { user?: string; client: string };

const grants = { service: 'auth-server', tag: 'grants' } as const;
const oversight = { service: 'auth-server', tag: 'oversight' } as const;
const operations = { service: 'auth-server', tag: 'operations' } as const;
const organization = '/organization/api/organization';
const refusalPaths: Record<Service, string> = { 'auth-server': '/refusals', 'org-api': `${organization}/refusals` };
const configurationPaths: Record<Service, string> = {
  'auth-server': '/configuration',
  'org-api': `${organization}/configuration`,
};

export const listRefusals = (service: Service, query: Query): ApiRequest<RefusalPage> => ({
  ...{ service, tag: 'refusals', operation: 'listRefusals', method: 'GET', path: refusalPaths[service], query },
});

export const getRefusals = (service: Service, request: string): ApiRequest<RefusalPage> => ({
  ...{ service, tag: 'refusals', operation: 'getRefusals', method: 'GET' },
  path: `${refusalPaths[service]}/${encodeURIComponent(request)}`,
});

export type StatisticsQuery = NonNullable<AuthServerOperations['getStatistics']['parameters']['query']>;
export const getStatistics = (query: StatisticsQuery): ApiRequest<Statistics> => ({
  ...{
    service: 'auth-server',
    tag: 'statistics',
    operation: 'getStatistics',
    method: 'GET',
    path: '/statistics',
    query: { ...query },
  },
});

export const listFindings = (): ApiRequest<{ findings: Finding[] }> => ({
  ...{ ...oversight, operation: 'listFindings', method: 'GET', path: '/findings' },
});

export const listGrants = (
  whose: Whose,
  page: { limit?: number; cursor?: string } = {},
): ApiRequest<{ grants: Grant[]; next_cursor?: string }> => ({
  ...{ ...grants, operation: 'listGrants', method: 'GET', path: '/grants', query: { ...whose, ...page } },
});

export const endGrant = (id: string): ApiRequest => ({
  ...{ ...grants, operation: 'endGrant', method: 'DELETE', path: `/grants/${encodeURIComponent(id)}` },
});

export const endGrants = (whose: Whose): ApiRequest => ({
  ...{ ...grants, operation: 'endGrants', method: 'DELETE', path: '/grants', query: { ...whose } },
});

export const listConsents = (
  whose: Whose,
  page: { limit?: number; cursor?: string } = {},
): ApiRequest<{ consents: Consent[]; next_cursor?: string }> => ({
  ...{ ...grants, operation: 'listConsents', method: 'GET', path: '/consents', query: { ...whose, ...page } },
});

export const withdrawConsent = (user: string, client: string): ApiRequest => ({
  ...{ ...grants, operation: 'withdrawConsent', method: 'DELETE', path: '/consents', query: { user, client } },
});

export const listKeys = (): ApiRequest<{ keys: SigningKey[] }> => ({
  ...{ ...operations, operation: 'listKeys', method: 'GET', path: '/keys' },
});

export const rotateKeys = (): ApiRequest<{ keys: SigningKey[] }> => ({
  ...{ ...operations, operation: 'rotateKeys', method: 'POST', path: '/keys/rotate' },
});

export const getConfiguration = (service: Service): ApiRequest<Configuration> => ({
  ...{ service, tag: 'operations', operation: 'getConfiguration', method: 'GET', path: configurationPaths[service] },
});

export const getReadiness = (service: Service): ApiRequest<{ status: string; checks: Record<string, string> }> => ({
  ...{ service, tag: 'operations', operation: 'getReadiness', method: 'GET', path: '/health/ready' },
});
