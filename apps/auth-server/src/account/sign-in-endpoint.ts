import type { FastifyInstance } from 'fastify';
import type { SignInPlace } from '../sign-in/place-endpoint.ts';
import type { CreateSignInPlace } from '../sign-in/sign-in-endpoint.ts';
import type { AskedPage } from './account-pages-endpoint.ts';
import { needsFreshSignIn, readAccountPath } from './account-path.ts';

/** The place where users sign in to see their account. */
export function createAccountSignIn(createSignInPlace: CreateSignInPlace): SignInPlace<AskedPage> {
  return createSignInPlace<AskedPage>({
    name: 'account',
    belong: ({ to }) => ({ carried: to }),
    returnTo: ({ to }) => to,
    demandOf: ({ to }) => ({ isNew: needsFreshSignIn(to) }),
    describe: ({ username }) => ({ purpose: (messages) => messages.signIn.account, loginHint: username }),
  });
}

/** `POST /account/sign-in` and the like: lead to the page that the user wanted. */
export function registerAccountSignIn(app: FastifyInstance, signInPlace: SignInPlace<AskedPage>): void {
  for (const path of ['/account/sign-in', '/account/second-step', '/account/set-up', '/account/upstream-link']) {
    app.get(path, { schema: { hide: true } }, (_request, reply) =>
      reply.header('cache-control', 'no-store').redirect(`${reply.server.pageFrame.base}/account`, 303),
    );
  }
  signInPlace.register(app, {
    read: (_request, carried) => ({ to: readAccountPath(carried) }),
    goOn: ({ reply }, { to }) =>
      reply.header('cache-control', 'no-store').redirect(reply.server.pageFrame.base + to, 303),
  });
}
