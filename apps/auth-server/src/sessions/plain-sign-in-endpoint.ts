import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getForm } from '../http/form.ts';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from './browser-cookies.ts';
import type { SignedInUser } from './browser-sessions.ts';
import { buildStaleFault, type TakeSignInForm } from './sign-in-form-page.ts';
import { type SignInFault, type SignInPage, sendSignInPage } from './sign-in-page.ts';

type Http = { request: FastifyRequest; reply: FastifyReply };

interface Dependencies {
  config: { realm: string };
  browserCookies: BrowserCookies;
  takeSignInForm: TakeSignInForm;
}

/** What a page of this server wants the sign-in for. */
export interface Purpose {
  name: 'device' | 'consents';
  describe(messages: Messages): string;
}

export type CreatePlainSignIn = ReturnType<typeof createPlainSignInMaker>;
export type PlainSignIn = ReturnType<CreatePlainSignIn>;

/** A sign-in that no application asks for: a page of this server does. `carried`: what that page goes on with. */
export function createPlainSignInMaker({ config, browserCookies, takeSignInForm }: Dependencies) {
  return ({ name, describe }: Purpose) => {
    const action: SignInPage['action'] = `${name}-sign-in`;
    const buildSubject = (carried: string) => `${name} sign-in ${carried}`;
    const show = ({ request, reply }: Http, carried: string, fault?: SignInFault): FastifyReply => {
      const messages = messagesFor(request);
      return sendSignInPage(reply, {
        realm: config.realm,
        application: undefined,
        purpose: describe(messages),
        action,
        formToken: browserCookies.issueFormToken(request, reply, buildSubject(carried)),
        request: carried,
        loginHint: undefined,
        fault,
        messages,
      });
    };
    return {
      show,
      /** `POST /oauth/<name>-sign-in`: the form of that page. `goOn` shows what comes after the sign-in. */
      register(
        app: FastifyInstance,
        goOn: (http: Http, signedIn: SignedInUser, carried: string) => FastifyReply | Promise<FastifyReply>,
      ): void {
        app.post(`/oauth/${action}`, { schema: { hide: true } }, async (request, reply) => {
          const http = { request, reply };
          const form = getForm(request);
          const carried = form.get('request') ?? '';
          if (!browserCookies.isFormTokenValid(request, form.get('form_token'), buildSubject(carried))) {
            return show(http, carried, buildStaleFault(request, form));
          }
          const { signedIn, fault } = await takeSignInForm(http, form, { clientId: undefined, uiLocales: undefined });
          return fault === undefined ? goOn(http, signedIn, carried) : show(http, carried, fault);
        });
      },
    };
  };
}
