import { hash } from 'node:crypto';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { LinkUse, LinkUseResult } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getForm, getQuery } from '../http/form.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import { describeLimit } from '../sign-in/failure-page.ts';
import type { FindSignedIn } from '../sign-in/find-by-cookies.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import type { Passkeys } from '../sign-in/passkeys-endpoint.ts';
import type { Http, SignInPlace } from '../sign-in/place-endpoint.ts';
import type { StartSession } from '../sign-in/start-session.ts';
import type { AskedPage } from './account-pages-endpoint.ts';
import { linkPathOf } from './account-path.ts';
import { sendEmailKeptPage, sendEmailLinkPage } from './email-link-page.ts';
import { sendFirstRemovedPage, sendRemoveFirstPage, sendSetUpGoOnPage } from './first-method-page.ts';
import {
  type LinkPage,
  sendGonePage,
  sendInvitationPage,
  sendResetDonePage,
  sendResetPage,
  sendVerifyPage,
} from './link-page.ts';
import { sendNewRecoveryCodesPage } from './new-method-page.ts';
import { describePasswordFault } from './new-password-part.ts';
import { sendFinishRegistrationPage } from './register-page.ts';

/** Characters of a token, beyond what one has. */
const longestToken = 255;
const longestField = 4_096;
/** On a change of the address. */
const decisions = ['confirm', 'refuse'] as const;
type Decision = (typeof decisions)[number];

interface Dependencies {
  config: { realm: string };
  directory: Pick<OrganizationDirectory, 'useLink'>;
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  signInPlace: SignInPlace<AskedPage>;
  passkeys: Passkeys;
  startSession: StartSession;
  knownBrowsers: Pick<KnownBrowsers, 'remember'>;
  clock: Clock;
}

type Open = Extract<LinkUseResult, { outcome: 'open' }>;
type Done = Extract<LinkUseResult, { outcome: 'done' }>;

/** `GET /account/link?token=` shows what a mailed link is for, as often as it is opened. Its form alone uses it up. */
export function registerLink(app: FastifyInstance, deps: Dependencies): void {
  const { config, directory, browserCookies, findSignedIn, signInPlace, passkeys, startSession, knownBrowsers, clock } =
    deps;
  const { realm } = config;
  const ask = async ({ request }: Http, use: Pick<LinkUse, 'token' | 'fields'>): Promise<LinkUseResult> => {
    const signedIn = await findSignedIn(request);
    const { label, binding } = browserCookies.readBrowser(request);
    const asked = {
      ...{ ...use, token: use.token.slice(0, longestToken) },
      browser: label,
      ...(binding !== undefined && { binding }),
      ...(signedIn !== undefined && { userId: signedIn.user.id }),
    };
    return directory.useLink(asked, requestContextOf(request));
  };
  const show = async (http: Http, token: string, open: Open, fault?: FormFault): Promise<FastifyReply> => {
    const { request, reply } = http;
    const { purpose, userId, username, email, needsCode } = open;
    const formToken = browserCookies.issueFormToken(request, reply, nameForm(token));
    const page = { realm, token, formToken, username, email, needsCode, fault };
    const askForPasskey = () => passkeys.askForNew(http, nameForm(token), { id: userId, username });
    switch (purpose) {
      case 'reset':
        return sendResetPage(reply, page);
      case 'set_up':
        return sendSetUpGoOnPage(reply, page);
      case 'first_method':
        return sendRemoveFirstPage(reply, page);
      case 'register':
        return sendFinishRegistrationPage(reply, { ...page, ...readNames(request), passkey: await askForPasskey() });
      case 'invitation':
        return sendInvitationPage(reply, { ...page, passkey: await askForPasskey() });
      default:
        return showToUser(http, open, page);
    }
  };
  /** The page of a link whose user must be signed in, or may be. */
  const showToUser = async (http: Http, open: Open, page: LinkPage): Promise<FastifyReply> => {
    const { request, reply } = http;
    const { userId, username } = open;
    const signedIn = await findSignedIn(request);
    if (open.emailChange !== undefined) {
      return sendEmailLinkPage(reply, { ...page, ...open.emailChange, ...describeCaller(open, signedIn) });
    }
    if (signedIn === undefined) return signInPlace.show(http, { to: linkPathOf(page.token), username });
    const other = { status: 403, message: messagesFor(request).mailed.verifyOther };
    return sendVerifyPage(reply, { ...page, fault: signedIn.user.id === userId ? page.fault : other });
  };
  const look = async (http: Http, token: string, fault?: FormFault): Promise<FastifyReply> => {
    const result = await ask(http, { token });
    if (result.outcome === 'open') return show(http, token, result, fault);
    if (result.outcome === 'limited') void http.reply.header('retry-after', result.retryAfter);
    return sendGonePage(http.reply, realm);
  };

  /** Undefined where a passkey answers another page. */
  const readFields = async ({ request }: Http, form: RequestParameters, decision: Decision | undefined) => {
    const credential = form.get('credential') ?? '';
    if (credential === '') return readTyped(form, decision);
    const answer = await passkeys.read(request, credential, nameForm(form.get('token') ?? ''));
    const passkey = answer && { ...answer, name: browserCookies.readBrowser(request).label ?? '' };
    return passkey && { ...readTyped(form, decision), passkey };
  };
  const goTo = (reply: FastifyReply, path: string) =>
    reply.header('cache-control', 'no-store').redirect(reply.server.pageFrame.base + path, 303);
  /** The browser counts as one that the user used for long. */
  const goOnWithSetUp = ({ request, reply }: Http, { userId, passwordChangedAt, goOn }: Done) => {
    const { knownBrowser } = browserCookies.readBrowser(request);
    const user = { id: userId, passwordChangedAt };
    browserCookies.writeKnownBrowser(reply, knownBrowsers.remember(knownBrowser, user, { isVouched: true }));
    // As a header may hold it, whatever the request of then held.
    const { pathname, search } = new URL(goOn ?? '/account', 'http://localhost');
    return goTo(reply, pathname + search);
  };
  const welcome = async ({ request, reply }: Http, signedIn: NonNullable<Done['signedIn']>, next: string) => {
    const { user, recoveryCodes, userVerified } = signedIn;
    const now = toSeconds(clock());
    const proof = userVerified === undefined ? { passwordAt: now } : { passkeyAt: now, passkeyUv: userVerified };
    const started = await startSession(user, browserCookies.readBrowser(request), proof);
    // The link proved the user at this browser.
    const knownBrowser = knownBrowsers.remember(started.cookies.knownBrowser, user, { isVouched: true });
    browserCookies.writeSignIn(reply, { ...started.cookies, knownBrowser });
    if (recoveryCodes.length === 0) return goTo(reply, next);
    const page = { realm, username: user.username, messages: messagesFor(request), recoveryCodes };
    return sendNewRecoveryCodesPage(reply, page);
  };
  /** Nobody is signed in by a new password. An invited user is. */
  const finish = async (http: Http, done: Done, isRefusal: boolean): Promise<FastifyReply> => {
    const { reply } = http;
    const { purpose, goOn, signedIn } = done;
    // Encoded again: it came from a form, and goes into a header.
    const next = goOn === undefined ? '/account' : `/oauth/authorize?${new URLSearchParams(goOn)}`;
    if (purpose === 'reset') return sendResetDonePage(reply, realm, reply.server.pageFrame.base + next);
    if (purpose === 'first_method') return sendFirstRemovedPage(reply, realm);
    if (purpose === 'set_up') return goOnWithSetUp(http, done);
    if (isRefusal) return sendEmailKeptPage(reply, realm);
    return signedIn === undefined ? goTo(reply, next) : welcome(http, signedIn, next);
  };

  app.get('/account/link', { schema: { hide: true } }, (request, reply) =>
    look({ request, reply }, new URLSearchParams(getQuery(request)).get('token') ?? ''),
  );

  app.post('/account/link', { schema: { hide: true } }, async (request, reply) => {
    const http = { request, reply };
    const form = getForm(request);
    const token = form.get('token') ?? '';
    const messages = messagesFor(request);
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), nameForm(token))) {
      return look(http, token, { status: 403, message: messages.account.stale });
    }
    const decision = decisions.find((name) => name === form.get('decision'));
    if (decision === 'confirm' && (await findSignedIn(request)) === undefined) {
      return signInPlace.show(http, { to: linkPathOf(token) });
    }
    const fields = await readFields(http, form, decision);
    if (fields === undefined) return look(http, token, { status: 400, message: messages.passkey.wrong });
    const result = await ask(http, { token, fields });
    switch (result.outcome) {
      case 'done':
        return finish(http, result, result.emailChange !== undefined && decision === 'refuse');
      case 'gone':
        return sendGonePage(reply, realm);
      case 'busy':
      case 'limited':
        return look(http, token, describeLimit(http, messages, messages.signIn, result.retryAfter));
      default:
        return look(http, token, describeFault(result, messages, fields));
    }
  });
}

/** The texts that were typed, cut beyond what one has. */
function readTyped(form: RequestParameters, decision: Decision | undefined): LinkUse['fields'] {
  const cut = (name: string, length: number) => (form.get(name) ?? '').slice(0, length);
  const given = (['password', 'code', 'username', 'firstName', 'lastName'] as const).filter((name) => form.has(name));
  const typed = Object.fromEntries(
    given.map((name) => [name, cut(name, name === 'password' ? longestField : longestToken)]),
  );
  return decision === undefined ? typed : { ...typed, decision };
}

/** The names as they were typed, for the form again. */
function readNames(request: FastifyRequest) {
  const form = request.method === 'POST' ? getForm(request) : undefined;
  return { firstName: form?.get('firstName') ?? '', lastName: form?.get('lastName') ?? '' };
}

/** Whose page of a change of the address it is. */
function describeCaller({ purpose, userId }: Open, signedIn: SignedInUser | undefined) {
  const side = purpose === 'email_new' ? ('new' as const) : ('old' as const);
  if (signedIn === undefined) return { side, signedIn: 'none' as const };
  return { side, signedIn: signedIn.user.id === userId ? ('own' as const) : ('other' as const) };
}

function describeFault(result: LinkUseResult, messages: Messages, fields: LinkUse['fields'] = {}): FormFault {
  const { mailed, account, passkey, email, register } = messages;
  if (result.outcome === 'wrong') {
    return { status: 400, message: fields.passkey === undefined ? mailed.wrongCode : passkey.wrong };
  }
  if (result.outcome === 'wrong_name') return { status: 400, message: email.wrongUsername };
  if (result.outcome === 'wrong_fields') return { status: 400, message: register.wrongName };
  if (result.outcome === 'other_browser') return { status: 403, message: mailed.otherBrowser };
  if (result.outcome === 'other_user') return { status: 403, message: mailed.verifyOther };
  const message = result.outcome === 'refused' ? describePasswordFault(messages, result) : undefined;
  return { status: 400, message: message ?? account.changedMeanwhile };
}

/** The token of the form names the link without telling it. */
function nameForm(token: string): string {
  return `account link ${hash('sha256', token, 'base64url')}`;
}
