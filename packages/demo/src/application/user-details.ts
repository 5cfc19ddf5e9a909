import type { Settings } from './settings.ts';

/** Asks org-api for the user's details, with the access token. Gives what it answered, whatever it is. */
export async function readUserDetails({ baseUrl }: Settings, accessToken: string, username: string): Promise<unknown> {
  const path = `/organization/api/organization/user/allDetails/userId/${encodeURIComponent(username)}`;
  const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${accessToken}` } });
  return answer.json();
}

/** The header and the claims of a JWT, unchecked: they are shown, and nothing follows from them. */
export function decodeJwt(token: string): { header: unknown; claims: unknown } {
  const [header = '', claims = ''] = token.split('.');
  const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  return { header: decode(header), claims: decode(claims) };
}
