import { requestContextOf } from '@gatehouse/service-kit/http';
import { levels, type NewMethod, OAuthError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { getForm } from '../http/form.ts';
import { reaches } from '../levels/level-demand.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { nameBrowser } from '../sessions/browser-name.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import { buildCodeAppUri, makeCodeAppSecret } from './code-app-secret.ts';
import { describeFailure, describeLimit } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { FormFault } from './form-parts.ts';
import type { Passkeys } from './passkeys-endpoint.ts';
import { type Continuation, createPlaceForm, type Http, type PlaceDescription } from './place-endpoint.ts';
import type { SecondSteps } from './second-step.ts';
import type { SetUpLinks } from './set-up-links.ts';
import { sendRecoveryCodesPage, sendSetUpLinkPage, sendSetUpLinkSentPage, sendSetUpPage } from './set-up-page.ts';

/** Characters of a code, well beyond what one has. */
const longestCode = 255;

interface Dependencies<Asked> {
  config: { realm: string; displayName: string | undefined };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  secondSteps: SecondSteps;
  setUpLinks: SetUpLinks;
  passkeys: Passkeys;
  /** Shows the sign-in page, for a form that is too old. */
  showStale(http: Http, asked: Asked): Promise<FastifyReply>;
}

/** The page on which a user sets a passkey or a code app up, and `POST /oauth/<name>-set-up`, its form. */
export function createSetUpForm<Asked>(deps: Dependencies<Asked>, description: PlaceDescription<Asked>) {
  const { config, browserCookies, findSignedIn, secondSteps, setUpLinks, passkeys, showStale } = deps;
  const form = createPlaceForm(deps, description, 'set-up');
  const issuer = config.displayName ?? config.realm;
  /** The page on which a mailed link is asked for, where one comes first. */
  const showLink = async (
    http: Http,
    asked: Asked,
    { session }: SignedInUser,
    isOffered: boolean,
    fault?: FormFault,
  ) => {
    const page = await form.describe(http, asked, session.sessionId, '');
    return sendSetUpLinkPage(http.reply, { ...page, isOffered, fault });
  };
  const mailLink = async (http: Http, asked: Asked, signedIn: SignedInUser, isOffered: boolean) => {
    const messages = form.messages(http, asked);
    const goOn = { goOn: description.returnTo(asked), language: messages.language };
    const browser = browserCookies.readBrowser(http.request);
    const result = await setUpLinks.request(signedIn, goOn, browser, requestContextOf(http.request));
    switch (result.outcome) {
      case 'done':
        return sendSetUpLinkSentPage(http.reply, await form.describe(http, asked, signedIn.session.sessionId, ''));
      case 'limited':
        return showLink(
          http,
          asked,
          signedIn,
          isOffered,
          describeLimit(http, messages, messages.signIn, result.retryAfter),
        );
      default:
        return showStale(http, asked);
    }
  };
  /** `secret`: that of the form before, which an app may have already. */
  const show = async (
    http: Http,
    asked: Asked,
    { user, session }: SignedInUser,
    isOffered: boolean,
    { secret = makeCodeAppSecret(), fault }: { secret?: string; fault?: FormFault } = {},
  ): Promise<FastifyReply> => {
    const browser = browserCookies.readBrowser(http.request);
    if (await setUpLinks.areNeeded(user, browser, requestContextOf(http.request))) {
      return showLink(http, asked, { user, session }, isOffered, fault);
    }
    const page = await form.describe(http, asked, session.sessionId, secret);
    const uri = buildCodeAppUri({ issuer, username: user.username, secret });
    const subject = form.describeSubject(asked, session.sessionId, secret);
    const passkey = await passkeys.askForNew(http, subject, user);
    return sendSetUpPage(http.reply, { ...page, secret, uri, passkey, isOffered, fault });
  };
  const showCodes = async (http: Http, asked: Asked, { session }: SignedInUser, recoveryCodes: readonly string[]) =>
    sendRecoveryCodesPage(http.reply, { ...(await form.describe(http, asked, session.sessionId, '')), recoveryCodes });

  /** The method that the form sets up; undefined where its passkey answers another page. */
  const readMethod = async (
    { request }: Http,
    asked: Asked,
    { session }: SignedInUser,
    { secret, posted }: { secret: string; posted: RequestParameters },
  ): Promise<NewMethod | undefined> => {
    const credential = posted.get('credential') ?? '';
    if (credential === '') return { codeApp: { secret, code: (posted.get('code') ?? '').slice(0, longestCode) } };
    const answer = await passkeys.read(request, credential, form.describeSubject(asked, session.sessionId, secret));
    return answer && { passkey: { ...answer, name: nameBrowser(request.headers['user-agent']) } };
  };

  const take = async (
    http: Http,
    asked: Asked,
    signedIn: SignedInUser,
    { secret, posted, goOn }: { secret: string; posted: RequestParameters; goOn: Continuation<Asked>['goOn'] },
  ): Promise<FastifyReply> => {
    const { request, reply } = http;
    const messages = form.messages(http, asked);
    const method = await readMethod(http, asked, signedIn, { secret, posted });
    const browser = browserCookies.readBrowser(request);
    const result =
      method === undefined
        ? ({ outcome: 'wrong' } as const)
        : await secondSteps.setUp(signedIn, method, browser, requestContextOf(request));
    const showAgain = (fault: FormFault) =>
      show(http, asked, signedIn, posted.get('offered') === 'yes', { secret, fault });
    switch (result.outcome) {
      case 'unchecked':
        return showAgain(describeFailure(http, messages, result.error));
      case 'wrong':
        return showAgain({
          status: 400,
          message: posted.get('credential') ? messages.passkey.wrong : messages.setUp.wrong,
        });
      case 'void':
        return showStale(http, asked);
      case 'link_needed':
        return showLink(http, asked, signedIn, posted.get('offered') === 'yes');
      case 'signed_in':
        browserCookies.writeSignIn(reply, result.cookies);
        return result.recoveryCodes.length === 0
          ? goOn(http, asked, result.signedIn)
          : showCodes(http, asked, result.signedIn, result.recoveryCodes);
    }
  };

  const decide: typeof take = async (http, asked, signedIn, { secret, posted, goOn }) => {
    const decision = posted.get('decision');
    if (decision === 'link') return mailLink(http, asked, signedIn, posted.get('offered') === 'yes');
    const skipsSetUp = decision === 'skip';
    // The user wants no second step now, or has seen the recovery codes.
    return skipsSetUp || secret === ''
      ? goOn(http, asked, signedIn, { skipsSetUp })
      : take(http, asked, signedIn, { secret, posted, goOn });
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
        if (!isOurs || signedIn === undefined || !maySetUp(signedIn)) return showStale(http, asked);
        return decide(http, asked, signedIn, { secret, posted, goOn });
      });
    },
  };
}

/** A user who has a second step proves it before another one is set up. */
function maySetUp({ user, session }: SignedInUser): boolean {
  return user.secondStep !== true || reaches(session.proofs, { required: levels[1] });
}

function notReached(): OAuthError {
  return new OAuthError('unmet_authentication_requirements', 'the user has not set up a second step');
}
