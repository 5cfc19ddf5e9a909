import { type Clock, toSeconds } from '@gatehouse/service-kit';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import type { UpstreamCalls } from './call-upstream.ts';
import { addParameters, callBy, loadOAuth } from './oauth-requests.ts';
import { readAccount } from './read-account.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamSecrets } from './upstream-secrets.ts';

interface Dependencies {
  outboundFetch: OutboundFetch;
  upstreamSecrets: Pick<UpstreamSecrets, 'open'>;
  redirectUriOf(upstream: Pick<Upstream, 'alias'>): string;
  clock: Clock;
}

const ownHost = 'https://github.com';

/** The address of the API: that of GitHub, or of a GitHub Enterprise Server. */
function apiOf({ issuer }: Upstream): string {
  return issuer === ownHost ? 'https://api.github.com' : `${issuer}/api/v3`;
}

/**
 * Signs in by OAuth 2.0 at GitHub, which knows no OpenID Connect: the account is what its API says of the holder of the token. The id
 * is the subject, since names are given away again.
 */
export function createCallGithub(deps: Dependencies): UpstreamCalls {
  const { outboundFetch, upstreamSecrets, redirectUriOf, clock } = deps;
  const ask = async (upstream: Upstream, path: string, token: string): Promise<unknown> => {
    const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` };
    const response = await outboundFetch(apiOf(upstream) + path, { headers });
    if (response.status !== 200) throw new Error(`${path} of the API answers ${response.status}`);
    return response.json();
  };
  return {
    async buildRequest(upstream, secrets, { loginHint, isNew }) {
      const { calculatePKCECodeChallenge } = await loadOAuth();
      return addParameters(new URL(`${upstream.issuer}/login/oauth/authorize`), {
        client_id: upstream.clientId,
        redirect_uri: redirectUriOf(upstream),
        scope: upstream.scope.join(' '),
        state: secrets.state,
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        login: loginHint,
        prompt: isNew ? 'select_account' : undefined,
      });
    },

    async takeAnswer(upstream, answer, secrets, { maxAge }) {
      if (maxAge !== undefined) throw new Error('GitHub does not say when its user signed in');
      const oauth = await loadOAuth();
      const server = { issuer: upstream.issuer, token_endpoint: `${upstream.issuer}/login/oauth/access_token` };
      const client = { client_id: upstream.clientId };
      const secret = upstreamSecrets.open(upstream);
      const exchanged = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.ClientSecretPost(secret),
        oauth.validateAuthResponse(server, client, answer, secrets.state),
        redirectUriOf(upstream),
        secrets.codeVerifier,
        callBy(oauth, outboundFetch),
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged);
      const user = readUser(await ask(upstream, '/user', tokens.access_token));
      const email = findPrimary(await ask(upstream, '/user/emails', tokens.access_token));
      const claims = { sub: String(user.id), preferred_username: user.login, name: user.name, ...email };
      return {
        issuer: upstream.issuer,
        subject: claims.sub,
        authTime: toSeconds(clock()),
        ...readAccount(upstream, { idToken: claims, userinfo: {} }),
      };
    },

    buildSignOut: async () => undefined,
  };
}

function readUser(answer: unknown): { id: number; login?: unknown; name?: unknown } {
  const { id, ...rest } = (answer ?? {}) as { id?: unknown };
  if (!Number.isSafeInteger(id)) throw new Error('the API gives no id of the user');
  return { ...rest, id: id as number };
}

/** The primary address, with its flag. */
function findPrimary(answer: unknown): { email?: unknown; email_verified?: unknown } {
  const all = Array.isArray(answer)
    ? (answer as ({ email?: unknown; primary?: unknown; verified?: unknown } | null)[])
    : [];
  const primary = all.find((one) => one?.primary === true);
  return primary ? { email: primary.email, email_verified: primary.verified } : {};
}
