import { isMap } from '../is-map.ts';
import type { Kind } from './kinds.ts';
import { referenceNames } from './secrets.ts';

type Type = 'flag' | 'number' | 'texts' | 'maps' | 'map' | 'text';

/** The members that are no texts, by their types. */
const typesOf: Readonly<Record<Kind['name'], Partial<Record<Type, readonly string[]>>>> = {
  issuer: { texts: ['signature_algorithms'], map: ['jwks'] },
  resource: {
    flag: ['dynamic_clients'],
    number: ['access_token_validity', 'max_age'],
    texts: ['groups'],
    maps: ['scopes'],
  },
  group: { texts: ['members'] },
  user: {
    flag: ['enabled', 'emailVerified', 'phoneNumberVerified'],
    texts: ['roles', 'groups'],
    map: ['address'],
  },
  client: {
    flag: [
      ...['trusted', 'enabled', 'id_token_scope_claims', 'backchannel_logout_session_required', 'require_consent'],
      ...['require_pkce', 'require_pushed_authorization_requests', 'dpop_bound_access_tokens'],
      'require_signed_request_object',
    ],
    number: ['secret_grace', 'access_token_validity', 'default_max_age', 'administration_max_age'],
    texts: [
      ...['scope', 'authorized_grant_types', 'resources', 'exchange_from', 'exchange_audiences', 'redirect_uris'],
      ...['post_logout_redirect_uris', 'default_acr_values', 'request_uris', 'allowed_groups'],
    ],
    maps: ['federated_credentials'],
    map: ['jwks'],
  },
  upstream: {
    flag: ['enabled', 'create_users', 'logout'],
    texts: ['scope', 'tenants', 'hosted_domains', 'email_domains', 'domains'],
    map: ['members', 'groups', 'levels'],
  },
};

const checks: Readonly<Record<Type, { fits(value: unknown): boolean; words: string }>> = {
  flag: { fits: (value) => typeof value === 'boolean', words: 'true or false' },
  number: { fits: Number.isInteger, words: 'a whole number' },
  texts: { fits: (value) => isListOf(value, isText), words: 'a list of texts' },
  maps: { fits: (value) => isListOf(value, isMap), words: 'a list of maps' },
  map: { fits: isMap, words: 'a map' },
  text: { fits: isText, words: 'a text' },
};

/**
 * Why a value is none of its member; the services judge what it says. YAML 1.2 takes `no` and `off` for texts, so that they would
 * not switch anything off. Null is a member that is left out, and what a reference is its reader says.
 */
export function findTypeFault(kind: Kind, member: string, value: unknown): string | undefined {
  if (value === null || referenceNames(kind).includes(member)) return undefined;
  const type = findType(kind.name, member);
  return checks[type].fits(value) ? undefined : `${member} must be ${checks[type].words}`;
}

function findType(kind: Kind['name'], member: string): Type {
  const found = Object.entries(typesOf[kind]).find(([, members]) => members.includes(member));
  return found === undefined ? 'text' : (found[0] as Type);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf(value: unknown, fits: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}
