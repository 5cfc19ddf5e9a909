import type { FastifyInstance } from 'fastify';
import { getForm } from '../http/form.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { buildStaleFault, type TakeSignInForm } from '../sessions/sign-in-form-page.ts';
import { buildSignInSubject, type NextPage } from './next-page.ts';

interface Dependencies {
  browserCookies: BrowserCookies;
  takeSignInForm: TakeSignInForm;
  nextPage: NextPage;
}

/** `POST /oauth/device-sign-in`: the form of the sign-in page. Goes on with the user code of the page. */
export function registerDeviceSignIn(app: FastifyInstance, deps: Dependencies): void {
  const { browserCookies, takeSignInForm, nextPage } = deps;

  // Who comes back to the address of the form, by the history of the browser, starts with the page of the code.
  app.get('/oauth/device-sign-in', { schema: { hide: true } }, (_request, reply) => reply.redirect('device', 303));

  app.post('/oauth/device-sign-in', { schema: { hide: true } }, async (request, reply) => {
    const http = { request, reply };
    const form = getForm(request);
    const typed = form.get('request');
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), buildSignInSubject(typed ?? ''))) {
      return nextPage.showSignIn(http, typed, buildStaleFault(request, form));
    }
    const { signedIn, fault } = await takeSignInForm(http, form, { clientId: undefined, uiLocales: undefined });
    return fault === undefined ? nextPage.goOn(http, signedIn, typed) : nextPage.showSignIn(http, typed, fault);
  });
}
