import { type Level, levels, type ProfileField, profileFields } from '@gatehouse/shared';

/**
 * How an account that no user here has goes on. `ask`: its user signs in once as before. `verified_email`: it is linked to the user
 * whose verified address it has, else as with `ask`. `never`: it does not.
 */
export const linkRules = ['ask', 'never', 'verified_email'] as const;
export type LinkRule = (typeof linkRules)[number];

/** The issuer of a server for many organizations has this in place of one of them. */
export const tenantPart = '{tenantid}';

/** The pattern of the name of an upstream in addresses. */
export const aliasPattern = '^[a-z0-9-]{1,32}$';

/** How this server proves itself to an upstream. */
export const upstreamMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
export type UpstreamMethod = (typeof upstreamMethods)[number];

/** `oidc`: OpenID Connect, by discovery. `github`: OAuth 2.0 and the API of GitHub. */
export const upstreamKinds = ['oidc', 'github'] as const;
export type UpstreamKind = (typeof upstreamKinds)[number];

/** Whether users who sign in there have a password or a passkey here that signs in alone. */
export const localMethodRules = ['allowed', 'refused'] as const;
export type LocalMethods = (typeof localMethodRules)[number];

/** When the claims go into the record: at the first sign-in, or at each. */
export const syncRules = ['first', 'always'] as const;
export type Sync = (typeof syncRules)[number];

/** The members of a record that claims can fill. */
export const mappedMembers = profileFields.filter((field) => field !== 'address');
export type MappedMember = Exclude<ProfileField, 'address'>;

/** The claim that lists groups, and the group here of each of its values. */
export interface GroupMap {
  claim: string;
  map: Readonly<Record<string, string>>;
}

/** Another server where people sign in. Instants are milliseconds since the epoch. */
export interface Upstream {
  /** UUIDv7: tells this upstream from a later one of the same alias. */
  id: string;
  /** Its name in addresses. */
  alias: string;
  /** Its name on pages. */
  displayName: string;
  enabled: boolean;
  kind: UpstreamKind;
  /** As its ID tokens name it; that of a server for many organizations has `{tenantid}`. */
  issuer: string;
  clientId: string;
  method: UpstreamMethod;
  /** As it is stored; undefined with private_key_jwt. */
  sealedSecret: string | undefined;
  scope: readonly string[];
  /** Whose accounts are taken: of these tenants (`tid`), and of these hosted domains (`hd`); empty: of all. */
  tenants: readonly string[];
  hostedDomains: readonly string[];
  link: LinkRule;
  /** Domains, in lower case, for whose addresses the word of the upstream counts. */
  emailDomains: readonly string[];
  /** Whether users are made at their first sign-in. */
  createUsers: boolean;
  /** Domains, in lower case, whose users go there. Of one upstream each. */
  domains: readonly string[];
  localMethods: LocalMethods;
  /** The claims of members of a record, by the members. */
  members: Readonly<Partial<Record<MappedMember, string>>>;
  sync: Sync;
  groups: GroupMap | undefined;
  level: Level;
  /** The levels of values of `acr` that count for more. */
  levels: Readonly<Record<string, Level>>;
  /** Whether sign-out goes on there. */
  logout: boolean;
  /** The project that administers it. */
  managedBy: string | undefined;
  createdAt: number;
  updatedAt: number;
}

/** Whether users can sign in there: it is enabled, and its secret was not lost with the key that encrypted it. */
export function isUsable({ enabled, method, sealedSecret }: Pick<Upstream, 'enabled' | 'method' | 'sealedSecret'>) {
  return enabled && (method === 'private_key_jwt' || sealedSecret !== undefined);
}

/** The members of a new upstream of which its administrator says nothing, and those of one of the release before. */
export const upstreamDefaults = {
  scope: ['openid', 'profile', 'email'],
  tenants: [],
  hostedDomains: [],
  link: 'ask',
  emailDomains: [],
  createUsers: false,
  domains: [],
  localMethods: 'allowed',
  members: {},
  sync: 'first',
  groups: undefined,
  level: levels[0],
  levels: {},
  logout: false,
  managedBy: undefined,
} as const satisfies Partial<Upstream>;

/** The issuer of a server for many organizations as its metadata name it: with `{tenantid}` for `common` and `organizations`. */
export function nameMany(issuer: string): string {
  return issuer.replace(/(?<=\/)(?:common|organizations)(?=\/|$)/, tenantPart);
}

/** The issuer as its metadata name it. */
export function issuerInMetadata({ issuer, tenants }: Pick<Upstream, 'issuer' | 'tenants'>): string {
  return tenants.length === 0 ? issuer : nameMany(issuer);
}

/** The issuers of its ID tokens: one of a tenant each, where it is a server for many. */
export function listIssuers(upstream: Pick<Upstream, 'issuer' | 'tenants'>): string[] {
  const issuer = issuerInMetadata(upstream);
  return issuer.includes(tenantPart) ? upstream.tenants.map((tenant) => issuer.replace(tenantPart, tenant)) : [issuer];
}
