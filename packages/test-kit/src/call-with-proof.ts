import { type Answer, type CallOptions, call } from './call.ts';
import type { ClientKey } from './client-key.ts';

/** An answer, and the proof that came with the request. */
export type ProvenAnswer = Answer & { proof: string };

/**
 * One HTTP request with a proof of the key (RFC 9449), and with the token that is bound to it; once more with the nonce that
 * the server hands out (RFC 9449 8, 9).
 */
export async function callWithProof(
  url: string,
  key: ClientKey,
  { accessToken, ...options }: CallOptions & { accessToken?: string | undefined },
): Promise<ProvenAnswer> {
  const { origin, pathname } = new URL(url);
  const hasBody = [options.form, options.json, options.body].some((sent) => sent !== undefined);
  const claims = { htm: options.method ?? (hasBody ? 'POST' : 'GET'), htu: origin + pathname, accessToken };
  const authorization: Record<string, string> =
    accessToken === undefined ? {} : { authorization: `DPoP ${accessToken}` };
  const send = async (more: object) => {
    const proof = key.proof({ ...claims, ...more });
    const headers = { ...options.headers, ...authorization, dpop: proof };
    return { ...(await call(url, { ...options, headers })), proof };
  };
  const first = await send({});
  const nonce = first.headers['dpop-nonce'];
  return nonce !== undefined && [400, 401].includes(first.status) ? send({ nonce }) : first;
}

/** The nonce that the token endpoint wants in the next proof, as its refusal of a proof without one says. */
export async function askNonce({ authUrl }: { authUrl: string }, clientId: string, key: ClientKey): Promise<string> {
  const url = `${authUrl}/oauth/token`;
  const dpop = key.proof({ htm: 'POST', htu: url });
  const answer = await call(url, { headers: { dpop }, form: { client_id: clientId, grant_type: 'refresh_token' } });
  return String(answer.headers['dpop-nonce']);
}
