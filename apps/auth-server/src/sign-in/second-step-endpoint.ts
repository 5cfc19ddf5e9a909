import type { Clock } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getForm } from '../http/form.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { cancelled, describeFailure, describeLimit } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { FormFault } from './form-parts.ts';
import type { Passkeys } from './passkeys-endpoint.ts';
import { formatPending, parsePending } from './pending-sign-in.ts';
import { type Continuation, createPlaceForm, type Http, type PlaceDescription } from './place-endpoint.ts';
import type { FirstStep, SecondStepResult, SecondSteps } from './second-step.ts';
import { sendSecondStepPage } from './second-step-page.ts';

interface Dependencies<Asked> {
  config: { realm: string };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  secondSteps: SecondSteps;
  passkeys: Passkeys;
  clock: Clock;
  /** Shows the sign-in page, for a form that is too old. */
  showStale(http: Http, asked: Asked): Promise<FastifyReply>;
}

/** The page of the second step, and `POST /oauth/<name>-second-step`, its form. */
export function createSecondStepForm<Asked>(deps: Dependencies<Asked>, description: PlaceDescription<Asked>) {
  const { browserCookies, findSignedIn, secondSteps, passkeys, clock, showStale } = deps;
  const form = createPlaceForm(deps, description, 'second-step');
  const show = async (http: Http, asked: Asked, first: FirstStep, fault?: FormFault): Promise<FastifyReply> => {
    const page = await form.describe(http, asked, nameFirstStep(first));
    const pending = 'pending' in first ? formatPending(first.pending) : '';
    const userId = 'pending' in first ? first.pending.userId : first.signedIn.user.id;
    const passkey = await passkeys.askForOneOf(http, form.describeSubject(asked, nameFirstStep(first)), userId);
    return sendSecondStepPage(http.reply, { ...page, pending, passkey, fault });
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
        const messages = form.messages(http, asked);
        const result = await take(request, { asked, first, posted });
        switch (result.outcome) {
          case 'unchecked':
            return show(http, asked, first, describeFailure(http, messages, result.error));
          case 'limited':
            return show(http, asked, first, describeLimit(http, messages, messages.secondStep, result.retryAfter));
          case 'wrong':
            return show(http, asked, first, { status: 400, message: messages.secondStep.wrong });
          case 'void':
            return showStale(http, asked);
          case 'signed_in':
            browserCookies.writeSignIn(reply, result.cookies);
            return goOn(http, asked, result.signedIn);
        }
      });
    },
  };
}

/** The form is about this sign-in, or about this session. */
function nameFirstStep(first: FirstStep): string {
  return 'pending' in first ? formatPending(first.pending) : first.signedIn.session.sessionId;
}
