import { isDeepStrictEqual } from 'node:util';
import { type Kind, madeByServer, madeForUpstream } from './kinds.ts';
import type { Described } from './project.ts';

export type View = Readonly<Record<string, unknown>>;

export interface MemberChange {
  /** Undefined where there is none. */
  from: unknown;
  to: unknown;
}

/** Members of a file that are no members of the object itself. */
const besideObject = ['secret_grace', 'trusted', 'members', 'client_secret_hash'];

const impliedByFapi2 = [
  ...['token_endpoint_auth_method', 'require_pushed_authorization_requests', 'require_pkce'],
  ...['dpop_bound_access_tokens', 'id_token_signed_response_alg'],
];
const impliedByMessageSigning = [
  ...[...impliedByFapi2, 'require_signed_request_object', 'authorization_signed_response_alg'],
  'introspection_signed_response_alg',
];

/** The members that each profile of clients sets, and that are never otherwise with it. */
const impliedByProfile: Readonly<Record<string, readonly string[]>> = {
  fapi2: impliedByFapi2,
  fapi2_message_signing: impliedByMessageSigning,
  oauth21: ['require_pkce'],
};

/** The members of which the files say other than the service. Of a user only the members that the files name count. */
export function compare(object: Described, view: View): Record<string, MemberChange> {
  const { kind } = object;
  const said = Object.keys(object.members).filter((name) => !isBeside(kind, name));
  const names = kind.name === 'user' ? said : [...new Set([...said, ...listWritable(kind, view)])];
  const changes: Record<string, MemberChange> = {};
  for (const name of names) {
    const [from, to] = [view[name], wantedOf(object, name, view)];
    if (!isSame(kind, name, from, to)) changes[name] = { from, to };
  }
  return changes;
}

/** The members of a view that files can have. */
export function listWritable(kind: Kind, view: View): string[] {
  const made = kind.name === 'upstream' ? [...madeByServer, ...madeForUpstream] : madeByServer;
  return Object.keys(view).filter((name) => !made.includes(name));
}

/** `members` of an upstream are its own. */
function isBeside({ name: kind }: Kind, name: string): boolean {
  return besideObject.includes(name) && !(kind === 'upstream' && name === 'members');
}

function wantedOf({ kind, members }: Described, name: string, view: View): unknown {
  if (members[name] !== undefined && members[name] !== null) return members[name];
  if (kind.name === 'client' && impliedByProfile[String(members.profile)]?.includes(name)) return view[name];
  if (kind.name === 'resource' && name === 'groups_claim' && members.groups !== undefined) return 'groups';
  if (kind.name === 'upstream' && dependsOnKind.includes(name)) return defaultsOfUpstream(members)[name];
  return kind.defaults[name];
}

const dependsOnKind = ['issuer', 'scope', 'token_endpoint_auth_method'];

function defaultsOfUpstream({ kind }: View): View {
  if (kind !== 'github') {
    return { scope: ['openid', 'profile', 'email'], token_endpoint_auth_method: 'client_secret_basic' };
  }
  const scope = ['read:user', 'user:email'];
  return { issuer: 'https://github.com', scope, token_endpoint_auth_method: 'client_secret_post' };
}

/** Lists whose order means nothing. */
const sets: Partial<Record<Kind['name'], readonly string[]>> = { user: ['roles', 'groups'] };
/** Texts that the service keeps in lower case, or compares so. */
const folded: Partial<Record<Kind['name'], readonly string[]>> = {
  client: ['srvc_ac_user_name'],
  upstream: ['domains', 'email_domains'],
  user: ['groups', 'username'],
};

function isSame(kind: Kind, name: string, from: unknown, to: unknown): boolean {
  const normal = (value: unknown) => normalize(kind, name, value);
  return isDeepStrictEqual(normal(from), normal(to));
}

function normalize({ name: kind }: Kind, member: string, value: unknown): unknown {
  // A service leaves out what is null, and a list of groups that is empty.
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  const lower = folded[kind]?.includes(member) ? mapTexts(value, (text) => text.toLowerCase()) : value;
  if (!Array.isArray(lower)) return lower;
  if (kind === 'resource' && member === 'scopes') return lower.map((scope) => ({ description: '', ...scope }));
  return sets[kind]?.includes(member) ? [...lower].sort() : lower;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  return Array.isArray(value) ? value.map((each) => mapTexts(each, map)) : value;
}
