import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { Answer, Send } from './send.ts';
import { type PrivateJwk, signJwt } from './sign-jwt.ts';

/** Proves the possession of one key with each request (RFC 9449). */
export interface Prover {
  /** The thumbprint of the key (RFC 7638). */
  jkt: string;
  /**
   * Sends a request with a proof, once more where the server wants its nonce in it. `request` is called for each try: an assertion in
   * it works once, too.
   */
  send(step: string, url: string, request: () => ProvenRequest): Promise<Answer>;
}

export interface ProvenRequest extends RequestInit {
  method: string;
  headers?: Record<string, string>;
  accessToken?: string;
}

export function makeProofKey(): PrivateJwk {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

export function createProver(key: PrivateJwk, send: Send): Prover {
  const { kty, crv, x, y } = key;
  const publicKey = { kty, crv, x, y };
  /** The nonce that each server gave last, by origin. */
  const nonces = new Map<string, string>();
  const prove = (url: URL, method: string, accessToken: string | undefined) => {
    const nonce = nonces.get(url.origin);
    const claims = {
      ...{ jti: randomUUID(), htm: method, htu: url.origin + url.pathname, iat: Math.floor(Date.now() / 1000) },
      ...(accessToken !== undefined && { ath: hash(accessToken) }),
      ...(nonce !== undefined && { nonce }),
    };
    return signJwt(key, { typ: 'dpop+jwt', jwk: publicKey }, claims);
  };
  const sendOnce: Prover['send'] = async (step, url, build) => {
    const target = new URL(url);
    const answer = await send(step, url, () => {
      const { accessToken, headers, ...request } = build();
      const proven: Record<string, string> = { ...headers, dpop: prove(target, request.method, accessToken) };
      if (accessToken !== undefined) proven.authorization = `DPoP ${accessToken}`;
      return { ...request, headers: proven };
    });
    const nonce = answer.headers.get('dpop-nonce');
    if (nonce !== null) nonces.set(target.origin, nonce);
    return answer;
  };
  return {
    jkt: hash(JSON.stringify({ crv, kty, x, y })),
    async send(step, url, request) {
      const answer = await sendOnce(step, url, request);
      return asksForNonce(answer) ? sendOnce(step, url, request) : answer;
    },
  };
}

function asksForNonce({ status, headers, text }: Answer): boolean {
  if (status !== 400 && status !== 401) return false;
  return `${headers.get('www-authenticate')} ${text}`.includes('use_dpop_nonce');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
