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
  const ask = (upstream: Upstream, path: string, token: string) => {
    const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` };
    return outboundFetch(apiOf(upstream) + path, { headers });
  };
  const askUser = async (upstream: Upstream, token: string) => {
    const response = await ask(upstream, '/user', token);
    if (response.status !== 200) throw new Error(`the API answers ${response.status}`);
    return readUser(await response.json());
  };
  /** None where the scope of the upstream, or its user, does not let this server see the addresses. */
  const askEmail = async (upstream: Upstream, token: string) => {
    const response = await ask(upstream, '/user/emails', token);
    return response.status === 200 ? findPrimary(await response.json()) : {};
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

    async takeAnswer(upstream, answer, secrets, { isNew, maxAge }) {
      // A new sign-in cannot be proven there; its user chose the account at least.
      if (maxAge !== undefined && !(isNew && maxAge === 0)) {
        throw new Error('GitHub does not say when its user signed in');
      }
      const oauth = await loadOAuth();
      // The `iss` of its answers (RFC 9207), which a GitHub Enterprise Server of before does not send.
      const issuer = `${upstream.issuer}/login/oauth`;
      const server = { issuer, token_endpoint: `${issuer}/access_token` };
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
      const user = await askUser(upstream, tokens.access_token);
      const email = await askEmail(upstream, tokens.access_token);
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
