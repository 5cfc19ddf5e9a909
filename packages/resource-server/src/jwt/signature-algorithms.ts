import { constants, type KeyObject, verify } from 'node:crypto';
import type { CompactJws } from './compact-jws.ts';

/** The algorithms of signatures that are verified: asymmetric ones alone (RFC 8725 3.2). RFC 9864 gives EdDSA the name Ed25519. */
export const signatureAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** RFC 7518 3.4: R and S stand side by side, not in DER. RFC 7518 3.5: the salt is as long as the digest. */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const edwards = { keyType: 'ed25519', digest: null, options: {} };

const forms = {
  ES256: { keyType: 'ec', digest: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  RS256: { keyType: 'rsa', digest: 'sha256', options: { padding: constants.RSA_PKCS1_PADDING } },
  PS256: { keyType: 'rsa', digest: 'sha256', options: pss },
  EdDSA: edwards,
  Ed25519: edwards,
} as const;

/**
 * Whether the key signed it by the algorithm. Verifies on this thread, as signing does: on the thread pool it would cost
 * more and wait behind password hashes.
 */
export function isSignedBy({ signingInput, signature }: CompactJws, algorithm: SignatureAlgorithm, key: KeyObject) {
  const { keyType, digest, options } = forms[algorithm];
  if (key.asymmetricKeyType !== keyType) return false;
  return verify(digest, Buffer.from(signingInput, 'latin1'), { key, ...options }, signature);
}

/** Finds the algorithm that a header names, if it is one of these. */
export function findAlgorithm(alg: unknown, accepted: readonly SignatureAlgorithm[]): SignatureAlgorithm | undefined {
  return accepted.find((algorithm) => algorithm === alg);
}
