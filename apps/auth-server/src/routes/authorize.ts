import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { Authorize } from '../authorization/authorize.ts';
import type { AuthorizationExchange } from '../http/authorization-exchange.ts';
import type { BrowserCookies } from '../http/browser-cookies.ts';
import { originOf } from '../http/origin-of.ts';
import { sendSignInPage } from '../pages/sign-in-page.ts';
import type { BrowserSessions } from '../sessions/browser-session.ts';

interface Dependencies {
  config: { realm: string };
  authorizationExchange: AuthorizationExchange;
  authorize: Authorize;
  browserSessions: BrowserSessions;
  browserCookies: BrowserCookies;
}

const schema = {
  tags: ['oauth'],
  summary: 'Authorization endpoint',
  description:
    'RFC 6749 3.1, OpenID Connect Core 3. Parameters: client_id, redirect_uri, response_type, scope, state, nonce, code_challenge, code_challenge_method=S256, response_mode, prompt, max_age, login_hint, id_token_hint.',
};

/** `GET /oauth/authorize`: answers at once for a user who is signed in, else shows the sign-in page. */
export function registerAuthorize(app: FastifyInstance, deps: Dependencies): void {
  const { config, authorizationExchange, authorize, browserSessions, browserCookies } = deps;

  app.get('/oauth/authorize', { schema }, (request, reply) => {
    const encoded = request.raw.url?.split('?').slice(1).join('?') ?? '';
    return authorizationExchange.run({ request, reply }, encoded, async (authorizationRequest) => {
      const session = await browserSessions.find(browserCookies.findSessionToken(request));
      const signedIn = await authorize.findSignedInUser(authorizationRequest, session, originOf(request));
      if (signedIn !== undefined) {
        return authorizationExchange.send(reply, await authorize.grant(authorizationRequest, signedIn));
      }
      // OpenID Connect Core 3.1.2.6
      if (authorizationRequest.prompts.has('none')) {
        throw new OAuthError('login_required', 'the user is not signed in, and prompt=none allows no page');
      }
      return sendSignInPage(reply, 200, {
        realm: config.realm,
        application: authorizationRequest.target.client.clientId,
        formToken: browserCookies.issueFormToken(request, reply),
        request: encoded,
        username: authorizationRequest.loginHint,
      });
    });
  });
}
