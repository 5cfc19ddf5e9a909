import type { Clock } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { wrongCredentialsText } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import { getForm } from '../http/form.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import { cancelled, describeFailure } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { FormFault } from './form-parts.ts';
import type { Passkeys } from './passkeys-endpoint.ts';
import {
  createPlaceForm,
  type FormPage,
  type Http,
  type PlaceDescription,
  type SignInPlace,
  staleForm,
} from './place-endpoint.ts';
import type { SecondSteps } from './second-step.ts';
import { createSecondStepForm } from './second-step-endpoint.ts';
import { createSetUpForm } from './set-up-endpoint.ts';
import type { SetUpLinks } from './set-up-links.ts';
import type { SignInByPasskey } from './sign-in-by-passkey.ts';
import type { SignInByPassword } from './sign-in-by-password.ts';
import { type SignInFault, sendSignInPage } from './sign-in-page.ts';

interface Dependencies {
  settings: Pick<OrganizationSettings, 'glance'>;
  config: { realm: string; displayName: string | undefined };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  signInByPassword: SignInByPassword;
  signInByPasskey: SignInByPasskey;
  passkeys: Passkeys;
  secondSteps: SecondSteps;
  setUpLinks: SetUpLinks;
  rememberedBrowsers: Pick<RememberedBrowsers, 'days' | 'remember'>;
  clock: Clock;
}

const wrongCredentials = { status: 400, code: 'wrong_credentials' } as const;

export type CreateSignInPlace = ReturnType<typeof createSignInPlaceMaker>;

/** Makes the pages of a place, and the endpoints of their forms. */
export function createSignInPlaceMaker(deps: Dependencies) {
  return <Asked>(description: PlaceDescription<Asked>): SignInPlace<Asked> => {
    const form = createPlaceForm(deps, description, 'sign-in');
    const show = async (http: Http, asked: Asked, fault?: SignInFault, deletedId?: string): Promise<FastifyReply> => {
      const page = await form.describe(http, asked);
      const [passkey, offer] = await Promise.all([
        deps.passkeys.askForAny(http, form.describeSubject(asked), deletedId),
        deps.settings.glance(requestContextOf(http.request)),
      ]);
      const build = (to: 'recover' | 'register', isOffered: boolean | undefined) =>
        isOffered === true ? buildUrl(http, to, description.name, page) : undefined;
      const urls = { recoverUrl: build('recover', offer?.mails), registerUrl: build('register', offer?.registration) };
      return sendSignInPage(http.reply, { ...page, ...urls, passkey, fault });
    };
    /** For a form that is too old, or was not sent to this browser. */
    const showStale = (http: Http, asked: Asked, username?: string) => {
      form.refuse(http, asked, staleForm);
      const { stale: message } = form.messages(http, asked).signIn;
      return show(http, asked, { status: staleForm.status, message, username });
    };
    const secondStep = createSecondStepForm({ ...deps, showStale }, description);
    const setUp = createSetUpForm({ ...deps, showStale }, description);

    const register: SignInPlace<Asked>['register'] = (app, continuation) => {
      const { read, goOn, canCancel = false, errorHandler } = continuation;
      const options = { schema: { hide: true }, ...(errorHandler && { errorHandler }) };
      app.post(form.path, options, async (request, reply) => {
        const http = { request, reply };
        const posted = getForm(request);
        const carried = posted.get('request') ?? '';
        const isOurs = form.isOurs(request, posted.get('form_token'), carried);
        const asked = await read(request, carried, isOurs);
        if (canCancel && posted.get('decision') === 'cancel') throw cancelled();
        const messages = form.messages(http, asked);
        const fail = (fault: FormFault) => show(http, asked, { ...fault, username: posted.get('username') });
        if (!isOurs) return showStale(http, asked, posted.get('username'));
        const result = await signIn(deps, http, {
          posted,
          clientId: description.belong(asked).clientId,
          mayBeRemembered: description.mayBeRemembered?.(asked) ?? true,
          subject: form.describeSubject(asked),
        });
        switch (result.outcome) {
          case 'unchecked':
            return fail(describeFailure(http, messages, result.error));
          case 'refused':
            form.refuse(http, asked, { ...wrongCredentials, detail: wrongCredentialsText });
            return fail({ status: 400, message: messages.signIn.wrong });
          case 'passkey_refused':
            form.refuse(http, asked, { ...wrongCredentials, detail: 'the answer of the passkey is not for this form' });
            return show(
              http,
              asked,
              { status: 400, message: messages.passkey.wrong, username: undefined },
              result.deletedId,
            );
          case 'unfinished':
            return secondStep.show(http, asked, { pending: result.pending });
          case 'signed_in':
            return goOn(http, asked, result.signedIn);
        }
      });
      secondStep.register(app, continuation);
      setUp.register(app, continuation);
    };
    return {
      show,
      showSecondStep: (http, asked, signedIn, fault) => secondStep.show(http, asked, { signedIn }, fault),
      showLevelStep: (http, asked, signedIn, step) =>
        step === 'second_step'
          ? secondStep.show(http, asked, { signedIn })
          : setUp.show(http, asked, signedIn, step === 'set_up_offered'),
      register,
    };
  };
}

interface PostedSignIn {
  posted: RequestParameters;
  clientId: string | undefined;
  mayBeRemembered: boolean;
  subject: string;
}

async function signIn(
  { browserCookies, signInByPassword, signInByPasskey, passkeys }: Dependencies,
  { request, reply }: Http,
  { posted, clientId, mayBeRemembered, subject }: PostedSignIn,
) {
  const browser = browserCookies.readBrowser(request);
  const context = requestContextOf(request);
  const credential = posted.get('credential') ?? '';
  if (credential === '') {
    const credentials = {
      username: posted.get('username') ?? '',
      password: posted.get('password') ?? '',
      clientId,
      mayBeRemembered,
    };
    const result = await signInByPassword(credentials, browser, context);
    if (result.outcome === 'signed_in') browserCookies.writeSignIn(reply, result.cookies);
    return result;
  }
  const answer = await passkeys.read(request, credential, subject);
  if (answer === undefined) return { outcome: 'passkey_refused', deletedId: undefined } as const;
  const result = await signInByPasskey({ answer, clientId }, browser, context);
  if (result.outcome === 'signed_in') browserCookies.writeSignIn(reply, result.cookies);
  return result.outcome === 'refused' ? ({ ...result, outcome: 'passkey_refused' } as const) : result;
}

/** An application goes on with its request once the password is a new one. */
function buildUrl(
  { reply }: Http,
  to: 'recover' | 'register',
  name: string | undefined,
  { request, messages }: FormPage,
): string {
  const query = new URLSearchParams({ ui_locales: messages.language, ...(name === undefined && { request }) });
  return `${reply.server.pageFrame.base}/account/${to}?${query}`;
}
