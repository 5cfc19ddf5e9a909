import type { BundleLine, ClientLine, NoteLine } from '../../bundle/bundle-line.ts';
import { isClientId, isClientName, isLink, isValidity } from '../client/client-members.ts';
import type { Expansions } from '../client/expansions.ts';
import { resolveUris } from '../client/redirect-uris.ts';
import { splitScopes } from '../client/scopes.ts';
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
  const about = `client ${clientId}`;
  const problem = findReasonToSkip(client);
  if (problem !== undefined) {
    yield note(about, problem);
    return;
  }
  const grants = readGrantTypes(client, parts.robots.get(clientId));
  yield* grants.notes;
  if (grants.types.length === 0) {
    yield note(about, 'no_grant_type');
    return;
  }
  const uris = readUris(client, grants.types, parts.expansions);
  yield* uris.notes;
  if (uris.problem !== undefined) {
    if (uris.problem !== 'wildcard') yield note(about, uris.problem);
    return;
  }
  const authentication = readAuthentication(client);
  const attributes = readClientAttributes(client);
  const scopes = splitScopes(clientId, listScopes(client));
  yield {
    kind: 'client',
    client_id: clientId,
    ...(client.enabled === false && { enabled: false }),
    ...authentication.members,
    scope: scopes.scope,
    authorized_grant_types: grants.types,
    ...grants.members,
    ...uris.members,
    ...readValidity(parts.realm),
    ...readNames(client),
    ...(client.consentRequired === true && { require_consent: true }),
    ...attributes.members,
  } satisfies ClientLine;
  yield* [...authentication.notes, ...attributes.notes, ...scopes.notes, ...listOtherNotes(client, uris.members)];
  const usesCodes = grants.types.includes('authorization_code');
  const needsPkce = client.publicClient === true || uris.members.loopback_ports !== undefined;
  if (usesCodes && needsPkce && attributes.members.require_pkce !== true) yield note(about, 'pkce_required');
}

function findReasonToSkip(client: SourceObject): string | undefined {
  if (client.protocol === 'saml') return 'saml_client';
  if (client.protocol !== undefined && client.protocol !== 'openid-connect') return 'protocol';
  if (client.bearerOnly === true) return 'make_it_a_resource';
  return isClientId(String(client.clientId)) ? undefined : 'client_id_not_possible';
}

interface Uris {
  members: Record<string, unknown>;
  notes: NoteLine[];
  problem: 'wildcard' | 'no_redirect_uri' | undefined;
}

function readUris(client: SourceObject, types: readonly string[], expansions: Expansions): Uris {
  if (!types.some((type) => type === 'authorization_code' || type === 'implicit')) {
    return { members: {}, notes: [], problem: undefined };
  }
  const clientId = String(client.clientId);
  const redirect = resolveUris(clientId, 'redirect_uri', listRedirectUris(client), expansions);
  const logoutUris = listLogoutUris(client, redirect.uris);
  const logout = resolveUris(clientId, 'post_logout_redirect_uri', logoutUris, expansions);
  const notes = [...redirect.notes, ...logout.notes];
  const [first, ...others] = redirect.uris;
  const hasWildcard = redirect.hasWildcard || logout.hasWildcard;
  if (hasWildcard || first === undefined) {
    return { members: {}, notes, problem: hasWildcard ? 'wildcard' : 'no_redirect_uri' };
  }
  if (redirect.uris.some((uri) => /^http:\/\/localhost(?:[/?]|$)/.test(uri))) {
    notes.push(note(`client ${clientId}`, 'port_of_localhost'));
  }
  // Keycloak takes every port where a loopback address is registered without one.
  const anyPort =
    redirect.uris.some((uri) => /^http:\/\/127\.0\.0\.1(?:[/?]|$)/.test(uri)) && !types.includes('implicit');
  const members = {
    redirect_uri: first,
    ...(others.length > 0 && { redirect_uris: others }),
    ...(logout.uris.length > 0 && { post_logout_redirect_uris: logout.uris }),
    ...(anyPort && { loopback_ports: 'any' }),
  };
  return { members, notes, problem: undefined };
}

/** Addresses that begin with a slash are below the root URL of the client. */
function listRedirectUris(client: SourceObject): string[] {
  return textsOf(client.redirectUris).map((uri) => completeAddress(client, uri));
}

function completeAddress({ rootUrl }: SourceObject, address: string): string {
  return address.startsWith('/') ? `${(findText(rootUrl) ?? '').replace(/\/$/, '')}${address}` : address;
}

/** `+` stands for the redirect URIs, `-` for none. */
function listLogoutUris(client: SourceObject, redirectUris: readonly string[]): string[] {
  const text = findText(objectOf(client.attributes)['post.logout.redirect.uris']) ?? '';
  return text.split('##').flatMap((uri) => {
    if (uri === '+') return redirectUris;
    return uri === '' || uri === '-' ? [] : [completeAddress(client, uri)];
  });
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

function readValidity({ accessTokenLifespan }: SourceObject) {
  const seconds = Number(accessTokenLifespan);
  return isValidity(seconds) ? { access_token_validity: seconds } : {};
}

function readNames(client: SourceObject) {
  const name = findText(client.name);
  const address = completeAddress(client, findText(client.baseUrl) ?? findText(client.rootUrl) ?? '');
  return {
    ...(name !== undefined && isClientName(name) && !name.startsWith('${') && { client_name: name }),
    ...(isLink(address) && { client_uri: address }),
  };
}

function listOtherNotes(client: SourceObject, uris: Record<string, unknown>): NoteLine[] {
  const about = `client ${client.clientId}`;
  const attributes = objectOf(client.attributes);
  const registered = [uris.redirect_uri, ...textsOf(uris.redirect_uris)].flatMap((uri) =>
    typeof uri === 'string' && URL.canParse(uri) ? [new URL(uri).origin] : [],
  );
  const origins = textsOf(client.webOrigins).filter((origin) => origin !== '+' && !registered.includes(origin));
  const flows = objectOf(client.authenticationFlowBindingOverrides);
  return [
    ...origins.map((origin) => note(about, 'web_origin', origin)),
    ...objectsOf(client.protocolMappers).map(({ name }) => note(about, 'protocol_mapper', String(name))),
    ...Object.keys(flows).map((flow) => note(about, 'authentication_flow', flow)),
    ...(client.fullScopeAllowed === false ? [note(about, 'scope_mappings')] : []),
    ...(client.authorizationServicesEnabled === true ? [note(about, 'authorization_services')] : []),
    ...(findText(client.description) ? [note(about, 'description')] : []),
    ...(findText(attributes['frontchannel.logout.url']) ? [note(about, 'frontchannel_logout')] : []),
  ];
}
