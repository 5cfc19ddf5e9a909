import { requestContextOf } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { getForm } from '../http/form.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import { buildCodeAppUri, makeCodeAppSecret } from './code-app-secret.ts';
import { describeFailure } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { FormFault } from './form-parts.ts';
import { type Continuation, createPlaceForm, type Http, type PlaceDescription } from './place-endpoint.ts';
import type { SecondSteps } from './second-step.ts';
import { sendRecoveryCodesPage, sendSetUpPage } from './set-up-page.ts';

interface Dependencies<Asked> {
  config: { realm: string; displayName: string | undefined };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  secondSteps: SecondSteps;
  /** Shows the sign-in page, for a form that is too old. */
  showStale(http: Http, asked: Asked): Promise<FastifyReply>;
}

/** The page on which a user sets a code app up, and `POST /oauth/<name>-set-up`, its form. */
export function createSetUpForm<Asked>(deps: Dependencies<Asked>, description: PlaceDescription<Asked>) {
  const { config, browserCookies, findSignedIn, secondSteps, showStale } = deps;
  const form = createPlaceForm(deps, description, 'set-up');
  const issuer = config.displayName ?? config.realm;
  /** `secret`: that of the form before, which an app may have already. */
  const show = async (
    http: Http,
    asked: Asked,
    { user, session }: SignedInUser,
    isOffered: boolean,
    { secret = makeCodeAppSecret(), fault }: { secret?: string; fault?: FormFault } = {},
  ): Promise<FastifyReply> => {
    const page = await form.describe(http, asked, session.sessionId, secret);
    const uri = buildCodeAppUri({ issuer, username: user.username, secret });
    return sendSetUpPage(http.reply, { ...page, secret, uri, isOffered, fault });
  };
  const showCodes = async (http: Http, asked: Asked, { session }: SignedInUser, recoveryCodes: readonly string[]) =>
    sendRecoveryCodesPage(http.reply, { ...(await form.describe(http, asked, session.sessionId, '')), recoveryCodes });

  const take = async (
    http: Http,
    asked: Asked,
    signedIn: SignedInUser,
    { secret, posted }: { secret: string; posted: RequestParameters },
  ): Promise<FastifyReply> => {
    const { request, reply } = http;
    const messages = form.messages(http, asked);
    const codeApp = { secret, code: posted.get('code') ?? '' };
    const result = await secondSteps.setUp(
      signedIn,
      codeApp,
      browserCookies.readSignIn(request),
      requestContextOf(request),
    );
    const showAgain = (fault: FormFault) =>
      show(http, asked, signedIn, posted.get('offered') === 'yes', { secret, fault });
    switch (result.outcome) {
      case 'unchecked':
        return showAgain(describeFailure(http, messages, result.error));
      case 'wrong':
        return showAgain({ status: 400, message: messages.setUp.wrong });
      case 'void':
        return showStale(http, asked);
      case 'signed_in':
        browserCookies.writeSignIn(reply, result.cookies);
        return showCodes(http, asked, result.signedIn, result.recoveryCodes);
    }
  };

  return {
    show: (http: Http, asked: Asked, signedIn: SignedInUser, isOffered: boolean) =>
      show(http, asked, signedIn, isOffered),
    register(app: FastifyInstance, { read, goOn, canCancel = false, errorHandler }: Continuation<Asked>): void {
      const options = { schema: { hide: true }, ...(errorHandler && { errorHandler }) };
      app.post(form.path, options, async (request, reply) => {
        const http = { request, reply };
        const posted = getForm(request);
        const carried = posted.get('request') ?? '';
        const secret = posted.get('secret') ?? '';
        const signedIn = await findSignedIn(request);
        const about = [signedIn?.session.sessionId ?? '', secret];
        const isOurs = form.isOurs(request, posted.get('form_token'), carried, ...about);
        const asked = await read(request, carried, isOurs);
        if (canCancel && posted.get('decision') === 'cancel') throw notReached();
        if (!isOurs || signedIn === undefined) return showStale(http, asked);
        const skipsSetUp = posted.get('decision') === 'skip';
        // The user wants no second step now, or has seen the recovery codes.
        return skipsSetUp || secret === ''
          ? goOn(http, asked, signedIn, { skipsSetUp })
          : take(http, asked, signedIn, { secret, posted });
      });
    },
  };
}

function notReached(): OAuthError {
  return new OAuthError('unmet_authentication_requirements', 'the user has not set up a second step');
}
