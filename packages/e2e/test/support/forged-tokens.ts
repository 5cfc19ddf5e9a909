import { createHmac, type KeyObject } from 'node:crypto';
import { signTexts } from '@gatehouse/test-kit';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT signed ES256 by any key. */
export function signEs256(header: object, claims: object, key: KeyObject): string {
  return signTexts(JSON.stringify({ alg: 'ES256', ...header }), JSON.stringify(claims), key);
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
