import { constants, type KeyObject, sign } from 'node:crypto';

/** The algorithms that Gatehouse takes from clients (RFC 7518 3.1, RFC 8037, RFC 9864). */
export type SigningAlgorithm = 'ES256' | 'RS256' | 'PS256' | 'EdDSA' | 'Ed25519';

const signers: Record<SigningAlgorithm, (input: Buffer, key: KeyObject) => Buffer> = {
  ES256: (input, key) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  RS256: (input, key) => sign('sha256', input, key),
  PS256: (input, key) => sign('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  EdDSA: (input, key) => sign(null, input, key),
  Ed25519: (input, key) => sign(null, input, key),
};

/** A JWT of these very texts: also of what no library puts into one. The key signs by `algorithm`, whatever the header says. */
export function signTexts(
  header: string,
  payload: string,
  key: KeyObject,
  algorithm: SigningAlgorithm = 'ES256',
): string {
  const input = [header, payload].map((text) => Buffer.from(text).toString('base64url')).join('.');
  return `${input}.${signers[algorithm](Buffer.from(input), key).toString('base64url')}`;
}

/** The header of a JWT, unchecked. */
export function readHeader(jwt: string): Record<string, unknown> {
  return readPart(jwt, 0);
}

/** The claims of a JWT, unchecked. */
export function readClaims<T = Record<string, unknown>>(jwt: string): T {
  return readPart(jwt, 1);
}

function readPart<T>(jwt: string, index: number): T {
  return JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString());
}

/** Now, as JWTs say it (RFC 7519 2, NumericDate). */
export const nowInSeconds = (): number => Math.floor(Date.now() / 1000);
