import { createHash, randomBytes } from 'node:crypto';
import type { Answer } from '../connection/send.ts';

const verifier = () => randomBytes(32).toString('base64url');

/** PKCE (RFC 7636) of a request whose code nobody asks for. */
export const challenges = {
  S256: () => ({
    code_challenge: createHash('sha256').update(verifier()).digest('base64url'),
    code_challenge_method: 'S256',
  }),
  plain: () => ({ code_challenge: verifier(), code_challenge_method: 'plain' }),
  none: () => ({}),
};

/** The address of a request for a code, with PKCE by S256 unless `challenge` says otherwise. */
export function buildAuthorizationUrl(
  endpoint: string,
  parameters: Record<string, string>,
  challenge: Record<string, string> = challenges.S256(),
): string {
  const url = new URL(endpoint);
  const usual = { response_type: 'code', scope: 'openid', state: randomBytes(8).toString('hex'), nonce: verifier() };
  for (const [name, value] of Object.entries({ ...usual, ...challenge, ...parameters }))
    url.searchParams.set(name, value);
  return url.href;
}

/** Whether an answer sends the browser to an address, with parameters of its own. */
export function leadsTo({ status, headers }: Answer, address: string): boolean {
  const location = headers.get('location') ?? '';
  if (status < 300 || status > 399 || !URL.canParse(location)) return false;
  const [to, there] = [new URL(location), new URL(address)];
  const isSame = to.protocol === there.protocol && to.host === there.host && to.pathname === there.pathname;
  return isSame && [...there.searchParams].every(([name, value]) => to.searchParams.get(name) === value);
}

/** The parameters of the answer to a client. */
export function readAuthorizationAnswer({ headers }: Answer): URLSearchParams {
  const { search, hash } = new URL(headers.get('location') ?? '');
  return new URLSearchParams(search === '' ? hash.slice(1) : search);
}
