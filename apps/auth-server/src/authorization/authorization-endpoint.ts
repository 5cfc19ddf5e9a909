import { originOf } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { displayNameOf } from '../clients/client.ts';
import { getFormAsQuery, getQuery } from '../http/oauth-endpoint.ts';
import { readByHand } from '../http/oauth-schemas.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { BrowserSessions } from '../sessions/browser-sessions.ts';
import { sendSignInPage } from '../sessions/sign-in-page.ts';
import type { AuthorizationExchange } from './authorization-exchange.ts';
import type { Authorize } from './authorize.ts';
import type { CompleteAuthorization } from './complete-authorization.ts';

interface Dependencies {
  config: { realm: string };
  authorizationExchange: AuthorizationExchange;
  authorize: Authorize;
  browserSessions: BrowserSessions;
  browserCookies: BrowserCookies;
  completeAuthorization: CompleteAuthorization;
}

const parameter = (description: string) => Type.Optional(Type.String({ description }));

// For the documentation: the parameters are read by the rules of RFC 6749 3.1, which a schema cannot tell.
const querystring = Type.Object({
  client_id: Type.String(),
  response_type: Type.String({ description: 'code; token, id_token, id_token token for clients with implicit' }),
  redirect_uri: parameter('As registered, to the letter; required with scope openid'),
  scope: parameter('Space-delimited; all of the client’s where left out'),
  state: parameter('Comes back as it is'),
  nonce: parameter('Goes into the ID token; required with response_type id_token'),
  code_challenge: parameter('RFC 7636; required of public clients'),
  code_challenge_method: parameter('S256'),
  response_mode: parameter('query, fragment or form_post'),
  prompt: parameter('none, login, consent, select_account'),
  max_age: parameter('Seconds since the user signed in'),
  login_hint: parameter('Username to put into the form'),
  id_token_hint: parameter('ID token of the user who is expected'),
  request_uri: parameter('Of a pushed request (RFC 9126), which replaces everything else but client_id'),
  resource: parameter('RFC 8707: the base URL of org-api'),
});

const schema = {
  tags: ['oauth'],
  summary: 'Authorization endpoint',
  description: 'RFC 6749 3.1, OpenID Connect Core 3, RFC 9207.',
  querystring,
  response: {
    200: Type.String({ description: 'The sign-in page' }),
    302: Type.Null({ description: 'Back to the redirect_uri, with a code, tokens or an error' }),
    400: Type.String({ description: 'A page: client_id or redirect_uri is not good' }),
  },
};

/**
 * `GET` and `POST /oauth/authorize`: answers at once for a user who is signed in, else shows the sign-in page.
 */
export function registerAuthorize(app: FastifyInstance, deps: Dependencies): void {
  const { config, authorizationExchange, authorize, browserSessions, browserCookies, completeAuthorization } = deps;

  app.get('/oauth/authorize', { schema, ...readByHand }, (request, reply) =>
    authorizationExchange.start({ request, reply }, getQuery(request), async (authorizationRequest, encoded) => {
      const session = await browserSessions.find(browserCookies.findSessionToken(request));
      const signedIn = await authorize.findSignedInUser(authorizationRequest, session, originOf(request));
      if (signedIn !== undefined) {
        return completeAuthorization({ request, reply }, authorizationRequest, encoded, signedIn);
      }
      // OpenID Connect Core 3.1.2.6
      if (authorizationRequest.prompts.has('none')) {
        throw new OAuthError('login_required', 'the user is not signed in, and prompt=none allows no page');
      }
      return sendSignInPage(reply, 200, {
        realm: config.realm,
        application: displayNameOf(authorizationRequest.target.client),
        formToken: browserCookies.issueFormToken(request, reply, `sign-in ${encoded}`),
        request: encoded,
        username: authorizationRequest.loginHint,
      });
    }),
  );

  // OpenID Connect Core 3.1.2.1. The session cookie does not come with a post from elsewhere, but with what follows it.
  app.post(
    '/oauth/authorize',
    { schema: { tags: ['oauth'], summary: 'Authorization endpoint, by form' } },
    (request, reply) => reply.header('cache-control', 'no-store').redirect(`authorize?${getFormAsQuery(request)}`, 303),
  );
}
