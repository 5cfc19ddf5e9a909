import { logFailure } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationRequest } from '../authorization/authorization-request.ts';
import type { Authorize } from '../authorization/authorize.ts';
import type { AuthorizationExchange } from '../http/authorization-exchange.ts';
import type { BrowserCookies } from '../http/browser-cookies.ts';
import { toOAuthError } from '../http/error-handlers.ts';
import { getForm } from '../http/oauth-endpoint.ts';
import { originOf } from '../http/origin-of.ts';
import type { CheckPassword } from '../organization/check-password.ts';
import { sendSignInPage } from '../pages/sign-in-page.ts';
import type { RequestParameters } from '../request-parameters.ts';
import type { BrowserSessions } from '../sessions/browser-session.ts';

interface Dependencies {
  config: { realm: string };
  authorizationExchange: AuthorizationExchange;
  authorize: Authorize;
  browserSessions: BrowserSessions;
  browserCookies: BrowserCookies;
  checkPassword: CheckPassword;
}

const wrongText = 'The username or the password is not right. Check both and try again.';
const staleText = 'This page was open for too long, or came from elsewhere. Please sign in here.';
const unavailableText = 'Signing in does not work at the moment. Wait a little and try again.';

/** `POST /oauth/sign-in`: what the sign-in page sends. Goes on with the authorization request it was shown for. */
export function registerSignIn(app: FastifyInstance, deps: Dependencies): void {
  const { config, authorizationExchange, authorize, browserSessions, browserCookies, checkPassword } = deps;

  app.post('/oauth/sign-in', { schema: { hide: true } }, (request, reply) => {
    const form = getForm(request);
    return authorizationExchange.run({ request, reply }, form.get('request') ?? '', async (authorizationRequest) => {
      const showAgain = (status: number, fault: string) =>
        sendSignInPage(reply, status, {
          realm: config.realm,
          application: authorizationRequest.target.client.clientId,
          formToken: browserCookies.issueFormToken(request, reply),
          request: form.get('request') ?? '',
          username: form.get('username'),
          fault,
        });
      if (!browserCookies.isFormTokenValid(request, form.get('form_token'))) return showAgain(403, staleText);
      return signIn({ request, reply }, form, authorizationRequest, showAgain);
    });
  });

  async function signIn(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    form: RequestParameters,
    authorizationRequest: AuthorizationRequest,
    showAgain: (status: number, fault: string) => FastifyReply,
  ): Promise<FastifyReply> {
    const credentials = { username: form.get('username') ?? '', password: form.get('password') ?? '' };
    const user = await checkPassword(credentials, originOf(request)).catch((error: unknown) =>
      toOAuthError(error, request.id),
    );
    if (user instanceof OAuthError) {
      logFailure(request, user.status, user);
      if (user.retryAfter !== undefined) void reply.header('retry-after', user.retryAfter);
      return showAgain(user.status, user.status === 429 ? describeWait(user.retryAfter) : unavailableText);
    }
    if (user === undefined) {
      request.log.info('sign-in refused');
      return showAgain(400, wrongText);
    }
    // A new session at each sign-in: one that somebody planted before is worth nothing.
    const former = browserCookies.findSessionToken(request);
    if (former !== undefined) await browserSessions.end(former);
    const { token, session } = await browserSessions.start(user);
    browserCookies.setSessionToken(reply, token);
    request.log.info({ userId: user.id }, 'signed in');
    return authorizationExchange.send(reply, await authorize.grant(authorizationRequest, { user, session }));
  }
}

function describeWait(seconds = 60): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`;
}
