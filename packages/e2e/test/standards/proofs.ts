import { createHash, randomUUID } from 'node:crypto';
import { type Answer, type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** A key of a client: for client assertions (RFC 7523) and DPoP proofs (RFC 9449). */
export interface ClientKey {
  privateKey: CryptoKey;
  publicJwk: JWK;
  privateJwk: JWK;
  /** RFC 7638. */
  jkt: string;
}

export async function createClientKey(): Promise<ClientKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const [publicJwk, privateJwk] = await Promise.all([exportJWK(publicKey), exportJWK(privateKey)]);
  return { privateKey, publicJwk, privateJwk, jkt: await calculateJwkThumbprint(publicJwk) };
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
export const nowInSeconds = () => Math.floor(Date.now() / 1000);

/** A client assertion, with changes to its claims; undefined leaves one out. */
export function signAssertion(
  key: ClientKey,
  clientId: string,
  audience: string,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    jti: randomUUID(),
    iat: nowInSeconds(),
    exp: nowInSeconds() + 60,
    ...changes,
  };
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(key.privateKey);
}

/** A DPoP proof, with changes to its claims and header. */
export function signProof(
  key: ClientKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): Promise<string> {
  return new SignJWT({ jti: randomUUID(), iat: nowInSeconds(), ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.publicJwk, ...header })
    .sign(key.privateKey);
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A good request with a proof: asks for the nonce first, as a client does (RFC 9449 8). */
export async function callWithProof(
  url: string,
  key: ClientKey,
  options: CallOptions & { method: string; accessToken?: string },
): Promise<Answer> {
  const { accessToken, ...rest } = options;
  const { origin, pathname } = new URL(url);
  const claims = {
    htm: rest.method,
    htu: origin + pathname,
    ...(accessToken === undefined ? {} : { ath: hashOfToken(accessToken) }),
  };
  const send = async (nonce: object) =>
    call(url, {
      ...rest,
      headers: {
        ...rest.headers,
        ...(accessToken === undefined ? {} : { authorization: `DPoP ${accessToken}` }),
        dpop: await signProof(key, { ...claims, ...nonce }),
      },
    });
  const first = await send({});
  const nonce = first.headers['dpop-nonce'];
  return first.status < 400 || nonce === undefined ? first : send({ nonce });
}

/** The nonce that an endpoint wants, as its refusal of a proof without one says. */
export async function askNonce({ authUrl }: Gatehouse, clientId: string, key: ClientKey): Promise<string> {
  const url = `${authUrl}/oauth/token`;
  const proof = await signProof(key, { htm: 'POST', htu: url });
  const answer = await call(url, {
    headers: { dpop: proof },
    form: { client_id: clientId, grant_type: 'refresh_token' },
  });
  return String(answer.headers['dpop-nonce']);
}
