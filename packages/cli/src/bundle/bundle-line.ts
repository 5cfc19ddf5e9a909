/** The version of bundles that this tool writes and reads. */
export const bundleVersion = 1;

/** Bytes of a line without its end. */
export const longestLine = 64 * 1024;

/** The first line of a bundle. */
export interface BundleHead {
  kind: 'bundle';
  version: typeof bundleVersion;
  source: BundleSource;
  /** RFC 3339. */
  createdAt: string;
}

/** Where the lines are from. */
export interface BundleSource {
  product: 'keycloak' | 'spring' | 'uaa' | 'auth0' | 'gatehouse';
  version?: string;
  realm?: string;
}

/** A user, by the members of `POST /user`, and with the ways to sign in. */
export interface UserLine extends PersonalMembers {
  kind: 'user';
  /** A UUID: `sub` stays. */
  id?: string;
  username: string;
  userType: 'Person' | 'Robot';
  enabled: boolean;
  firstName?: string;
  lastName?: string;
  email?: string;
  emailVerified?: boolean;
  groups?: readonly string[];
  externalId?: string;
  passwordHash?: string;
  /** The secret is Base32: SHA-1, six digits, 30 seconds. */
  codeApp?: { secret: string };
  passkeys?: readonly PasskeyMember[];
  identities?: readonly { issuer: string; subject: string }[];
  /** RFC 3339. */
  createdAt?: string;
}

/** Members of a user that attributes of other servers hold. */
export interface PersonalMembers {
  locale?: string;
  timezone?: string;
  middleName?: string;
  nickname?: string;
  profile?: string;
  picture?: string;
  website?: string;
  gender?: string;
  birthdate?: string;
  phoneNumber?: string;
  phoneNumberVerified?: boolean;
  address?: Readonly<Record<string, string>>;
}

/** Bytes are base64url. */
export interface PasskeyMember {
  credentialId: string;
  /** COSE. */
  publicKey: string;
  counter: number;
  rpId: string;
  userHandle: string;
  name: string;
}

export interface GroupLine {
  kind: 'group';
  name: string;
  description?: string;
}

/** A client, by the members of `POST /clients`, with a hash in place of the secret. */
export interface ClientLine {
  kind: 'client';
  client_id: string;
  client_secret_hash?: string;
  /** Of the secret before, which works on for a while. */
  previous_client_secret_hash?: string;
  /** Until when it works; at most 30 days, and 30 days where it is left out. */
  previous_secret_expires_at?: string;
  /** Where it is false; a client is enabled unless a line says so. */
  enabled?: false;
  scope: readonly string[];
  authorized_grant_types: readonly string[];
  [member: string]: unknown;
}

export interface ResourceLine {
  kind: 'resource';
  resource: string;
  name: string;
  scopes: readonly { name: string; description?: string }[];
}

/** Something that has no place here, or that is the administrator's to do. It holds no secret. */
export interface NoteLine {
  kind: 'note';
  /** A kind and a name: `client spa`. */
  about: string;
  problem: string;
  value?: string;
}

export type BundleLine = UserLine | GroupLine | ClientLine | ResourceLine | NoteLine;
