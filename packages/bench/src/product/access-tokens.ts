import { exchange } from '../load/exchange.ts';
import { buildFormRequest, buildRequest, type ClientLogin } from '../load/load.ts';
import type { User } from './population.ts';

/** Gets an access token for each client, by client_credentials. */
export async function issueAccessTokens(port: number, clients: readonly ClientLogin[]): Promise<string[]> {
  const requests = clients.map((client) =>
    buildFormRequest('/oauth/token', client, { grant_type: 'client_credentials' }),
  );
  const answers = await exchange(port, requests);
  return answers.map((answer) => (JSON.parse(answer) as { access_token: string }).access_token);
}

export const userDetailsPath = '/organization/api/organization/user/allDetails/userId/';

/** Each request asks for the details of the token's own user. */
export function buildUserRequests(prefix: string, tokens: readonly string[], users: readonly User[]): string[] {
  return tokens.map((token, index) =>
    buildRequest({
      path: prefix + encodeURIComponent(users[index]?.username ?? ''),
      headers: { Authorization: `Bearer ${token}` },
    }),
  );
}
