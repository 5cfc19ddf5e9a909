import type { BundleLine, NoteLine } from '../../bundle/bundle-line.ts';
import { buildClient, readLinks } from '../client/build-client.ts';
import type { Expansions } from '../client/expansions.ts';
import { listOtherOrigins } from '../client/redirect-uris.ts';
import { note } from '../notes.ts';
import { findText, objectOf, objectsOf, type SourceObject, textsOf } from '../source-value.ts';
import { readClientAttributes } from './client-attributes.ts';
import { readAuthentication } from './client-authentication.ts';
import { readGrantTypes } from './grant-types.ts';
import { isBuiltIn } from './roles.ts';

export interface ClientParts {
  realm: SourceObject;
  expansions: Expansions;
  /** Names of Robots by the ids of their clients. */
  robots: ReadonlyMap<string, string>;
}

export function* convertClient(client: SourceObject, parts: ClientParts): Generator<BundleLine> {
  if (isBuiltIn(client)) return;
  const clientId = String(client.clientId);
  const problem = findReasonToSkip(client);
  if (problem !== undefined) {
    yield note(`client ${clientId}`, problem);
    return;
  }
  const isConfidential = client.publicClient !== true;
  const grants = readGrantTypes(client, parts.robots.get(clientId));
  const authentication = isConfidential ? readAuthentication(client) : { members: {}, notes: [] };
  const attributes = readClientAttributes(client);
  const redirectUris = textsOf(client.redirectUris).map((uri) => completeAddress(client, uri));
  const isBuilt = yield* buildClient(
    {
      ...{ clientId, name: findName(client), secretHash: authentication.secretHash, isConfidential },
      ...{ grantTypes: grants.types, redirectUris, postLogoutRedirectUris: listLogoutUris(client) },
      ...{ scopes: listScopes(client), asksConsent: client.consentRequired === true },
      accessTokenValidity: Number(parts.realm.accessTokenLifespan ?? 300),
      members: {
        ...(client.enabled === false && { enabled: false }),
        ...readLinks({
          client_uri: completeAddress(client, findText(client.baseUrl) ?? findText(client.rootUrl) ?? ''),
        }),
        ...(hasAnyPort(redirectUris) && !grants.types.includes('implicit') && { loopback_ports: 'any' }),
        ...{ ...grants.members, ...authentication.members, ...attributes.members },
      },
    },
    parts.expansions,
  );
  if (!isBuilt) return;
  yield* [...grants.notes, ...authentication.notes, ...attributes.notes, ...listOtherNotes(client, redirectUris)];
}

function findReasonToSkip(client: SourceObject): string | undefined {
  if (client.protocol === 'saml') return 'saml_client';
  if (client.protocol !== undefined && client.protocol !== 'openid-connect') return 'protocol';
  return client.bearerOnly === true ? 'make_it_a_resource' : undefined;
}

/** Keycloak takes every port where a loopback address is registered without one. */
function hasAnyPort(redirectUris: readonly string[]): boolean {
  return redirectUris.some((uri) => /^http:\/\/127\.0\.0\.1(?:[/?]|$)/.test(uri));
}

/** Addresses that begin with a slash are below the root URL of the client. */
function completeAddress({ rootUrl }: SourceObject, address: string): string {
  return address.startsWith('/') ? `${(findText(rootUrl) ?? '').replace(/\/$/, '')}${address}` : address;
}

/** `+` stands for the redirect URIs, `-` for none. */
function listLogoutUris(client: SourceObject): string[] {
  const text = findText(objectOf(client.attributes)['post.logout.redirect.uris']) ?? '';
  const uris = text.split('##').filter((uri) => uri !== '' && uri !== '-');
  return uris.map((uri) => completeAddress(client, uri));
}

/** Client scopes that each client of Keycloak has, and that stand for nothing that is asked for here. */
const ownScopes = [
  ...['basic', 'acr', 'web-origins', 'service_account', 'microprofile-jwt', 'organization'],
  ...['role_list', 'saml_organization'],
];

/** Roles of Keycloak are groups here, and so the scope that shows roles there shows groups. */
function listScopes(client: SourceObject): string[] {
  const names = [...textsOf(client.defaultClientScopes), ...textsOf(client.optionalClientScopes)];
  const kept = names.filter((name) => !ownScopes.includes(name)).map((name) => (name === 'roles' ? 'groups' : name));
  return ['openid', ...kept];
}

/** The names of Keycloak's own are keys of its translations. */
function findName({ name }: SourceObject): string | undefined {
  const text = findText(name);
  return text?.startsWith('${') ? undefined : text;
}

function listOtherNotes(client: SourceObject, redirectUris: readonly string[]): NoteLine[] {
  const about = `client ${client.clientId}`;
  const attributes = objectOf(client.attributes);
  const flows = objectOf(client.authenticationFlowBindingOverrides);
  return [
    ...listOtherOrigins(String(client.clientId), textsOf(client.webOrigins), redirectUris),
    ...objectsOf(client.protocolMappers).map(({ name }) => note(about, 'protocol_mapper', String(name))),
    ...Object.keys(flows).map((flow) => note(about, 'authentication_flow', flow)),
    ...(client.fullScopeAllowed === false ? [note(about, 'scope_mappings')] : []),
    ...(client.authorizationServicesEnabled === true ? [note(about, 'authorization_services')] : []),
    ...(findText(client.description) ? [note(about, 'description')] : []),
    ...(redirectUris.some((uri) => /^http:\/\/localhost(?:[/?]|$)/.test(uri))
      ? [note(about, 'port_of_localhost')]
      : []),
    ...(findText(attributes['frontchannel.logout.url']) ? [note(about, 'frontchannel_logout')] : []),
  ];
}
