import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import type { KeyEncryption } from './key-encryption.ts';

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

const generate = promisify(generateKeyPair);

const generators = {
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  RS256: () => generate('rsa', { modulusLength: 2048 }),
} as const;

/** Milliseconds a key is shown in the JWKS unless it is retired before. */
export const keyLifetime = 10 * 365 * 86_400_000;

type Schedule = Pick<StoredSigningKey, 'generation' | 'publishAt' | 'signFrom' | 'expiresAt'>;

/** Makes a key pair, its private half encrypted already. */
export async function generateSigningKey(
  algorithm: SigningAlgorithm,
  schedule: Schedule,
  encryption: KeyEncryption,
): Promise<StoredSigningKey> {
  const { privateKey, publicKey } = await generators[algorithm]();
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    ...schedule,
    kid,
    algorithm,
    publicJwk: { ...jwk, kid, alg: algorithm, use: 'sig' } as PublicJwk,
    encryptedPrivateKey: encryption.encrypt(pem, kid),
  };
}
