import type { FastifyInstance } from 'fastify';
import { getForm } from '../http/form.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { buildStaleFault, type TakeSignInForm } from '../sessions/sign-in-form-page.ts';
import type { AuthorizationErrorHandler } from './failure-page.ts';
import { buildSignInSubject } from './form-subject.ts';
import type { NextPage } from './next-page.ts';
import type { RequestReader } from './request-reader.ts';

interface Dependencies {
  requestReader: RequestReader;
  browserCookies: BrowserCookies;
  takeSignInForm: TakeSignInForm;
  nextPage: NextPage;
  authorizationErrorHandler: AuthorizationErrorHandler;
}

/** `POST /oauth/sign-in`: the form of the sign-in page. Goes on with the authorization request of the page. */
export function registerSignIn(app: FastifyInstance, deps: Dependencies): void {
  const { requestReader, browserCookies, takeSignInForm, nextPage, authorizationErrorHandler: errorHandler } = deps;

  app.post('/oauth/sign-in', { schema: { hide: true }, errorHandler }, async (request, reply) => {
    const http = { request, reply };
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), buildSignInSubject(encoded))) {
      const asked = await requestReader.readFresh(request, encoded);
      return nextPage.showFault(http, asked, buildStaleFault(form));
    }
    const asked = await requestReader.readReturned(request, encoded);
    const { signedIn, fault } = await takeSignInForm(http, form, asked.target.client.clientId);
    if (fault !== undefined) return nextPage.showFault(http, asked, fault);
    return nextPage.goOn(http, asked, { signedIn, consent: 'open', isNamed: true });
  });
}
