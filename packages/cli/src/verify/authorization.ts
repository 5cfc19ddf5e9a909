import { buildAuthorizationUrl, challenges, leadsTo, readAuthorizationAnswer } from './authorization-request.ts';
import type { Findings } from './findings.ts';
import { findEndpoint, type Target, type TargetClient } from './target.ts';

/** The error of a request that would have been fine, had a user been signed in (OpenID Connect Core 3.1.2.6). */
const wouldSignIn = ['login_required', 'interaction_required', 'account_selection_required', 'consent_required'];

type AskError = (redirectUri: string, challenge: Record<string, string>) => Promise<string | undefined>;

/** The answers of the authorization endpoint to a client that asks for no page: nobody is signed in, so each is an error. */
export async function checkAuthorization(target: Target, client: TargetClient, findings: Findings): Promise<void> {
  const endpoint = findEndpoint(target, 'authorization_endpoint');
  const { redirectUri } = client;
  if (redirectUri === undefined || endpoint === undefined) {
    return findings.leave(
      'client',
      'answers to a redirect URI: they need --redirect-uri and an authorization_endpoint',
    );
  }
  const ask = async (uri: string, challenge: Record<string, string>) => {
    const parameters = { client_id: client.id, redirect_uri: uri, prompt: 'none' };
    return target.send('client', buildAuthorizationUrl(endpoint, parameters, challenge));
  };
  for (const uri of listNearMisses(redirectUri)) {
    const answer = await ask(uri, challenges.S256());
    if (leadsTo(answer, uri)) findings.find('client.redirect_match', `it answered ${answer.status} to ${uri}`);
  }
  const answer = await ask(redirectUri, challenges.S256());
  if (!leadsTo(answer, redirectUri)) {
    return findings.leave('client', `PKCE and iss: the server answered ${answer.status}, not to the redirect URI`);
  }
  checkIss(target, readAuthorizationAnswer(answer).get('iss'), findings);
  const askError: AskError = async (uri, challenge) => {
    const given = await ask(uri, challenge);
    return leadsTo(given, uri) ? (readAuthorizationAnswer(given).get('error') ?? undefined) : undefined;
  };
  await checkPkce(
    readAuthorizationAnswer(answer).get('error') ?? '',
    (challenge) => askError(redirectUri, challenge),
    findings,
  );
}

/** Addresses that begin like the registered one. */
function listNearMisses(redirectUri: string): string[] {
  const longer = new URL(redirectUri);
  longer.pathname = `${longer.pathname.replace(/\/$/, '')}/gatehouse-verify`;
  const asking = new URL(redirectUri);
  asking.searchParams.set('gatehouse-verify', '1');
  return [longer.href, asking.href];
}

function checkIss({ issuer, metadata }: Target, iss: string | null, { find }: Findings): void {
  const isPromised = metadata.authorization_response_iss_parameter_supported === true;
  if (iss === issuer) return;
  if (iss !== null) find('client.iss', `iss is ${JSON.stringify(iss)}`);
  else find(isPromised ? 'client.iss' : 'client.iss_missing', 'there is no iss');
}

async function checkPkce(
  error: string,
  ask: (challenge: Record<string, string>) => Promise<string | undefined>,
  { find, leave }: Findings,
): Promise<void> {
  if (error === 'invalid_request') return find('client.pkce', 'a request with S256 is invalid_request');
  if (!wouldSignIn.includes(error))
    return leave('client', `PKCE: a request with S256 is ${error || 'answered without an error'}`);
  const passes = async (challenge: Record<string, string>) => wouldSignIn.includes((await ask(challenge)) ?? '');
  if (await passes(challenges.plain())) find('client.pkce_plain', 'a request with plain is taken');
  if (await passes(challenges.none())) find('client.pkce_required', 'a request without PKCE is taken');
}
