import { isLoopbackHost } from '@gatehouse/service-kit';
import {
  type ClientMetadata,
  clientLinkNames,
  clientMetadataNames,
  type FieldError,
  findPublicJwkFault,
  isLevel,
  levels,
  quoteName,
  unloggedName,
} from '@gatehouse/shared';
import { findRedirectUriFault } from './redirect-uri.ts';

/** Picks the metadata out of a larger body. */
export function pickClientMetadata(body: Readonly<Record<string, unknown>>): ClientMetadata {
  return Object.fromEntries(
    clientMetadataNames.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  );
}

type Rule = (metadata: ClientMetadata, client: { hasSecret: boolean }) => FieldError | undefined;

/** Claims that are checked in every token of an issuer. */
const checkedClaims = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** The most characters as JSON. The column takes them on every database. */
const longestMetadata = 16_384;

const rules: readonly Rule[] = [
  function notTooLong(metadata) {
    if (JSON.stringify(metadata).length <= longestMetadata) return undefined;
    return { field: 'body', detail: `must hold at most ${longestMetadata} characters of client metadata` };
  },
  function redirectUrisAsRegistered({ redirect_uris = [] }) {
    return findUriFault('redirect_uris', redirect_uris);
  },
  function postLogoutRedirectUrisAsRegistered({ post_logout_redirect_uris = [] }) {
    return findUriFault('post_logout_redirect_uris', post_logout_redirect_uris);
  },
  function linksByHttps(metadata) {
    const field = clientLinkNames.find((name) => metadata[name] !== undefined && !isLink(metadata[name]));
    return field && { field, detail: 'must be an https URL of printable ASCII characters' };
  },
  function backchannelLogoutUriByHttps({ backchannel_logout_uri: uri }) {
    if (uri === undefined) return undefined;
    const fault = findRedirectUriFault(uri);
    const url = fault === undefined ? new URL(uri) : undefined;
    if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))) return undefined;
    return { field: 'backchannel_logout_uri', detail: fault ?? 'must be https; http is for a loopback host only' };
  },
  function keysForPrivateKeyJwt({ token_endpoint_auth_method: method, jwks, jwks_uri: uri }) {
    if (jwks !== undefined && uri !== undefined) {
      return { field: 'jwks_uri', detail: 'must not stand with jwks: the keys are in one of them' };
    }
    if (method === 'private_key_jwt' && jwks === undefined && uri === undefined)
      return { field: 'jwks', detail: 'is required with private_key_jwt, or jwks_uri is' };
    return undefined;
  },
  function credentialsForFederatedJwt({ token_endpoint_auth_method: method, federated_credentials: credentials }) {
    const field = 'federated_credentials';
    if ((method === 'federated_jwt') !== (credentials !== undefined)) {
      const isMissing = credentials === undefined;
      const detail = isMissing ? 'is required with' : 'is accepted only with token_endpoint_auth_method';
      return { field, detail: `${detail} federated_jwt` };
    }
    const vague = (credentials ?? []).some(({ subject, claims }) => subject === undefined && claims === undefined);
    if (vague) return { field, detail: 'must hold subject, claims or both in each entry' };
    const names = (credentials ?? []).flatMap(({ claims = {} }) => Object.keys(claims));
    if (!names.some((name) => checkedClaims.includes(name))) return undefined;
    return { field, detail: `must not name ${checkedClaims.join(', ')} in claims: those have rules of their own` };
  },
  function keysByHttps({ jwks_uri: uri }) {
    const detail = uri === undefined ? undefined : findKeyAddressFault(uri);
    return detail === undefined ? undefined : { field: 'jwks_uri', detail };
  },
  function requestsByHttps({ request_uris: uris = [] }) {
    const index = uris.findIndex((uri) => !isCalled(uri));
    if (index < 0) return undefined;
    const detail = 'must be an https URL without user information; http is for a loopback host only';
    return { field: 'request_uris', detail: `entry ${index + 1} ${detail}` };
  },
  function levelsOnly({ default_acr_values: values = [], required_acr: required }) {
    const unknown = values.find((value) => !isLevel(value));
    if (unknown !== undefined) return { field: 'default_acr_values', ...describeUnknownLevel(unknown) };
    if (required === undefined || isLevel(required)) return undefined;
    return { field: 'required_acr', ...describeUnknownLevel(required) };
  },
  function publicKeysOnly({ jwks }) {
    const fault = (jwks?.keys ?? []).map((key) => findPublicJwkFault(key)).find((found) => found !== undefined);
    return fault === undefined ? undefined : { field: 'jwks', detail: fault };
  },
  function secretFitsMethod({ token_endpoint_auth_method: method }, { hasSecret }) {
    const takesSecret = method === 'client_secret_basic' || method === 'client_secret_post';
    if (takesSecret && !hasSecret) return { field: 'client_secret', detail: `is required with ${method}` };
    if (method !== undefined && !takesSecret && hasSecret) {
      return { field: 'client_secret', detail: `is not accepted with ${method}` };
    }
    return undefined;
  },
];

export function describeUnknownLevel(value: string): Pick<FieldError, 'detail' | 'logged'> {
  const describe = (shown: string) => `must be one of ${levels.join(', ')}; ${shown} is no level`;
  return { detail: describe(quoteName(value)), logged: describe(unloggedName) };
}

/** The fault of a URL at which keys are read; undefined where there is none. */
export function findKeyAddressFault(uri: string): string | undefined {
  if (isCalled(uri) && !uri.includes('#')) return undefined;
  return 'must be an https URL without user information and fragment; http is for a loopback host only';
}

/** Whether this server may call it: `outbound/` checks where it leads. */
function isCalled(uri: string): boolean {
  if (!URL.canParse(uri) || !/^[!-~]+$/.test(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** Pages link to it: no script and no other scheme can be behind it. */
function isLink(value: string): boolean {
  return (
    findRedirectUriFault(value.split('#', 1)[0] as string) === undefined &&
    /^https:/i.test(value) &&
    /^[!-~]+$/.test(value)
  );
}

/** Every broken rule of the metadata. */
export function findMetadataFaults(metadata: ClientMetadata, client: { hasSecret: boolean }): FieldError[] {
  return rules.map((rule) => rule(metadata, client)).filter((fault) => fault !== undefined);
}

/** The first fault of a list of redirect URIs. */
export function findUriFault(field: string, list: readonly string[]): FieldError | undefined {
  const faults = list.map((uri, index) => {
    const fault = findRedirectUriFault(uri);
    return fault === undefined ? undefined : { field, detail: `entry ${index + 1} ${fault}` };
  });
  return faults.find((fault) => fault !== undefined);
}
