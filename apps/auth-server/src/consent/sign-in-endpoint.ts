import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { html } from '../pages/page.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { sendNotSignedInPage } from '../sessions/not-signed-in-page.ts';
import { type FindLevelStep, noDemand } from '../sign-in/level-steps.ts';
import type { CreateSignInPlace } from '../sign-in/sign-in-endpoint.ts';

interface Dependencies {
  createSignInPlace: CreateSignInPlace;
  findLevelStep: FindLevelStep;
  browserCookies: BrowserCookies;
}

/** `GET` and `POST /oauth/consents-sign-in`: signs in, in the language of the page, and shows the consents. */
export function registerConsentsSignIn(
  app: FastifyInstance,
  { createSignInPlace, findLevelStep, browserCookies }: Dependencies,
): void {
  const signIn = createSignInPlace({
    name: 'consents',
    belong: (carried: string) => ({ carried }),
    returnTo: () => '/oauth/consents',
    describe: () => ({ purpose: (messages) => messages.signIn.consents }),
  });
  for (const path of [
    '/oauth/consents-sign-in',
    '/oauth/consents-second-step',
    '/oauth/consents-set-up',
    '/oauth/consents-upstream-link',
  ]) {
    app.get(path, { schema: { hide: true } }, (request, reply) =>
      signIn.show({ request, reply }, `ui_locales=${messagesFor(request).language}`),
    );
  }
  signIn.register(app, {
    read: (_request, carried) => carried,
    async goOn(http, carried, signedIn) {
      const { request, reply } = http;
      const browser = browserCookies.readBrowser(request);
      const due = await findLevelStep(signedIn, noDemand, browser, requestContextOf(request));
      if (due !== undefined && due.step !== 'unreachable') {
        return signIn.showLevelStep(http, carried, signedIn, due.step);
      }
      return reply
        .header('cache-control', 'no-store')
        .redirect(`consents?ui_locales=${messagesFor(request).language}`, 303);
    },
  });
}

/** Says that nobody is signed in at this browser, and offers the sign-in. */
export function sendSignInOffer(reply: FastifyReply, realm: string): FastifyReply {
  return sendNotSignedInPage(
    reply,
    realm,
    ({ signIn, language }) => html`<form method="get" action="consents-sign-in">
<input type="hidden" name="ui_locales" value="${language}">
<button type="submit">${signIn.submit}</button>
</form>`,
  );
}
