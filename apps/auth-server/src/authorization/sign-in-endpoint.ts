import { logFailure, requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toOAuthError } from '../http/error-handlers.ts';
import { getForm } from '../http/form.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignIn } from '../sessions/sign-in.ts';
import type { SignInFault } from '../sessions/sign-in-page.ts';
import type { AuthorizationErrorHandler } from './failure-page.ts';
import { buildSignInSubject } from './form-subject.ts';
import type { NextPage } from './next-page.ts';
import type { RequestReader } from './request-reader.ts';

interface Dependencies {
  requestReader: RequestReader;
  browserCookies: BrowserCookies;
  signIn: SignIn;
  nextPage: NextPage;
  authorizationErrorHandler: AuthorizationErrorHandler;
}

const wrongText = 'The username or the password is not right. Check both and try again.';
const staleText = 'This page was open for too long, or came from elsewhere. Please sign in here.';
const unavailableText = 'Signing in does not work at the moment. Wait a little and try again.';

/** `POST /oauth/sign-in`: the form of the sign-in page. Goes on with the authorization request of the page. */
export function registerSignIn(app: FastifyInstance, deps: Dependencies): void {
  const { requestReader, browserCookies, signIn, nextPage, authorizationErrorHandler: errorHandler } = deps;

  app.post('/oauth/sign-in', { schema: { hide: true }, errorHandler }, async (request, reply) => {
    const http = { request, reply };
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), buildSignInSubject(encoded))) {
      const asked = await requestReader.readFresh(request, encoded);
      return nextPage.showFault(http, asked, buildFault(form, 403, staleText));
    }
    const asked = await requestReader.readReturned(request, encoded);
    const result = await signIn(
      readCredentials(form, asked.target.client.clientId),
      browserCookies.readSignIn(request),
      requestContextOf(request),
    );
    switch (result.outcome) {
      case 'unchecked':
        return nextPage.showFault(http, asked, describeFailure(http, form, result.error));
      case 'refused':
        return nextPage.showFault(http, asked, buildFault(form, 400, wrongText));
      case 'signed_in':
        browserCookies.writeSignIn(reply, result.cookies);
        return nextPage.goOn(http, asked, { signedIn: result.signedIn, consent: 'open' });
    }
  });
}

function readCredentials(form: RequestParameters, clientId: string) {
  return { username: form.get('username') ?? '', password: form.get('password') ?? '', clientId };
}

function buildFault(form: RequestParameters, status: number, message: string): SignInFault {
  return { status, message, username: form.get('username') };
}

/** Logs why the password could not be checked; the user reads when to try again. */
function describeFailure(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  form: RequestParameters,
  error: unknown,
): SignInFault {
  const failure = toOAuthError(error, request.id);
  logFailure(request, failure.status, failure);
  if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
  const message = failure.status === 429 ? describeWait(failure.retryAfter) : unavailableText;
  return buildFault(form, failure.status, message);
}

function describeWait(seconds = 60): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`;
}
