import { OAuthError } from '@gatehouse/shared';
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
