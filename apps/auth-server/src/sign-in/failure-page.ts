import { logFailure } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import { toOAuthError } from '../http/error-handlers.ts';
import { describeWait } from '../pages/messages/describe-wait.ts';
import type { Messages } from '../pages/messages/en.ts';
import type { FormFault } from './form-parts.ts';
import type { Http } from './place-endpoint.ts';

/** The application is told (RFC 6749 4.1.2.1). */
export function cancelled(): OAuthError {
  return new OAuthError('access_denied', 'the user cancelled the sign-in');
}

/** Logs why a password or a code could not be checked; the user reads when to try again. */
export function describeFailure({ request, reply }: Http, messages: Messages, error: unknown): FormFault {
  const failure = toOAuthError(error, request.id);
  const { status, retryAfter } = failure;
  logFailure(request, status, failure);
  if (status === 429) return describeLimit({ request, reply }, messages, messages.signIn, retryAfter);
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  return { status, message: messages.signIn.unavailable };
}

/** Says how long to wait. `retryAfter` in seconds. */
export function describeLimit(
  { reply }: Http,
  messages: Messages,
  texts: Pick<Messages['signIn'], 'wait' | 'waitOneMinute'>,
  retryAfter: number | undefined,
): FormFault {
  if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
  return { status: 429, message: describeWait(messages, texts, retryAfter) };
}
