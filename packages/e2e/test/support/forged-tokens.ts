import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT signed ES256 by any key. */
export function signEs256(header: object, claims: object, key: KeyObject): string {
  const input = `${encode({ alg: 'ES256', ...header })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

export function createEs256Key() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicJwk: publicKey.export({ format: 'jwk' }) };
}

/** A JWT with the claims of `token` that anybody can make. */
export function forge(header: object, claims: object, signature = ''): string {
  return `${encode(header)}.${encode(claims)}.${signature}`;
}

/** RS/HS confusion: the public key as the secret of an HMAC. */
export function signHs256(header: object, claims: object, secret: string): string {
  const input = `${encode({ alg: 'HS256', ...header })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}
