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
import type { FindSignedInUser, SignedInUser } from '../sessions/browser-sessions.ts';
import { sendNotSignedInPage } from '../sessions/not-signed-in-page.ts';
import { buildStaleFault, type TakeSignInForm } from '../sessions/sign-in-form-page.ts';
import { listClaimsBeyond } from '../tokens/userinfo-claims.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationErrorHandler } from './failure-page.ts';
import { buildConsentSubject, buildSignInSubject, hashShown } from './form-subject.ts';
import type { NextPage } from './next-page.ts';
import type { RequestReader } from './request-reader.ts';

interface Dependencies {
  requestReader: RequestReader;
  browserCookies: BrowserCookies;
  nextPage: NextPage;
  authorizationErrorHandler: AuthorizationErrorHandler;
}

interface SignInDependencies extends Dependencies {
  takeSignInForm: TakeSignInForm;
}

interface ConsentDependencies extends Dependencies {
  config: { realm: string };
  findSignedInUser: FindSignedInUser;
  consents: Pick<Consents, 'give'>;
  record: RecordFact;
}

/** `POST /oauth/sign-in`: the form of the sign-in page. Goes on with the authorization request of the page. */
export function registerSignIn(app: FastifyInstance, deps: SignInDependencies): void {
  const { requestReader, browserCookies, takeSignInForm, nextPage, authorizationErrorHandler: errorHandler } = deps;

  app.post('/oauth/sign-in', { schema: { hide: true }, errorHandler }, async (request, reply) => {
    const http = { request, reply };
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    const isCancelled = form.get('decision') === 'cancel';
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), buildSignInSubject(encoded))) {
      const asked = await requestReader.readFresh(request, encoded);
      if (isCancelled) throw cancelled();
      return nextPage.showFault(http, asked, buildStaleFault(request, form, asked.target.uiLocales));
    }
    const asked = await requestReader.readReturned(request, encoded);
    if (isCancelled) throw cancelled();
    const { client, uiLocales } = asked.target;
    const { signedIn, fault } = await takeSignInForm(http, form, { clientId: client.clientId, uiLocales });
    if (fault !== undefined) return nextPage.showFault(http, asked, fault);
    return nextPage.goOn(http, asked, { signedIn, consent: 'open', isNamed: true });
  });
}

/** RFC 6749 4.1.2.1: the user does not want to sign in, and the application is told so. */
function cancelled(): OAuthError {
  return new OAuthError('access_denied', 'the user cancelled the sign-in');
}

/** `POST /oauth/consent`: the user's decision. Goes on with the authorization request of the page. */
export function registerConsent(app: FastifyInstance, deps: ConsentDependencies): void {
  const { config, requestReader, browserCookies, findSignedInUser, consents, nextPage, record } = deps;
  const { authorizationErrorHandler: errorHandler } = deps;

  app.post('/oauth/consent', { schema: { hide: true }, errorHandler }, async (request, reply) => {
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    const shown = form.get('shown') ?? '';
    const context = requestContextOf(request);
    const signedIn = await findSignedInUser(browserCookies.findSessionToken(request), context);
    const isMeant =
      signedIn !== undefined &&
      browserCookies.isFormTokenValid(request, form.get('form_token'), buildConsentSubject(signedIn, encoded, shown));
    if (!isMeant) return sendNotSignedInPage(reply, config.realm);
    const asked = await requestReader.readReturned(request, encoded);
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
 * `GET /oauth/sign-in` and `GET /oauth/consent`: who comes back to the address of a form, by a bookmark or out of the
 * history of the browser, gets a page that says how to go on.
 */
export function registerFormAddresses(app: FastifyInstance, { realm }: { realm: string }): void {
  for (const path of ['/oauth/sign-in', '/oauth/consent']) {
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
