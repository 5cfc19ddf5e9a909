import { logFailure, requestContextOf } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { toOAuthError } from '../http/error-handlers.ts';
import { getForm } from '../http/form.ts';
import { describeWait } from '../pages/messages/describe-wait.ts';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { SignInByPassword } from './sign-in-by-password.ts';
import { type SignInFault, type SignInPage, sendSignInPage } from './sign-in-page.ts';

type Http = { request: FastifyRequest; reply: FastifyReply };

/** The page that the form of a sign-in belongs to. */
interface Belonging {
  /** The hidden field `request` of the form. */
  carried: string;
  /** The client that the user signs in for. */
  clientId?: string | undefined;
  uiLocales?: string | undefined;
}

/** A place of this server where users sign in. `Asked`: what a user signs in for. */
export interface PlaceDescription<Asked> {
  /** The form is posted to `/oauth/<name>-sign-in`; without a name to `/oauth/sign-in`. */
  name?: 'device' | 'consents';
  belong(asked: Asked): Belonging;
  describe(asked: Asked): Promise<Described> | Described;
}

type Described = Pick<SignInPage, 'application' | 'purpose' | 'loginHint' | 'about' | 'mayCancel'>;

interface Continuation<Asked> {
  /** Reads what the form carried. `isOurs`: this server sent the form to this browser. */
  read(request: FastifyRequest, carried: string, isOurs: boolean): Asked | Promise<Asked>;
  /** Sends what comes after the sign-in. */
  goOn(http: Http, asked: Asked, signedIn: SignedInUser): FastifyReply | Promise<FastifyReply>;
  /** Takes `decision=cancel`: the application is told (RFC 6749 4.1.2.1). */
  canCancel?: boolean;
  errorHandler?: RouteShorthandOptions['errorHandler'];
}

interface Dependencies {
  config: { realm: string };
  browserCookies: BrowserCookies;
  signInByPassword: SignInByPassword;
}

export type CreateSignInPlace = ReturnType<typeof createSignInPlaceMaker>;

export interface SignInPlace<Asked> {
  /** Shows the sign-in page. */
  show(http: Http, asked: Asked, fault?: SignInFault): Promise<FastifyReply>;
  /** Registers `POST /oauth/<name>-sign-in`, the form of the page. */
  register(app: FastifyInstance, continuation: Continuation<Asked>): void;
}

/** Makes the sign-in page of a place, and the endpoint of its form. */
export function createSignInPlaceMaker({ config, browserCookies, signInByPassword }: Dependencies) {
  const signIn = async ({ request, reply }: Http, form: RequestParameters, clientId: string | undefined) => {
    const credentials = { username: form.get('username') ?? '', password: form.get('password') ?? '', clientId };
    const cookies = browserCookies.readSignIn(request);
    const result = await signInByPassword(credentials, cookies, requestContextOf(request));
    if (result.outcome === 'signed_in') browserCookies.writeSignIn(reply, result.cookies);
    return result;
  };
  return <Asked>({ name, belong, describe }: PlaceDescription<Asked>): SignInPlace<Asked> => {
    const words = name === undefined ? ['sign-in'] : [name, 'sign-in'];
    const action = words.join('-');
    const buildSubject = (carried: string) => [...words, carried].join(' ');
    const show: SignInPlace<Asked>['show'] = async ({ request, reply }, asked, fault) => {
      const { carried, uiLocales } = belong(asked);
      return sendSignInPage(reply, {
        ...(await describe(asked)),
        realm: config.realm,
        action,
        formToken: browserCookies.issueFormToken(request, reply, buildSubject(carried)),
        request: carried,
        fault,
        messages: messagesFor(request, uiLocales),
      });
    };
    return {
      show,
      register(app, { read, goOn, canCancel = false, errorHandler }) {
        const options = { schema: { hide: true }, ...(errorHandler && { errorHandler }) };
        app.post(`/oauth/${action}`, options, async (request, reply) => {
          const http = { request, reply };
          const form = getForm(request);
          const carried = form.get('request') ?? '';
          const isOurs = browserCookies.isFormTokenValid(request, form.get('form_token'), buildSubject(carried));
          const asked = await read(request, carried, isOurs);
          if (canCancel && form.get('decision') === 'cancel') throw cancelled();
          const { clientId, uiLocales } = belong(asked);
          const messages = messagesFor(request, uiLocales);
          if (!isOurs) return show(http, asked, buildFault(form, 403, messages.signIn.stale));
          const result = await signIn(http, form, clientId);
          switch (result.outcome) {
            case 'unchecked':
              return show(http, asked, describeFailure(http, form, messages, result.error));
            case 'refused':
              return show(http, asked, buildFault(form, 400, messages.signIn.wrong));
            case 'signed_in':
              return goOn(http, asked, result.signedIn);
          }
        });
      },
    };
  };
}

function cancelled(): OAuthError {
  return new OAuthError('access_denied', 'the user cancelled the sign-in');
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
