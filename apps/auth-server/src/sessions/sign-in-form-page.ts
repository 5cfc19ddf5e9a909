import { logFailure, requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toOAuthError } from '../http/error-handlers.ts';
import type { Messages } from '../pages/messages/en.ts';
import { fill } from '../pages/messages/fill.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from './browser-cookies.ts';
import type { SignedInUser } from './browser-sessions.ts';
import type { SignIn } from './sign-in.ts';
import type { SignInFault } from './sign-in-page.ts';

type Http = { request: FastifyRequest; reply: FastifyReply };

/** What came of the form of the sign-in page. */
export type TakenSignIn = { signedIn: SignedInUser; fault?: undefined } | { signedIn?: undefined; fault: SignInFault };

/** Signs in by the form of the sign-in page, and writes the cookies; or says what the page shows next. */
export type TakeSignInForm = (
  http: Http,
  form: RequestParameters,
  about: { clientId: string | undefined; uiLocales: string | undefined },
) => Promise<TakenSignIn>;

export function createTakeSignInForm({
  signIn,
  browserCookies,
}: {
  signIn: SignIn;
  browserCookies: BrowserCookies;
}): TakeSignInForm {
  return async (http, form, { clientId, uiLocales }) => {
    const { request, reply } = http;
    const credentials = { username: form.get('username') ?? '', password: form.get('password') ?? '', clientId };
    const result = await signIn(credentials, browserCookies.readSignIn(request), requestContextOf(request));
    switch (result.outcome) {
      case 'unchecked':
        return { fault: describeFailure(http, form, messagesFor(request, uiLocales), result.error) };
      case 'refused':
        return { fault: buildFault(form, 400, messagesFor(request, uiLocales).signIn.wrong) };
      case 'signed_in':
        browserCookies.writeSignIn(reply, result.cookies);
        return { signedIn: result.signedIn };
    }
  };
}

/** The form was not sent to this browser by this server, or long ago. */
export function buildStaleFault(request: FastifyRequest, form: RequestParameters, uiLocales?: string): SignInFault {
  return buildFault(form, 403, messagesFor(request, uiLocales).signIn.stale);
}

function buildFault(form: RequestParameters, status: number, message: string): SignInFault {
  return { status, message, username: form.get('username') };
}

/** Logs why the password could not be checked; the user reads when to try again. */
function describeFailure(
  { request, reply }: Http,
  form: RequestParameters,
  messages: Messages,
  error: unknown,
): SignInFault {
  const failure = toOAuthError(error, request.id);
  logFailure(request, failure.status, failure);
  if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
  const message =
    failure.status === 429 ? describeWait(messages, messages.signIn, failure.retryAfter) : messages.signIn.unavailable;
  return buildFault(form, failure.status, message);
}

/** Tells the user how long to wait. */
export function describeWait(
  { language }: Messages,
  { waitOneMinute, wait }: { waitOneMinute: string; wait: string },
  seconds = 60,
): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes === 1) return waitOneMinute;
  const style = { style: 'unit', unit: 'minute', unitDisplay: 'long' } as const;
  return fill(wait, { duration: new Intl.NumberFormat(language, style).format(minutes) });
}
