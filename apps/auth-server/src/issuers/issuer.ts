import type { ClientMetadata } from '@gatehouse/shared';

/** `spiffe`: the trust domain of the `sub` names the issuer, and its keys are a SPIFFE bundle. */
export const issuerKinds = ['oidc', 'spiffe'] as const;
export type IssuerKind = (typeof issuerKinds)[number];

/** Signatures that an issuer's tokens may have. The first ones are in force where an administrator names none. */
export const defaultIssuerAlgorithms = ['RS256', 'ES256', 'PS256', 'EdDSA', 'Ed25519'] as const;
export const issuerAlgorithms = [...defaultIssuerAlgorithms, 'ES384', 'RS512'] as const;
export type IssuerAlgorithm = (typeof issuerAlgorithms)[number];

export type PublicKeys = NonNullable<ClientMetadata['jwks']>;

/** An issuer whose tokens clients may prove themselves by. Instants are milliseconds since the epoch. */
export interface Issuer {
  /** UUIDv7: tells this issuer from a later one of the same name. */
  id: string;
  /** As tokens name it, or the trust domain as `spiffe://trust-domain`. */
  issuer: string;
  name: string;
  kind: IssuerKind;
  /** Its keys stand here, at `jwksUri`, or, with neither, where its metadata say. */
  jwks: PublicKeys | undefined;
  jwksUri: string | undefined;
  signatureAlgorithms: readonly IssuerAlgorithm[];
  /** The project that administers it. */
  managedBy: string | undefined;
  createdAt: number;
  updatedAt: number;
}
