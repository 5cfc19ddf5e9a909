import { facetTerm, listWords, type SearchQuery, type TermedObject, termsOfWords } from '@gatehouse/service-kit/terms';
import { foldGroupName, foldUsername, isEveryRole } from '@gatehouse/shared';
import { type Client, isThirdParty } from './client.ts';
import { isPublic } from './client-demands.ts';
import { redirectUrisOf } from './redirect-uri.ts';

/** Words of hosts that are found, the first ones. */
const mostHostWords = 128;

/** Each value by which lists of clients are filtered, as its term. */
export const clientFacets = {
  grant_type: (grantType: string) => facetTerm('grant_type', grantType),
  resource: (uri: string) => facetTerm('resource', uri),
  scope: (name: string) => facetTerm('scope', name),
  robot: (username: string) => facetTerm('robot', foldUsername(username)),
  public: (value: string) => facetTerm('public', value),
  dynamic: (value: string) => facetTerm('dynamic', value),
  enabled: (value: string) => facetTerm('enabled', value),
  third_party: (value: string) => facetTerm('third_party', value),
  issuer: (issuer: string) => facetTerm('issuer', issuer),
  allowed_group: (name: string) => facetTerm('allowed_group', foldGroupName(name)),
  managed_by: (project: string) => facetTerm('managed_by', project),
} satisfies Record<string, (value: string) => string>;

/** The terms by which the server itself looks for clients, mostly for findings. A disabled client has none of them. */
export const findingTerms = {
  allRoles: facetTerm('finding', 'client_all_roles'),
  /** It lets the users of some groups alone in. */
  allowedGroups: facetTerm('allowed_groups', 'some'),
  httpRedirect: facetTerm('finding', 'http_redirect'),
  /** Of the day from which on the client has its secret: terms of earlier days come before those of later ones. */
  secretSince: (instant: number) => facetTerm('secret_since', new Date(instant).toISOString().slice(0, 10)),
  /** Comes before those of all days. */
  secretSinceEver: facetTerm('secret_since', ''),
} as const;

export type ClientFacet = keyof typeof clientFacets;

/** By what a client is found. */
export function describeClient(client: Client): SearchQuery {
  return { words: wordsOf(client), facets: facetsOf(client) };
}

/** A client with the terms by which it is found. */
export function termedClient(client: Client): TermedObject {
  const { words, facets } = describeClient(client);
  return { id: client.clientId, updatedAt: client.updatedAt, terms: [...termsOfWords(words), ...facets] };
}

function wordsOf(client: Client): string[] {
  const { clientId, metadata, serviceAccount } = client;
  const texts = [clientId, metadata.client_name, serviceAccount?.username];
  const hostWords = new Set(hostsOf(client).flatMap(listWords));
  const words = texts.flatMap((text) => (text === undefined ? [] : listWords(text)));
  return [...new Set([...words, ...[...hostWords].slice(0, mostHostWords)])];
}

/** The hosts of all URIs of the client, those to which answers go first. */
function hostsOf(client: Client): string[] {
  const { metadata } = client;
  const { post_logout_redirect_uris: afterLogout = [], backchannel_logout_uri: logout } = metadata;
  const links = [
    metadata.client_uri,
    metadata.policy_uri,
    metadata.tos_uri,
    metadata.logo_uri,
    metadata.initiate_login_uri,
  ];
  const uris = [...redirectUrisOf(client), ...afterLogout, logout, ...links];
  return [...new Set(uris.flatMap((uri) => (uri !== undefined && URL.canParse(uri) ? [new URL(uri).hostname] : [])))];
}

function facetsOf(client: Client): string[] {
  const { metadata, serviceAccount } = client;
  const {
    resources = [],
    default_resource: resource,
    federated_credentials: credentials = [],
    allowed_groups: groups = [],
  } = metadata;
  const facets = [
    ...client.grantTypes.map(clientFacets.grant_type),
    ...[...resources, ...(resource === undefined ? [] : [resource])].map(clientFacets.resource),
    ...client.scope.map(clientFacets.scope),
    ...(serviceAccount === undefined ? [] : [clientFacets.robot(serviceAccount.username)]),
    clientFacets.public(String(isPublic(client))),
    clientFacets.dynamic(String(client.dynamic !== undefined)),
    clientFacets.enabled(String(client.enabled)),
    clientFacets.third_party(String(isThirdParty(client))),
    ...groups.map(clientFacets.allowed_group),
    ...credentials.map(({ issuer }) => clientFacets.issuer(issuer)),
    ...(metadata.managed_by === undefined ? [] : [clientFacets.managed_by(metadata.managed_by)]),
    ...(client.enabled ? findingTermsOf(client) : []),
  ];
  return [...new Set(facets)];
}

function findingTermsOf(client: Client): string[] {
  const { ceiling, ceilingGivenAt, secretHash, metadata } = client;
  return [
    ...(isEveryRole(ceiling) && ceilingGivenAt === undefined ? [findingTerms.allRoles] : []),
    ...(redirectUrisOf(client).some((uri) => isDoubtfulRedirect(client, uri)) ? [findingTerms.httpRedirect] : []),
    ...(secretHash === undefined ? [] : [findingTerms.secretSince(findSecretTime(client))]),
    ...(metadata.allowed_groups === undefined ? [] : [findingTerms.allowedGroups]),
  ];
}

/**
 * Whether answers go where another program, or another machine, can take them. A program on the user's machine keeps no secret, and
 * has an address as its host, since `localhost` may be another machine's (RFC 8252 8.3).
 */
function isDoubtfulRedirect(client: Client, uri: string): boolean {
  // No administrator can change what a document says.
  if (client.document !== undefined || !URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && (!isPublic(client) || hostname === 'localhost');
}

/**
 * Since when the client has its secret. A release before did not say it: a secret that replaced another one was there before that
 * one ended, and a secret that never replaced one came with the client.
 */
function findSecretTime({ secretSetAt, previousSecret, createdAt }: Client): number {
  return secretSetAt ?? previousSecret?.expiresAt ?? createdAt;
}
