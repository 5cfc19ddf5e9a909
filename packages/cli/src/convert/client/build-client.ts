import type { BundleLine, ClientLine, NoteLine } from '../../bundle/bundle-line.ts';
import { note } from '../notes.ts';
import { isClientId, isClientName, isLink, isValidity } from './client-members.ts';
import type { Expansions } from './expansions.ts';
import { resolveUris } from './redirect-uris.ts';
import { splitScopes } from './scopes.ts';
import { makeUnknownSecretHash } from './secrets.ts';

/** A client as its source describes it, in the words of OAuth. */
export interface SourceClient {
  clientId: string;
  /** undefined where the source has none. */
  name?: string | undefined;
  secretHash?: string | undefined;
  previousSecretHash?: string | undefined;
  /** The client proves itself: without a hash and without keys it gets a secret that nobody knows. */
  isConfidential: boolean;
  grantTypes: readonly string[];
  redirectUris: readonly string[];
  /** `+` stands for the redirect URIs. */
  postLogoutRedirectUris?: readonly string[];
  scopes: readonly string[];
  /** Seconds, as the source has them. */
  accessTokenValidity?: number | undefined;
  asksConsent: boolean;
  /** Keys and everything else that is called here as it is there. */
  members: Readonly<Record<string, unknown>>;
}

const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code';
const ofUsers = ['authorization_code', 'implicit', 'password', deviceCode];
const kept = [...ofUsers, 'refresh_token', 'client_credentials', 'service_account'];

/** Makes the line of a client, and the notes about it. A client that cannot be here has notes alone; then it gives false. */
export function* buildClient(source: SourceClient, expansions: Expansions): Generator<BundleLine, boolean> {
  const { clientId } = source;
  const about = `client ${clientId}`;
  if (!isClientId(clientId)) {
    yield note(about, 'client_id_not_possible');
    return false;
  }
  const grants = sortGrantTypes(source, about);
  const uris = readUris(source, grants.types, expansions);
  yield* [...grants.notes, ...uris.notes];
  if (uris.members === undefined) return false;
  if (grants.types.length === 0) {
    yield note(about, 'no_grant_type');
    return false;
  }
  const scopes = splitScopes(clientId, source.scopes);
  const asksConsent = source.asksConsent && grants.types.some((type) => ofUsers.includes(type));
  const hasPassword = grants.types.includes('password');
  const { accessTokenValidity: validity, name } = source;
  yield {
    kind: 'client',
    client_id: clientId,
    ...readSecrets(source),
    scope: scopes.scope,
    authorized_grant_types: grants.types,
    ...uris.members,
    ...(validity !== undefined && isValidity(validity) && { access_token_validity: validity }),
    ...(name !== undefined && isClientName(name) && { client_name: name }),
    ...(asksConsent && !hasPassword && { require_consent: true }),
    ...source.members,
  } satisfies ClientLine;
  yield* scopes.notes;
  if (needsSecret(source)) yield note(about, 'needs_secret');
  if (asksConsent && hasPassword) yield note(about, 'consent_with_password');
  if (validity !== undefined && !isValidity(validity)) yield note(about, 'access_token_validity', String(validity));
  if (grants.types.includes('authorization_code') && mustSendPkce(source)) yield note(about, 'pkce_required');
  return true;
}

/** Whether PKCE is required here and was not there. */
function mustSendPkce({ isConfidential, members }: SourceClient): boolean {
  return (!isConfidential || members.loopback_ports !== undefined) && members.require_pkce !== true;
}

function needsSecret({ isConfidential, secretHash, members }: SourceClient): boolean {
  return isConfidential && secretHash === undefined && members.token_endpoint_auth_method !== 'private_key_jwt';
}

function readSecrets(source: SourceClient) {
  const { secretHash, previousSecretHash } = source;
  if (needsSecret(source)) return { client_secret_hash: makeUnknownSecretHash() };
  return {
    ...(secretHash !== undefined && { client_secret_hash: secretHash }),
    ...(previousSecretHash !== undefined && { previous_client_secret_hash: previousSecretHash }),
  };
}

function sortGrantTypes({ grantTypes, isConfidential }: SourceClient, about: string) {
  const notes: NoteLine[] = [];
  const types: string[] = [];
  for (const type of new Set(grantTypes)) {
    if (!kept.includes(type)) notes.push(note(about, 'grant_type', type));
    else if (isConfidential || !['password', 'client_credentials', 'service_account'].includes(type)) types.push(type);
    else notes.push(note(about, `${type}_of_public_client`));
  }
  // A refresh token comes of another grant.
  return { types: types.every((type) => type === 'refresh_token') ? [] : types, notes };
}

/** The addresses of a client; no members where it cannot be registered without others. */
function readUris(source: SourceClient, types: string[], expansions: Expansions) {
  const { clientId, redirectUris, postLogoutRedirectUris = [] } = source;
  if (!types.some((type) => type === 'authorization_code' || type === 'implicit')) return { members: {}, notes: [] };
  const redirect = resolveUris(clientId, 'redirect_uri', redirectUris, expansions);
  const logoutUris = postLogoutRedirectUris.flatMap((uri) => (uri === '+' ? redirect.uris : [uri]));
  const logout = resolveUris(clientId, 'post_logout_redirect_uri', logoutUris, expansions);
  const notes = [...redirect.notes, ...logout.notes];
  if (redirect.hasWildcard || logout.hasWildcard) return { members: undefined, notes };
  const [first, ...others] = redirect.uris;
  if (first === undefined)
    return { members: undefined, notes: [...notes, note(`client ${clientId}`, 'no_redirect_uri')] };
  const members = {
    redirect_uri: first,
    ...(others.length > 0 && { redirect_uris: others }),
    ...(logout.uris.length > 0 && { post_logout_redirect_uris: logout.uris }),
  };
  return { members, notes };
}

/** The members of links that a source has, where pages can link to them. */
export function readLinks(links: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found = Object.entries(links).flatMap(([name, link]) =>
    link !== undefined && isLink(link) ? [[name, link]] : [],
  );
  return Object.fromEntries(found);
}
