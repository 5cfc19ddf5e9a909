import { createHash, randomUUID } from 'node:crypto';
import { type Answer, type CallOptions, call } from '@gatehouse/test-kit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** A key to prove possession of (RFC 9449), with the thumbprint that tokens are bound to. */
export interface ProofKey {
  jkt: string;
  /** A proof for one request; `changes` replace its claims. */
  prove(request: ProvenRequest, changes?: Record<string, unknown>): Promise<string>;
}

export interface ProvenRequest {
  method: string;
  url: string;
  nonce?: string | undefined;
  accessToken?: string | undefined;
}

export async function createProofKey(): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk: JWK = await exportJWK(publicKey);
  return {
    jkt: await calculateJwkThumbprint(jwk),
    prove({ method, url, nonce, accessToken }, changes = {}) {
      const claims = {
        jti: randomUUID(),
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1000),
        ...(nonce === undefined ? {} : { nonce }),
        ...(accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') }),
        ...changes,
      };
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk }).sign(privateKey);
    },
  };
}

/** A request with a proof, repeated once with the nonce that the server hands out. */
export async function callProven(url: string, key: ProofKey, options: CallOptions & { token?: string }) {
  const { token, ...rest } = options;
  const method = rest.method ?? (rest.form === undefined ? 'GET' : 'POST');
  const send = async (nonce?: string): Promise<{ answer: Answer; proof: string }> => {
    const proof = await key.prove({ method, url, nonce, accessToken: token });
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `DPoP ${token}` };
    const answer = await call(url, { ...rest, headers: { ...rest.headers, ...authorization, dpop: proof } });
    return { answer, proof };
  };
  const first = await send();
  const nonce = first.answer.headers['dpop-nonce'];
  return typeof nonce === 'string' && [400, 401].includes(first.answer.status) ? send(nonce) : first;
}
