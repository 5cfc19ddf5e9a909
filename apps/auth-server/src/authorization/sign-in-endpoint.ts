import { logFailure, originOf } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { displayNameOf } from '../clients/client.ts';
import { toOAuthError } from '../http/error-handlers.ts';
import { getForm } from '../http/oauth-endpoint.ts';
import type { CheckPassword } from '../organization/check-password.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { BrowserSessions } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import { sendSignInPage } from '../sessions/sign-in-page.ts';
import type { AuthorizationExchange } from './authorization-exchange.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { CompleteAuthorization } from './complete-authorization.ts';

interface Dependencies {
  config: { realm: string };
  authorizationExchange: AuthorizationExchange;
  browserSessions: BrowserSessions;
  browserCookies: BrowserCookies;
  knownBrowsers: KnownBrowsers;
  checkPassword: CheckPassword;
  completeAuthorization: CompleteAuthorization;
}

const wrongText = 'The username or the password is not right. Check both and try again.';
const staleText = 'This page was open for too long, or came from elsewhere. Please sign in here.';
const unavailableText = 'Signing in does not work at the moment. Wait a little and try again.';

/** `POST /oauth/sign-in`: what the sign-in page sends. Goes on with the authorization request it was shown for. */
export function registerSignIn(app: FastifyInstance, deps: Dependencies): void {
  const { config, authorizationExchange, browserSessions, browserCookies, knownBrowsers } = deps;
  const { checkPassword, completeAuthorization } = deps;

  app.post('/oauth/sign-in', { schema: { hide: true } }, (request, reply) => {
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    const showAgain = (authorizationRequest: AuthorizationRequest, about: string, status: number, fault: string) =>
      sendSignInPage(reply, status, {
        realm: config.realm,
        application: displayNameOf(authorizationRequest.target.client),
        formToken: browserCookies.issueFormToken(request, reply, `sign-in ${about}`),
        request: about,
        username: form.get('username'),
        fault,
      });
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), `sign-in ${encoded}`)) {
      return authorizationExchange.start({ request, reply }, encoded, async (authorizationRequest, about) =>
        showAgain(authorizationRequest, about, 403, staleText),
      );
    }
    return authorizationExchange.resume({ request, reply }, encoded, (authorizationRequest) =>
      signIn({ request, reply }, form, authorizationRequest, (status, fault) =>
        showAgain(authorizationRequest, encoded, status, fault),
      ),
    );
  });

  async function signIn(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    form: RequestParameters,
    authorizationRequest: AuthorizationRequest,
    showAgain: (status: number, fault: string) => FastifyReply,
  ): Promise<FastifyReply> {
    const { clientId } = authorizationRequest.target.client;
    const knownBrowser = browserCookies.findKnownBrowser(request);
    const credentials = {
      username: form.get('username') ?? '',
      password: form.get('password') ?? '',
      clientId,
      knownBrowsers: knownBrowsers.read(knownBrowser),
    };
    const user = await checkPassword(credentials, originOf(request)).catch((error: unknown) =>
      toOAuthError(error, request.id),
    );
    if (user instanceof OAuthError) {
      logFailure(request, user.status, user);
      if (user.retryAfter !== undefined) void reply.header('retry-after', user.retryAfter);
      return showAgain(user.status, user.status === 429 ? describeWait(user.retryAfter) : unavailableText);
    }
    if (user === undefined) return showAgain(400, wrongText);
    // A new cookie at each sign-in: one that somebody planted before is worth nothing.
    const { token, session } = await browserSessions.start(user, browserCookies.findSessionToken(request));
    browserCookies.setSessionToken(reply, token);
    browserCookies.setKnownBrowser(reply, knownBrowsers.remember(knownBrowser, user));
    return completeAuthorization({ request, reply }, authorizationRequest, form.get('request') ?? '', {
      user,
      session,
    });
  }
}

function describeWait(seconds = 60): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`;
}
