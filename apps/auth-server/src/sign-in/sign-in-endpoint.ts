import type { Clock, Logger } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { type MfaPolicy, wrongCredentialsText } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import type { NetworkBudget } from '../clients/window-budget.ts';
import { getForm } from '../http/form.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { Attempts } from '../upstreams/attempts.ts';
import { cancelled, describeFailure } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { Passkeys } from './passkeys-endpoint.ts';
import {
  type Continuation,
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
import type { SignInByUpstream } from './sign-in-by-upstream.ts';
import { type SignInFault, sendSignInPage } from './sign-in-page.ts';
import { createUpstreamForms, here, type UpstreamForms } from './upstream-forms-endpoint.ts';

interface Dependencies {
  settings: Pick<OrganizationSettings, 'glance'>;
  config: { realm: string; displayName: string | undefined; requireMfa: MfaPolicy };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  signInByPassword: SignInByPassword;
  signInByPasskey: SignInByPasskey;
  passkeys: Passkeys;
  secondSteps: SecondSteps;
  setUpLinks: SetUpLinks;
  rememberedBrowsers: Pick<RememberedBrowsers, 'days' | 'remember'>;
  upstreamAttempts: Attempts;
  upstreamBudget: NetworkBudget;
  signInByUpstream: SignInByUpstream;
  log: Pick<Logger, 'warn'>;
  clock: Clock;
}

/** How the page is shown. `deletedId`: the credential id of a passkey that was deleted. `isHere`: names of upstreams are checked here too. */
interface Shown {
  deletedId?: string | undefined;
  isHere?: boolean;
}

const wrongCredentials = { status: 400, code: 'wrong_credentials' } as const;

export type CreateSignInPlace = ReturnType<typeof createSignInPlaceMaker>;

/** Makes the pages of a place, and the endpoints of their forms. */
export function createSignInPlaceMaker(deps: Dependencies) {
  return <Asked>(description: PlaceDescription<Asked>): SignInPlace<Asked> => {
    const form = createPlaceForm(deps, description, 'sign-in');
    const show = async (
      http: Http,
      asked: Asked,
      fault?: SignInFault,
      { deletedId, isHere = false }: Shown = {},
    ): Promise<FastifyReply> => {
      const page = await form.describe(http, asked);
      const [upstreams, returned, passkey, offer] = await Promise.all([
        upstreamForms.list(),
        upstreamForms.findAsked(http, asked),
        deps.passkeys.askForAny(http, form.describeSubject(asked), deletedId),
        deps.settings.glance(requestContextOf(http.request)),
      ]);
      const build = (to: 'recover' | 'register', isOffered: boolean | undefined) =>
        isOffered === true ? buildUrl(http, to, description.name, page) : undefined;
      const urls = { recoverUrl: build('recover', offer?.mails), registerUrl: build('register', offer?.registration) };
      const askedAccount = returned && { upstream: returned.upstream.displayName, account: returned.account.shown };
      const isMeantHere = isHere || returned !== undefined || description.belong(asked).upstream === here;
      return sendSignInPage(http.reply, {
        ...{ ...page, ...urls, passkey, fault, askedAccount },
        ways: { upstreams, isMeantHere },
      });
    };
    /** For a form that is too old, or was not sent to this browser. */
    const showStale = (http: Http, asked: Asked, username?: string) => {
      form.refuse(http, asked, staleForm);
      const { stale: message } = form.messages(http, asked).signIn;
      return show(http, asked, { status: staleForm.status, message, username });
    };
    const setUp = createSetUpForm({ ...deps, showStale }, description);
    const showSetUp = (http: Http, asked: Asked, signedIn: SignedInUser) => setUp.show(http, asked, signedIn, false);
    const secondStep = createSecondStepForm({ ...deps, showStale, showSetUp }, description);
    const upstreamForms: UpstreamForms<Asked> = createUpstreamForms(
      {
        ...deps,
        // After a failure there, the form is for the sign-in here, whatever the name.
        show: (http, asked, fault) => show(http, asked, fault && { ...fault, username: undefined }, { isHere: true }),
        showSecondStep: (http, asked, pending) => secondStep.show(http, asked, { pending }),
      },
      description,
    );

    const showRefusal = (http: Http, asked: Asked, result: RefusedSignIn, posted: RequestParameters) => {
      const username = posted.get('username');
      const shown = { isHere: posted.get('here') === 'yes' };
      const messages = form.messages(http, asked);
      switch (result.outcome) {
        case 'unchecked':
          return show(http, asked, { ...describeFailure(http, messages, result.error), username }, shown);
        case 'refused':
          form.refuse(http, asked, { ...wrongCredentials, detail: wrongCredentialsText });
          return show(http, asked, { status: 400, message: messages.signIn.wrong, username }, shown);
        case 'passkey_refused': {
          form.refuse(http, asked, { ...wrongCredentials, detail: 'the answer of the passkey is not for this form' });
          const fault = { status: 400, message: messages.passkey.wrong, username: undefined };
          return show(http, asked, fault, { ...shown, deletedId: result.deletedId });
        }
      }
    };

    const takeCredentials = async (
      http: Http,
      asked: Asked,
      posted: RequestParameters,
      goOn: Continuation<Asked>['goOn'],
    ): Promise<FastifyReply> => {
      const returned = await upstreamForms.findAsked(http, asked);
      const result = await signIn(deps, http, {
        posted,
        clientId: description.belong(asked).clientId,
        // An account is linked by a sign-in with all of its steps.
        mayBeRemembered: returned === undefined && (description.mayBeRemembered?.(asked) ?? true),
        subject: form.describeSubject(asked),
      });
      if (result.outcome === 'signed_in') return goOn(http, asked, result.signedIn);
      if (result.outcome === 'unfinished') return secondStep.show(http, asked, { pending: result.pending });
      return showRefusal(http, asked, result, posted);
    };

    /** Takes the form: goes to an upstream, signs in, or shows why not. */
    const take = async (
      http: Http,
      asked: Asked,
      posted: RequestParameters,
      goOn: Continuation<Asked>['goOn'],
    ): Promise<FastifyReply> => {
      const upstream = await upstreamForms.findPosted(http, posted);
      if (upstream !== undefined) return upstreamForms.leave(http, asked, upstream, posted.get('username'));
      if (!posted.has('upstream')) return takeCredentials(http, asked, posted, goOn);
      // The sign-in here, or an upstream that is gone: what stands in the other fields is not meant.
      const isHere = posted.get('upstream') === here || posted.get('here') === 'yes';
      return show(http, asked, undefined, { isHere });
    };

    const register: SignInPlace<Asked>['register'] = (app, continuation) => {
      const goOn = upstreamForms.askBefore(continuation.goOn);
      const { read, canCancel = false, errorHandler } = continuation;
      const options = { schema: { hide: true }, ...(errorHandler && { errorHandler }) };
      app.post(form.path, options, async (request, reply) => {
        const http = { request, reply };
        const posted = getForm(request);
        const carried = posted.get('request') ?? '';
        const isOurs = form.isOurs(request, posted.get('form_token'), carried);
        const asked = await read(request, carried, isOurs);
        if (canCancel && posted.get('decision') === 'cancel') throw cancelled();
        if (!isOurs) return showStale(http, asked, posted.get('username'));
        return take(http, asked, posted, goOn);
      });
      secondStep.register(app, { ...continuation, goOn });
      setUp.register(app, { ...continuation, goOn });
      upstreamForms.register(app, continuation);
    };
    return {
      show: (http, asked, fault) => show(http, asked, fault),
      async begin(http, asked) {
        const upstream = await upstreamForms.findAskedFor(asked);
        return upstream === undefined ? show(http, asked) : upstreamForms.leave(http, asked, upstream);
      },
      showSecondStep: (http, asked, signedIn, fault) => secondStep.show(http, asked, { signedIn }, fault),
      showLevelStep: (http, asked, signedIn, step) =>
        step === 'second_step'
          ? secondStep.show(http, asked, { signedIn })
          : setUp.show(http, asked, signedIn, step === 'set_up_offered'),
      register,
    };
  };
}

type RefusedSignIn = Exclude<Awaited<ReturnType<typeof signIn>>, { outcome: 'signed_in' | 'unfinished' }>;

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
