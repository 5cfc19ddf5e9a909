import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { nowInSeconds, type SigningAlgorithm, signTexts } from './jwt.ts';

/** RFC 7523 2.2: the `client_assertion_type` of a client that authenticates by its key. */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface Jwk {
  kty: string;
  [member: string]: unknown;
}

/**
 * A key of a client, with all that the client signs by it. A signature is right; members that are given replace those that are
 * there, and undefined leaves one out.
 */
export interface ClientKey {
  privateKey: KeyObject;
  /** The public key, as the client registers it. */
  jwk: Jwk;
  privateJwk: Jwk;
  /** RFC 7638: the thumbprint that tokens are bound to. */
  jkt: string;
  /** RFC 7523: proves to the audience that the client calls. */
  assertion(clientId: string, audience: string, claims?: object, header?: object): string;
  /** RFC 9449: proves possession of the key for one request, `htm` and `htu`, and for a token. */
  proof(claims: Record<string, unknown> & { accessToken?: string | undefined }, header?: object): string;
  /** The same key, which signs by another algorithm: the public part of an RSA key says nothing of either. */
  signingBy(algorithm: SigningAlgorithm): ClientKey;
}

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = () => generateKeyPairSync('ed25519');
const generators: Record<SigningAlgorithm, () => KeyPair> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: rsa,
  PS256: rsa,
  EdDSA: ed25519,
  Ed25519: ed25519,
};

interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

/** `kid` is in the public key, and assertions name it. */
export function createClientKey(algorithm: SigningAlgorithm = 'ES256', kid?: string): ClientKey {
  return buildClientKey(generators[algorithm](), algorithm, kid);
}

function buildClientKey(pair: KeyPair, algorithm: SigningAlgorithm, kid: string | undefined): ClientKey {
  const { privateKey, publicKey } = pair;
  const named = kid === undefined ? {} : { kid };
  const jwk = { ...publicKey.export({ format: 'jwk' }), ...named } as Jwk;
  const sign = (header: object, claims: object) =>
    signTexts(JSON.stringify({ alg: algorithm, ...header }), JSON.stringify(claims), privateKey, algorithm);
  return {
    privateKey,
    jwk,
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...named } as Jwk,
    jkt: buildThumbprint(jwk),
    assertion(clientId, audience, claims = {}, header = {}) {
      const now = nowInSeconds();
      const good = { iss: clientId, sub: clientId, aud: audience, jti: randomUUID(), iat: now, exp: now + 60 };
      return sign({ ...named, ...header }, { ...good, ...claims });
    },
    proof({ accessToken, ...claims }, header = {}) {
      const ath = accessToken === undefined ? {} : { ath: hashOf(accessToken) };
      const good = { jti: randomUUID(), iat: nowInSeconds(), ...ath };
      return sign({ typ: 'dpop+jwt', jwk, ...header }, { ...good, ...claims });
    },
    signingBy: (other) => buildClientKey(pair, other, kid),
  };
}

/** RFC 7638 3: of the members that make the key, in the order of the alphabet. */
function buildThumbprint(jwk: Jwk): string {
  return hashOf(JSON.stringify(jwk, ['crv', 'e', 'kty', 'n', 'x', 'y']));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
