import { leadsTo } from './authorization-request.ts';
import type { Findings } from './findings.ts';
import { findEndpoint, findTexts, strangeOrigin, type Target, type TargetClient } from './target.ts';

/** The sign-out of applications (OpenID Connect RP-Initiated Logout 1.0). A server of OAuth alone signs nobody in. */
export async function checkLogout(target: Target, client: TargetClient, { find }: Findings): Promise<void> {
  const endpoint = findEndpoint(target, 'end_session_endpoint');
  if (endpoint === undefined) {
    if (findTexts(target, 'id_token_signing_alg_values_supported') !== undefined)
      find('client.logout', 'there is none');
    return;
  }
  const url = new URL(endpoint);
  const strangeUri = `${strangeOrigin}/signed-out`;
  url.searchParams.set('client_id', client.id);
  url.searchParams.set('post_logout_redirect_uri', strangeUri);
  const answer = await target.send('client', url.href);
  if (leadsTo(answer, strangeUri)) find('client.logout_redirect', `it answered ${answer.status} to ${strangeUri}`);
}
