/** A passkey (WebAuthn 3) of a user, as it is stored. Instants are milliseconds since the epoch. */
export interface Passkey {
  /** UUIDv7, for administrators. */
  id: string;
  /** At most 1,023 bytes. */
  credentialId: Buffer;
  userId: string;
  /** The name that the authenticator has for the user. */
  userHandle: Buffer;
  /** COSE. */
  publicKey: Buffer;
  /** The counter of the last answer; 0 where the authenticator has none. */
  signCount: number;
  /** Whether it may be on several devices. Never changes; undefined of an imported one before its first use. */
  backupEligible: boolean | undefined;
  backedUp: boolean;
  /** Whether it verified its user at its creation or at a use since. Only then it signs in alone. */
  userVerified: boolean;
  transports: string[];
  /** The model of the authenticator, as it says. */
  aaguid: string;
  name: string;
  createdAt: number;
  lastUsedAt: number | undefined;
}

/** A user has no more. */
export const mostPasskeys = 20;
