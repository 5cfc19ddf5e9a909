import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
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

/** A client that holds an RSA key, which signs by PS256 and by RS256. */
export async function createRsaHolder() {
  const { privateKey, publicKey } = await generateKeyPair('PS256', { extractable: true });
  const [jwk, own] = await Promise.all([exportJWK(publicKey), exportJWK(privateKey)]);
  return {
    jkt: await calculateJwkThumbprint(jwk),
    prove: async (alg: 'PS256' | 'RS256', htm: string, htu: string, token: string) =>
      new SignJWT({
        ...{ htm, htu, jti: randomUUID(), iat: Math.floor(Date.now() / 1000) },
        ath: createHash('sha256').update(token).digest('base64url'),
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk })
        .sign(await importJWK(own, alg)),
  };
}
