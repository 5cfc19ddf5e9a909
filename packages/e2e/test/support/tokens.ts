import { type Answer, type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import type { Credentials } from './clients.ts';
import { administrator, plainUser } from './people.ts';

export { readClaims, readHeader } from '@gatehouse/test-kit';

export interface TokenResponse {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  refresh_token?: string;
  id_token?: string;
}

/** `POST /oauth/token` as it stands. */
export function postToken({ authUrl }: Pick<Gatehouse, 'authUrl'>, options: CallOptions): Promise<Answer> {
  return call(`${authUrl}/oauth/token`, options);
}

/** Tokens that the test needs. */
export async function getTokens(
  gatehouse: Pick<Gatehouse, 'authUrl'>,
  basic: Credentials,
  form: Record<string, string>,
): Promise<TokenResponse> {
  const answer = await postToken(gatehouse, { basic, form });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json<TokenResponse & Record<string, unknown>>();
}

/** The password grant, for the plain user unless told otherwise. */
export function getUserTokens(
  gatehouse: Gatehouse,
  client: Credentials,
  [username, password]: [string, string] = plainUser,
): Promise<TokenResponse> {
  return getTokens(gatehouse, client, { grant_type: 'password', username, password });
}

export async function getAdministratorToken(gatehouse: Gatehouse, client: Credentials): Promise<string> {
  return (await getUserTokens(gatehouse, client, administrator)).access_token;
}

/** RFC 7662. */
export async function isActive({ authUrl }: Gatehouse, basic: Credentials, token: string): Promise<boolean> {
  const answer = await call(`${authUrl}/oauth/introspect`, { basic, form: { token } });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json<{ active: boolean }>().active;
}
