import { constants, createPrivateKey, type JsonWebKey, type SignKeyObjectInput, sign } from 'node:crypto';

/** A private key as a JWK (RFC 7517). */
export type PrivateJwk = JsonWebKey & { kid?: string; alg?: string };

const ofCurves: Record<string, string> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512', Ed25519: 'EdDSA' };

/** The algorithm of a key (RFC 7518 3.1): the one that it names, else that of its kind. */
export function algorithmOf({ alg, crv }: PrivateJwk): string {
  return alg ?? ofCurves[crv ?? ''] ?? 'RS256';
}

/** A signed JWT in compact form. Throws a TypeError where the key is none. */
export function signJwt(key: PrivateJwk, header: object, claims: object): string {
  const algorithm = algorithmOf(key);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: algorithm, ...header })}.${encode(claims)}`;
  const input: SignKeyObjectInput = { key: createPrivateKey({ key, format: 'jwk' }), ...optionsOf(algorithm) };
  return `${signed}.${sign(digestOf(algorithm), Buffer.from(signed), input).toString('base64url')}`;
}

function digestOf(algorithm: string): string | null {
  const [bits] = /\d{3}$/.exec(algorithm) ?? [];
  return bits === undefined ? null : `sha${bits}`;
}

function optionsOf(algorithm: string): Partial<SignKeyObjectInput> {
  if (algorithm.startsWith('ES')) return { dsaEncoding: 'ieee-p1363' };
  if (!algorithm.startsWith('PS')) return {};
  return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}
