import type { KeyObject } from 'node:crypto';

export const signingAlgorithms = ['ES256', 'RS256'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A public key as the JWKS shows it (RFC 7517). */
export interface PublicJwk {
  kty: string;
  kid: string;
  alg: SigningAlgorithm;
  use: 'sig';
  [member: string]: unknown;
}

/** A signing key as it is stored. Instants are milliseconds. */
export interface StoredSigningKey {
  /** RFC 7638 thumbprint. */
  kid: string;
  algorithm: SigningAlgorithm;
  /** Counts the keys of an algorithm; unique, so that of several replicas exactly one makes each. */
  generation: number;
  publicJwk: PublicJwk;
  /** PKCS #8, encrypted. */
  encryptedPrivateKey: string;
  /** When the JWKS begins to show it; when it begins to sign; when the JWKS ceases to show it. */
  publishAt: number;
  signFrom: number;
  expiresAt: number;
}

/** A signing key, ready to sign. */
export interface SigningKey {
  kid: string;
  algorithm: SigningAlgorithm;
  generation: number;
  privateKey: KeyObject;
  publicKey: KeyObject;
  publicJwk: PublicJwk;
  publishAt: number;
  signFrom: number;
  expiresAt: number;
}
