import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import type { KeyEncryption } from './key-encryption.ts';
import type { PublicJwk, SigningAlgorithm, StoredSigningKey } from './signing-key.ts';

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
