import * as client from 'openid-client';
import { clientId } from './register-client.ts';
import type { Pending, SignedIn } from './sessions.ts';
import type { Settings } from './settings.ts';

export type Provider = Awaited<ReturnType<typeof connectProvider>>;

/** The OpenID Connect side of the application. All the protocol is the library's: openid-client. */
export async function connectProvider({ authUrl, demoUrl }: Settings, secret: string) {
  // The services listen on http at this machine alone.
  const options = authUrl.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {};
  const config = await client.discovery(new URL(authUrl), clientId, secret, undefined, options);
  return {
    /** Where to send the browser, and what to remember of it until it comes back. */
    async startSignIn(): Promise<{ url: URL; pending: Pending }> {
      const pending = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: `${demoUrl}/callback`,
        scope: 'openid profile email roles',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url, pending };
    },
    /** Redeems the code that the browser brought. Throws what the library finds wrong. */
    async finishSignIn(path: string, { state, nonce, codeVerifier }: Pending): Promise<SignedIn> {
      const tokens = await client.authorizationCodeGrant(config, new URL(path, demoUrl), {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const { id_token: idToken = '', access_token: accessToken } = tokens;
      const claims = tokens.claims() ?? { sub: '' };
      const userinfo = await client.fetchUserInfo(config, accessToken, claims.sub);
      return { claims: { ...userinfo, ...claims }, idToken, accessToken };
    },
    /** Where the session at auth-server ends too. */
    buildSignOutUrl: ({ idToken }: SignedIn): URL =>
      client.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri: `${demoUrl}/` }),
  };
}

/** Whether the user did not want to sign in. */
export function isDenied(error: unknown): boolean {
  return error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
}
