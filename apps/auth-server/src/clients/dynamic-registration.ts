import type { GrantType } from '@gatehouse/shared';

export const applicationTypes = ['web', 'native'] as const;

/** The bounds that an initial access token sets to the clients that register by it. */
export interface RegistrationLimits {
  grantTypes: readonly GrantType[];
  /** Undefined for all that is open to dynamic clients. */
  scope: readonly string[] | undefined;
  /** URIs. Undefined for all that are open to dynamic clients. */
  resources: readonly string[] | undefined;
}

/** How a client registered itself (RFC 7591), or describes itself by a document. */
export interface DynamicRegistration {
  /** Of the registration access token (RFC 7592 3); undefined where a document describes it. */
  tokenHash: Buffer | undefined;
  /** The token by which it registered, which may be gone since; undefined for open registration. */
  initialToken: { id: string; limits: RegistrationLimits } | undefined;
  applicationType: (typeof applicationTypes)[number] | undefined;
}
