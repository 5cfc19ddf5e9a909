import { logFailure, requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOAuthError } from '../http/error-handlers.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from './browser-cookies.ts';
import type { SignIn } from './sign-in.ts';
import type { SignInFault } from './sign-in-page.ts';
import type { SignedInUser } from './signed-in-user.ts';

type Http = { request: FastifyRequest; reply: FastifyReply };

/** What came of the form of the sign-in page. */
export type TakenSignIn = { signedIn: SignedInUser; fault?: undefined } | { signedIn?: undefined; fault: SignInFault };

/** Signs in by the form of the sign-in page, and writes the cookies; or says what the page shows next. */
export type TakeSignInForm = (
  http: Http,
  form: RequestParameters,
  clientId: string | undefined,
) => Promise<TakenSignIn>;

const wrongText = 'The username or the password is not right. Check both and try again.';
const staleText = 'This page was open for too long, or came from elsewhere. Please sign in here.';
const unavailableText = 'Signing in does not work at the moment. Wait a little and try again.';

export function createTakeSignInForm({
  signIn,
  browserCookies,
}: {
  signIn: SignIn;
  browserCookies: BrowserCookies;
}): TakeSignInForm {
  return async (http, form, clientId) => {
    const { request, reply } = http;
    const credentials = { username: form.get('username') ?? '', password: form.get('password') ?? '', clientId };
    const result = await signIn(credentials, browserCookies.readSignIn(request), requestContextOf(request));
    switch (result.outcome) {
      case 'unchecked':
        return { fault: describeFailure(http, form, result.error) };
      case 'refused':
        return { fault: buildFault(form, 400, wrongText) };
      case 'signed_in':
        browserCookies.writeSignIn(reply, result.cookies);
        return { signedIn: result.signedIn };
    }
  };
}

/** The form was not sent to this browser by this server, or long ago. */
export function buildStaleFault(form: RequestParameters): SignInFault {
  return buildFault(form, 403, staleText);
}

function buildFault(form: RequestParameters, status: number, message: string): SignInFault {
  return { status, message, username: form.get('username') };
}

/** Logs why the password could not be checked; the user reads when to try again. */
function describeFailure({ request, reply }: Http, form: RequestParameters, error: unknown): SignInFault {
  const failure = toOAuthError(error, request.id);
  logFailure(request, failure.status, failure);
  if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
  const message = failure.status === 429 ? describeWait('tries', failure.retryAfter) : unavailableText;
  return buildFault(form, failure.status, message);
}

/** Tells the user how long to wait. `what`: of which there were too many. */
export function describeWait(what: string, seconds = 60): string {
  const minutes = Math.ceil(seconds / 60);
  return `Too many ${what}. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`;
}
