import type { RequestContext } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { Consents } from '../consent/consents.ts';
import type { RecordFact } from '../events/event.ts';
import { getForm } from '../http/form.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html, sendPage } from '../pages/page.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import { sendNotSignedInPage } from '../sessions/not-signed-in-page.ts';
import type { FindSignedIn } from '../sign-in/find-by-cookies.ts';
import type { SignInPlace } from '../sign-in/place-endpoint.ts';
import { listClaimsBeyond } from '../tokens/userinfo-claims.ts';
import type { AuthorizationRequest, BrowserRequest } from './authorization-request.ts';
import type { AuthorizationErrorHandler } from './failure-page.ts';
import { buildConsentSubject, hashShown } from './form-subject.ts';
import type { NextPage } from './next-page.ts';
import type { RequestReader } from './request-reader.ts';

interface Dependencies {
  requestReader: RequestReader;
  nextPage: NextPage;
  authorizationErrorHandler: AuthorizationErrorHandler;
}

interface SignInDependencies extends Dependencies {
  signInPlace: SignInPlace<BrowserRequest>;
}

interface ConsentDependencies extends Dependencies {
  config: { realm: string };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  consents: Pick<Consents, 'give'>;
  record: RecordFact;
}

/** `POST /oauth/sign-in`: the form of the sign-in page. Goes on with the authorization request of the page. */
export function registerSignIn(app: FastifyInstance, deps: SignInDependencies): void {
  const { signInPlace, requestReader, nextPage, authorizationErrorHandler: errorHandler } = deps;
  signInPlace.register(app, {
    read: (request, encoded, isOurs) => {
      const { address } = requestContextOf(request);
      return isOurs
        ? requestReader.readReturned(request, encoded, address)
        : requestReader.readFresh(request, encoded, address);
    },
    goOn: (http, asked, signedIn, done) =>
      nextPage.goOn(http, asked, { signedIn, consent: 'open', isNamed: true, ...done }),
    canCancel: true,
    errorHandler,
  });
}

/** `POST /oauth/consent`: the user's decision. Goes on with the authorization request of the page. */
export function registerConsent(app: FastifyInstance, deps: ConsentDependencies): void {
  const { config, requestReader, browserCookies, findSignedIn, consents, nextPage, record } = deps;
  const { authorizationErrorHandler: errorHandler } = deps;

  app.post('/oauth/consent', { schema: { hide: true }, errorHandler }, async (request, reply) => {
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    const shown = form.get('shown') ?? '';
    const context = requestContextOf(request);
    const signedIn = await findSignedIn(request);
    const isMeant =
      signedIn !== undefined &&
      browserCookies.isFormTokenValid(request, form.get('form_token'), buildConsentSubject(signedIn, encoded, shown));
    if (!isMeant) return sendNotSignedInPage(reply, config.realm);
    const asked = await requestReader.readReturned(request, encoded, context.address);
    // "Not you?": the page shows the sign-in; what the user before decides is left open.
    if (form.get('decision') === 'other_user') {
      return nextPage.goOn({ request, reply }, asked, { signedIn: undefined, consent: 'open' });
    }
    const decision = describeDecision(asked, signedIn, context);
    if (form.get('decision') !== 'allow') {
      await record({ ...decision, type: 'consent.denied' });
      throw new OAuthError('access_denied', 'the user denied the request');
    }
    // A resource was made again, or its words changed, since the user read them: the page shows what is asked for now.
    if (hashShown(asked) !== shown) return nextPage.goOn({ request, reply }, asked, { signedIn, consent: 'open' });
    await consents.give(asked.target.client, signedIn.user.id, asked);
    await record({ ...decision, type: 'consent.given' });
    return nextPage.goOn({ request, reply }, asked, { signedIn, consent: 'given' });
  });
}

function describeDecision(
  { target, scope, resources = [], claims }: AuthorizationRequest,
  { user }: SignedInUser,
  context: RequestContext,
) {
  return {
    user,
    client: target.client,
    asked: { scope, resources: resources.map(({ resource }) => resource), claims: listClaimsBeyond(scope, claims) },
    context,
  };
}

/**
 * `GET /oauth/sign-in` and the like: who comes back to the address of a form, by a bookmark or out of the
 * history of the browser, gets a page that says how to go on.
 */
export function registerFormAddresses(app: FastifyInstance, { realm }: { realm: string }): void {
  for (const path of [
    '/oauth/sign-in',
    '/oauth/second-step',
    '/oauth/set-up',
    '/oauth/upstream-link',
    '/oauth/consent',
  ]) {
    app.get(path, { schema: { hide: true } }, (request, reply) => {
      const messages = messagesFor(request);
      const { formTitle: title, form: text, formAdvice: advice } = messages.error;
      return sendPage(reply, 200, {
        title,
        realm,
        messages,
        body: html`<h1>${title}</h1>
<p>${text}</p>
<p>${advice}</p>
<p class="way"><a href="${reply.server.pageFrame.base}/">${messages.frame.start}</a></p>`,
      });
    });
  }
}
