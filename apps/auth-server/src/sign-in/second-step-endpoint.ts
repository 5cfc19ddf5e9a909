import type { Clock } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getForm } from '../http/form.ts';
import type { Messages } from '../pages/messages/en.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import { cancelled, describeFailure, describeLimit } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { FormFault } from './form-parts.ts';
import type { Passkeys } from './passkeys-endpoint.ts';
import { formatPending, parsePending } from './pending-sign-in.ts';
import { type Continuation, createPlaceForm, type Http, type PlaceDescription } from './place-endpoint.ts';
import type { CompletedSecondStep, FirstStep, SecondStepResult, SecondSteps } from './second-step.ts';
import { sendSecondStepPage } from './second-step-page.ts';

interface Dependencies<Asked> {
  config: { realm: string };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  secondSteps: SecondSteps;
  passkeys: Passkeys;
  rememberedBrowsers: Pick<RememberedBrowsers, 'days' | 'remember'>;
  clock: Clock;
  /** Shows the sign-in page, for a form that is too old. */
  showStale(http: Http, asked: Asked): Promise<FastifyReply>;
  /** Shows the page that sets a second step up. */
  showSetUp(http: Http, asked: Asked, signedIn: SignedInUser): Promise<FastifyReply>;
}

/** The page of the second step, and `POST /oauth/<name>-second-step`, its form. */
export function createSecondStepForm<Asked>(deps: Dependencies<Asked>, description: PlaceDescription<Asked>) {
  const { browserCookies, findSignedIn, secondSteps, passkeys, rememberedBrowsers, clock, showStale, showSetUp } = deps;
  const form = createPlaceForm(deps, description, 'second-step');
  const show = async (http: Http, asked: Asked, first: FirstStep, fault?: FormFault): Promise<FastifyReply> => {
    const page = await form.describe(http, asked, nameFirstStep(first));
    const pending = 'pending' in first ? formatPending(first.pending) : '';
    const userId = 'pending' in first ? first.pending.userId : first.signedIn.user.id;
    const passkey = await passkeys.askForOneOf(http, form.describeSubject(asked, nameFirstStep(first)), userId);
    return sendSecondStepPage(http.reply, { ...page, pending, passkey, fault, rememberDays: rememberedBrowsers.days });
  };
  const remember = async (
    { request, reply }: Http,
    posted: RequestParameters,
    { signedIn: { user }, byRecoveryCode = false }: CompletedSecondStep,
  ): Promise<void> => {
    // A recovery code says that something was lost.
    const isWanted = posted.get('remember_browser') === 'yes' && !byRecoveryCode;
    if (!isWanted || rememberedBrowsers.days === 0) return;
    const browser = browserCookies.readBrowser(request);
    const { rememberedBrowser } = browser;
    const cookie = await rememberedBrowsers.remember(rememberedBrowser, user, browser, requestContextOf(request));
    browserCookies.writeRememberedBrowser(reply, cookie, rememberedBrowsers.days);
  };
  const findFirstStep = async (request: FastifyRequest, pending: string): Promise<FirstStep | undefined> => {
    if (pending === '') {
      const signedIn = await findSignedIn(request);
      return signedIn && { signedIn };
    }
    const found = parsePending(pending, clock());
    return found && { pending: found };
  };

  const take = async (
    request: FastifyRequest,
    { asked, first, posted }: { asked: Asked; first: FirstStep; posted: RequestParameters },
  ): Promise<SecondStepResult> => {
    const { clientId } = description.belong(asked);
    const browser = browserCookies.readBrowser(request);
    const context = requestContextOf(request);
    const credential = posted.get('credential') ?? '';
    if (credential === '')
      return secondSteps.byCode(first, { code: posted.get('code') ?? '', clientId }, browser, context);
    const answer = await passkeys.read(request, credential, form.describeSubject(asked, nameFirstStep(first)));
    return answer === undefined
      ? { outcome: 'wrong' }
      : secondSteps.byPasskey(first, { answer, clientId }, browser, context);
  };

  /** The user who is signed in by it; or the page that was sent, where the step is not done. */
  const answer = async (
    http: Http,
    step: { asked: Asked; first: FirstStep; posted: RequestParameters },
  ): Promise<CompletedSecondStep | { sent: FastifyReply }> => {
    const { asked, first, posted } = step;
    const result = await take(http.request, step);
    if (result.outcome === 'void') return { sent: await showStale(http, asked) };
    if (result.outcome !== 'signed_in') {
      if (result.outcome !== 'unchecked') form.refuse(http, asked, refusals[result.outcome]);
      return { sent: await show(http, asked, first, describeFault(http, form.messages(http, asked), result)) };
    }
    browserCookies.writeSignIn(http.reply, result.cookies);
    await remember(http, posted, result);
    return result;
  };

  const leave = (
    http: Http,
    asked: Asked,
    { signedIn, setUpDue = false }: CompletedSecondStep,
    goOn: Continuation<Asked>['goOn'],
  ) => (setUpDue ? showSetUp(http, asked, signedIn) : goOn(http, asked, signedIn));

  return {
    show,
    register(app: FastifyInstance, { read, goOn, canCancel = false, errorHandler }: Continuation<Asked>): void {
      const options = { schema: { hide: true }, ...(errorHandler && { errorHandler }) };
      app.post(form.path, options, async (request, reply) => {
        const http = { request, reply };
        const posted = getForm(request);
        const carried = posted.get('request') ?? '';
        const first = await findFirstStep(request, posted.get('pending') ?? '');
        const isOurs =
          first !== undefined && form.isOurs(request, posted.get('form_token'), carried, nameFirstStep(first));
        const asked = await read(request, carried, isOurs);
        if (canCancel && posted.get('decision') === 'cancel') throw cancelled();
        if (!isOurs) return showStale(http, asked);
        const completed = await answer(http, { asked, first, posted });
        return 'sent' in completed ? completed.sent : leave(http, asked, completed, goOn);
      });
    },
  };
}

const refusals = {
  wrong: { status: 400, code: 'wrong_credentials', detail: 'the code or the passkey of the second step is not right' },
  limited: { status: 429, code: 'too_many_requests', detail: 'too many wrong codes of this user' },
} as const;

function describeFault(
  http: Http,
  messages: Messages,
  result: Exclude<SecondStepResult, { outcome: 'void' | 'signed_in' }>,
): FormFault {
  switch (result.outcome) {
    case 'unchecked':
      return describeFailure(http, messages, result.error);
    case 'limited':
      return describeLimit(http, messages, messages.secondStep, result.retryAfter);
    case 'wrong':
      return { status: 400, message: messages.secondStep.wrong };
  }
}

/** The form is about this sign-in, or about this session. */
function nameFirstStep(first: FirstStep): string {
  return 'pending' in first ? formatPending(first.pending) : first.signedIn.session.sessionId;
}
