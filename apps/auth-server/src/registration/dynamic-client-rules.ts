import {
  type ClientAuthenticationMethod,
  type ClientMetadata,
  type ClientProfile,
  type FieldError,
  type GrantType,
  listDynamicFields,
  listGrantTypes,
} from '@gatehouse/shared';
import { impliedBy } from '../clients/client-demands.ts';
import { mayBePublic } from '../clients/client-settings.ts';
import type { RegistrationLimits } from '../clients/dynamic-registration.ts';

/*
 * The bounds of a client that registers itself. No other file says them. Without limits it came by open registration.
 */

/** Of org-api. The scopes of resources with `dynamic_clients` are open in addition to them. */
export const openScopes = ['openid', 'profile', 'email', 'offline_access'] as const;

/** By an initial access token. */
export const grantTypesByToken: readonly GrantType[] = listGrantTypes(({ dynamic }) => dynamic !== 'no');
const openGrantTypes: readonly GrantType[] = listGrantTypes(({ dynamic }) => dynamic === 'open');

/** Of open registration: bytes of a body, and redirect URIs in it. */
export const largestOpenBody = 4_096;
const mostOpenRedirectUris = 5;

/** Of an initial access token that does not say it. */
export const usualGrantTypes: readonly GrantType[] = openGrantTypes;

/** Every such client is one of a third party: its users decide. */
export const fixedMetadata: Required<Pick<ClientMetadata, FixedName>> = { require_consent: true };
type FixedName = ReturnType<typeof listDynamicFields<'fixed'>>[number];

/** The metadata that it may choose. Its names and values are those of `POST /clients`. */
export const chosenMetadata = listDynamicFields('chosen', 'native', 'by_token');

const chosenByToken: readonly string[] = listDynamicFields('by_token');

/** Whether a member is passed over, as an unknown one is. */
export function isPassedOver(name: string, limits: RegistrationLimits | undefined): boolean {
  return limits === undefined && chosenByToken.includes(name);
}

/** Members that such a client may not have: the server would call addresses of strangers. */
const refusedMembers = listDynamicFields('refused');
/** The same of open registration, in addition. */
const refusedWithoutToken = ['jwks_uri'] as const;
const membersOfNativeClients = listDynamicFields('native');

/** The part of what a client sends that says of which kind it is. */
export interface AskedKind {
  redirect_uris?: readonly string[] | undefined;
  grant_types?: readonly string[] | undefined;
  response_types?: readonly string[] | undefined;
  token_endpoint_auth_method?: ClientAuthenticationMethod | undefined;
  profile?: ClientProfile | undefined;
}

/** The members that are refused where they are there at all. The body is what was sent. */
export function findRefusedMembers(
  body: Readonly<Record<string, unknown>>,
  limits: RegistrationLimits | undefined,
): FieldError[] {
  const names = [...refusedMembers, ...(limits === undefined ? refusedWithoutToken : [])];
  const refused = names.filter((name) => body[name] !== undefined);
  const native = membersOfNativeClients.filter((name) => body[name] !== undefined);
  return [
    ...refused.map((field) => ({ field, detail: 'is not accepted of clients that register themselves' })),
    ...(body.application_type === 'native' ? [] : native).map((field) => ({
      field,
      detail: 'is accepted with application_type native only',
    })),
  ];
}

/** Its grant types where it names some, else those of RFC 7591 2. `off`: those that the installation switched off. */
export function chooseGrantTypes(
  asked: readonly string[] | undefined,
  limits: RegistrationLimits | undefined,
  off: readonly GrantType[],
) {
  const allowed = (limits?.grantTypes ?? openGrantTypes).filter((name) => !off.includes(name));
  const usual = allowed.includes('authorization_code') ? ['authorization_code'] : allowed;
  return { grantTypes: (asked ?? usual) as readonly GrantType[], allowed };
}

/** The method that it names, or that its profile implies; else the one of RFC 7591 2, which open registration does not have. */
export function chooseAuthenticationMethod(asked: AskedKind, limits: RegistrationLimits | undefined) {
  const usual = limits === undefined ? 'none' : 'client_secret_basic';
  return asked.token_endpoint_auth_method ?? impliedBy(asked.profile).token_endpoint_auth_method ?? usual;
}

/** The faults of the kind of a client: its grant types, its responses, and how it authenticates. */
export function findKindFaults(
  asked: AskedKind,
  limits: RegistrationLimits | undefined,
  off: readonly GrantType[],
): FieldError[] {
  const { grantTypes, allowed } = chooseGrantTypes(asked.grant_types, limits, off);
  const method = chooseAuthenticationMethod(asked, limits);
  const faults: FieldError[] = [];
  if (limits === undefined && (asked.redirect_uris?.length ?? 0) > mostOpenRedirectUris) {
    const detail = `must have at most ${mostOpenRedirectUris} entries: only an initial access token registers more`;
    faults.push({ field: 'redirect_uris', detail });
  }
  if (allowed.length === 0) {
    faults.push({ field: 'grant_types', detail: 'has no choice: all that this client may have are switched off here' });
  } else if (!grantTypes.every((name) => allowed.includes(name))) {
    faults.push({ field: 'grant_types', detail: `must be among ${allowed.join(', ')}` });
  }
  if (limits === undefined && method !== 'none') {
    const detail = 'must be none: only an initial access token registers clients that authenticate';
    faults.push({ field: 'token_endpoint_auth_method', detail });
  } else if (method === 'none' && !mayBePublic(grantTypes)) {
    faults.push({ field: 'token_endpoint_auth_method', detail: 'must not be none with client_credentials' });
  }
  return [...faults, ...findResponseFaults(asked.response_types, grantTypes)];
}

/** RFC 7591 2.1: response types and grant types belong together. */
function findResponseFaults(asked: readonly string[] | undefined, grantTypes: readonly GrantType[]): FieldError[] {
  const expected = listResponseTypes(grantTypes);
  if (asked === undefined || asked.join(' ') === expected.join(' ')) return [];
  const detail =
    expected.length === 0 ? 'must be empty without authorization_code' : 'must be code with authorization_code';
  return [{ field: 'response_types', detail }];
}

/** The response types that belong to grant types. */
export function listResponseTypes(grantTypes: readonly GrantType[]): string[] {
  return grantTypes.includes('authorization_code') ? ['code'] : [];
}

/**
 * RFC 7591 5: a link leads to the host of a redirect URI, so that nobody puts the pages of another on its own client. Any other
 * is left out (RFC 7591 2 allows that): the answer shows what is in force.
 */
export function isLinkKept(name: string, link: string, redirectUris: readonly string[]): boolean {
  if (!(shownLinks as readonly string[]).includes(name)) return true;
  return redirectUris.some((uri) => /^https:/i.test(uri) && new URL(uri).hostname === new URL(link).hostname);
}

/** The links that pages show. A logo is never fetched. */
const shownLinks = ['client_uri', 'policy_uri', 'tos_uri'] as const;
