import type { FastifyInstance } from 'fastify';
import type { SignInPlace } from '../sign-in/place-endpoint.ts';
import type { NextPage } from './next-page.ts';

interface Dependencies {
  signInPlace: SignInPlace<string>;
  nextPage: NextPage;
}

/** `POST /oauth/device-sign-in`: the form of the sign-in page. Goes on with the user code of the page. */
export function registerDeviceSignIn(app: FastifyInstance, { signInPlace, nextPage }: Dependencies): void {
  // A user who comes back to the address of the form, by the history of the browser, starts with the page of the code.
  for (const path of [
    '/oauth/device-sign-in',
    '/oauth/device-second-step',
    '/oauth/device-set-up',
    '/oauth/device-upstream-link',
  ]) {
    app.get(path, { schema: { hide: true } }, (_request, reply) => reply.redirect('device', 303));
  }
  signInPlace.register(app, {
    read: (_request, typed) => typed,
    goOn: (http, typed, signedIn, done) =>
      nextPage.goOn(http, signedIn, typed === '' ? undefined : typed, { isNew: true, ...done }),
  });
}
