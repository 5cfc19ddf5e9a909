import { generateKeyPair, generateProof, type KeyPair } from 'dpop';

export type ProvenFetch = Awaited<ReturnType<typeof createProvenFetch>>;

/** `fetch` with a proof of a key that cannot leave the page (RFC 9449). Nonces are taken from the answers, one of each origin. */
export async function createProvenFetch(firstNonce: { origin: string; nonce: string | undefined }) {
  const key: KeyPair = await generateKeyPair('ES256');
  const nonces = new Map([[firstNonce.origin, firstNonce.nonce]]);

  const send = async (url: URL, init: RequestInit, accessToken: string | undefined): Promise<Response> => {
    const headers = new Headers(init.headers);
    const target = url.origin + url.pathname;
    headers.set('dpop', await generateProof(key, target, init.method ?? 'GET', nonces.get(url.origin), accessToken));
    if (accessToken !== undefined) headers.set('authorization', `DPoP ${accessToken}`);
    const response = await fetch(url, { ...init, headers, credentials: 'omit', cache: 'no-store' });
    const nonce = response.headers.get('dpop-nonce');
    if (nonce !== null) nonces.set(url.origin, nonce);
    return response;
  };
  return async (url: URL, init: RequestInit = {}, accessToken?: string): Promise<Response> => {
    const response = await send(url, init, accessToken);
    return (await asksForNonce(response)) ? send(url, init, accessToken) : response;
  };
}

/** At the token endpoint the body says it (RFC 9449 8), elsewhere the challenge (9). */
async function asksForNonce(response: Response): Promise<boolean> {
  if (response.status === 401) return response.headers.get('www-authenticate')?.includes('use_dpop_nonce') ?? false;
  if (response.status !== 400) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'use_dpop_nonce';
}
