import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

const generators = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const;

type Jwk = { kty: string; [member: string]: unknown };

/** A public key of a client, as it registers it. */
export function publicJwkOf(algorithm: keyof typeof generators): Jwk {
  return generators[algorithm]().publicKey.export({ format: 'jwk' }) as Jwk;
}

/** A key of P-256 that a client keeps, with what it signs by it. */
export function createClientKey() {
  const { privateKey, publicKey } = generators.ES256();
  const jwk = publicKey.export({ format: 'jwk' }) as Jwk;
  return {
    jwk,
    /** RFC 7523: proves that the client calls. */
    assertion: (clientId: string, audience: string, claims: object = {}) =>
      signJwt(
        privateKey,
        { alg: 'ES256', typ: 'JWT' },
        {
          iss: clientId,
          sub: clientId,
          aud: audience,
          exp: Math.floor(Date.now() / 1000) + 60,
          jti: randomUUID(),
          ...claims,
        },
      ),
    /** RFC 9449: proves possession of the key, for one request. */
    proof: (claims: { htm: string; htu: string; nonce?: string; accessToken?: string; iat?: number }) => {
      const { accessToken, ...rest } = claims;
      const ath =
        accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') };
      const iat = Math.floor(Date.now() / 1000);
      return signJwt(privateKey, { alg: 'ES256', typ: 'dpop+jwt', jwk }, { jti: randomUUID(), iat, ...rest, ...ath });
    },
  };
}

function signJwt(key: KeyObject, header: object, claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signingInput = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signingInput), { key, dsaEncoding: 'ieee-p1363' });
  return `${signingInput}.${signature.toString('base64url')}`;
}
