import type { Clock } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getForm } from '../http/form.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { cancelled, describeFailure, describeLimit } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { FormFault } from './form-parts.ts';
import { formatPending, parsePending } from './pending-sign-in.ts';
import { type Continuation, createPlaceForm, type Http, type PlaceDescription } from './place-endpoint.ts';
import type { FirstStep, SecondSteps } from './second-step.ts';
import { sendSecondStepPage } from './second-step-page.ts';

interface Dependencies<Asked> {
  config: { realm: string };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  secondSteps: SecondSteps;
  clock: Clock;
  /** Shows the sign-in page, for a form that is too old. */
  showStale(http: Http, asked: Asked): Promise<FastifyReply>;
}

/** The page of the second step, and `POST /oauth/<name>-second-step`, its form. */
export function createSecondStepForm<Asked>(deps: Dependencies<Asked>, description: PlaceDescription<Asked>) {
  const { browserCookies, findSignedIn, secondSteps, clock, showStale } = deps;
  const form = createPlaceForm(deps, description, 'second-step');
  const show = async (http: Http, asked: Asked, first: FirstStep, fault?: FormFault): Promise<FastifyReply> => {
    const page = await form.describe(http, asked, nameFirstStep(first));
    const pending = 'pending' in first ? formatPending(first.pending) : '';
    return sendSecondStepPage(http.reply, { ...page, pending, fault });
  };
  const findFirstStep = async (request: FastifyRequest, pending: string): Promise<FirstStep | undefined> => {
    if (pending === '') {
      const signedIn = await findSignedIn(request);
      return signedIn && { signedIn };
    }
    const found = parsePending(pending, clock());
    return found && { pending: found };
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
        const typed = { code: posted.get('code') ?? '', clientId: description.belong(asked).clientId };
        const cookies = browserCookies.readSignIn(request);
        const result = await secondSteps.byCode(first, typed, cookies, requestContextOf(request));
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
