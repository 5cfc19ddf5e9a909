import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, type JWTPayload, SignJWT } from 'jose';
import { createSigningKey } from './issuer.ts';

/** A client that holds a key (RFC 9449). */
export async function createHolder() {
  const { privateKey, jwk } = await createSigningKey('ES256');
  const { kty, crv, x, y } = jwk as Record<'kty' | 'crv' | 'x' | 'y', string>;
  const publicJwk = { kty, crv, x, y };
  return {
    jkt: await calculateJwkThumbprint(publicJwk),
    prove: (htm: string, htu: string, token: string, claims: JWTPayload = {}) =>
      new SignJWT({
        ...{ htm, htu, jti: randomUUID(), iat: Math.floor(Date.now() / 1000) },
        ath: createHash('sha256').update(token).digest('base64url'),
        ...claims,
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk })
        .sign(privateKey),
  };
}
