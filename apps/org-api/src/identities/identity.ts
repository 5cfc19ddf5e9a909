/** An account at an upstream, another server where people sign in. */
export interface UpstreamAccount {
  issuer: string;
  subject: string;
}

/** An account at an upstream by which a user signs in. Instants are milliseconds since the epoch. */
export interface Identity extends UpstreamAccount {
  /** UUIDv7. An account that is linked again has another one. */
  id: string;
  /** From 1 to {@link mostIdentities}. */
  number: number;
  /** The alias and the name of the upstream when the account was linked. */
  upstream: string;
  upstreamName: string;
  /** The account as mails name it: its address, or its name. */
  shown: string;
  linkedAt: number;
  /** Undefined before the first use. */
  lastUsedAt: number | undefined;
}

/** An identity of a user; or a tombstone, which says when the account was unlinked. */
export type StoredIdentity = Identity & ({ userId: string } | { userId: undefined; unlinkedAt: number });

/** The most identities of a user. */
export const mostIdentities = 10;

/** The values for the texts of a mail about an identity. */
export function nameIdentity({ upstreamName, shown }: Pick<Identity, 'upstreamName' | 'shown'>) {
  return { upstream: upstreamName, identity: shown };
}
