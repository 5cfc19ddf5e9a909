import { isJsonObject, ProblemError, parseBoundedJson } from '@gatehouse/shared';
import type { RegistrationLimits } from '../clients/dynamic-registration.ts';
import { findRedirectUriFault } from '../clients/redirect-uri.ts';
import { type DynamicClientBody, parseDynamicClient } from '../registration/dynamic-client-body.ts';
import { isPassedOver, usualGrantTypes } from '../registration/dynamic-client-rules.ts';
import { DocumentFault } from './document-fault.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Bytes of a document. */
export const longestDocument = 8 * 1024;
const bounds = { longest: longestDocument, deepest: 8 };
const mostRedirectUris = 20;

/** A document may name keys, which a client of open registration cannot prove itself by. All else is as there. */
export const documentLimits: RegistrationLimits = {
  grantTypes: usualGrantTypes,
  scope: undefined,
  resources: undefined,
};

/** Of the members by which a shared secret would come. */
const secretMembers = ['client_secret', 'client_secret_expires_at'];

/**
 * Reads the document at a URL (draft-ietf-oauth-client-id-metadata-document 4), in the words of a client that registers itself; throws
 * a {@link DocumentFault} that names the member at fault. A document is one for all servers, so it may list more than this one has.
 */
export function readDocument(url: string, text: string): DynamicClientBody {
  const members = parseBoundedJson(text, bounds)?.value;
  if (!isJsonObject(members)) throw bad('is no JSON object');
  if (members.client_id !== url) throw bad('must have its URL as client_id, byte for byte');
  const secret = secretMembers.find((name) => Object.hasOwn(members, name));
  if (secret !== undefined) throw bad(`must not have ${secret}`);
  if (members.client_name === undefined) throw bad('must have client_name');
  checkKeyAddress(url, members);
  const body = {
    ...leaveOutPassedOver(members),
    redirect_uris: pickRedirectUris(members),
    grant_types: pickNames(members, 'grant_types', usualGrantTypes) ?? ['authorization_code'],
    response_types: pickNames(members, 'response_types', ['code']) ?? ['code'],
    token_endpoint_auth_method: getMethod(members),
    require_pkce: true,
  };
  try {
    return parseDynamicClient(body, documentLimits);
  } catch (error) {
    throw toBadDocument(error);
  }
}

/** The fault of a document that breaks a rule for all clients that register themselves; any other error stays as it is. */
export function toBadDocument(error: unknown): unknown {
  return error instanceof ProblemError ? bad(`is not accepted: ${error.message}`, { cause: error }) : error;
}

function bad(fault: string, options?: ErrorOptions): DocumentFault {
  return new DocumentFault('bad', `the metadata document ${fault}`, options);
}

/** Leaves out all that open registration passes over, but for the address of keys. Ports vary without a word. */
function leaveOutPassedOver(members: JsonObject): JsonObject {
  const isRead = (name: string) => name === 'jwks_uri' || !(name === 'loopback_ports' || isPassedOver(name, undefined));
  return Object.fromEntries(Object.entries(members).filter(([name]) => isRead(name)));
}

/** Those that may be registered here, without repeats. */
function pickRedirectUris({ redirect_uris: uris }: JsonObject): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > mostRedirectUris) {
    throw bad(`must have redirect_uris, an array of 1 to ${mostRedirectUris}`);
  }
  const isGood = (uri: unknown): uri is string => typeof uri === 'string' && findRedirectUriFault(uri) === undefined;
  const good = [...new Set(uris.filter(isGood))];
  if (good.length > 0) return good;
  throw bad('must have one of redirect_uris by https, at a loopback host, or of a private-use scheme with a dot');
}

/** Those names of a list that count here; undefined without the list. The first of them must be in it. */
function pickNames(members: JsonObject, name: string, counted: readonly string[]): string[] | undefined {
  const list = members[name];
  if (list === undefined) return undefined;
  if (Array.isArray(list) && list.includes(counted[0])) return counted.filter((one) => list.includes(one));
  throw bad(`must have ${counted[0]} in ${name}, or leave it out`);
}

function getMethod({ token_endpoint_auth_method: method = 'none' }: JsonObject): string {
  if (method === 'none' || method === 'private_key_jwt') return method;
  throw bad('must have none or private_key_jwt as token_endpoint_auth_method');
}

/** A document names no address but one of its own origin for this server to call. */
function checkKeyAddress(url: string, { jwks_uri: address }: JsonObject): void {
  if (typeof address !== 'string') return;
  if (URL.canParse(address) && new URL(address).origin === new URL(url).origin) return;
  throw bad('must have a jwks_uri of the origin of its URL');
}
