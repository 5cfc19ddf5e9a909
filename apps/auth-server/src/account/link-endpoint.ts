import { hash } from 'node:crypto';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { LinkUse, LinkUseResult } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { getForm, getQuery } from '../http/form.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { describeLimit } from '../sign-in/failure-page.ts';
import type { FindSignedIn } from '../sign-in/find-by-cookies.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import type { Passkeys } from '../sign-in/passkeys-endpoint.ts';
import type { Http, SignInPlace } from '../sign-in/place-endpoint.ts';
import type { StartSession } from '../sign-in/start-session.ts';
import type { AskedPage } from './account-pages-endpoint.ts';
import { linkPathOf } from './account-path.ts';
import { sendGonePage, sendInvitationPage, sendResetDonePage, sendResetPage, sendVerifyPage } from './link-page.ts';
import { sendNewRecoveryCodesPage } from './new-method-page.ts';
import { describePasswordFault } from './new-password-part.ts';

/** Characters of a token, beyond what one has. */
const longestToken = 255;
const longestField = 4_096;

interface Dependencies {
  config: { realm: string };
  directory: Pick<OrganizationDirectory, 'useLink'>;
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  signInPlace: SignInPlace<AskedPage>;
  passkeys: Passkeys;
  startSession: StartSession;
  clock: Clock;
}

type Open = Extract<LinkUseResult, { outcome: 'open' }>;

/** `GET /account/link?token=` shows what a mailed link is for, as often as it is opened. Its form alone uses it up. */
export function registerLink(app: FastifyInstance, deps: Dependencies): void {
  const { config, directory, browserCookies, findSignedIn, signInPlace, passkeys, startSession, clock } = deps;
  const { realm } = config;
  const ask = async ({ request }: Http, use: Pick<LinkUse, 'token' | 'fields'>): Promise<LinkUseResult> => {
    const signedIn = await findSignedIn(request);
    const { label } = browserCookies.readBrowser(request);
    const asked = {
      ...{ ...use, token: use.token.slice(0, longestToken) },
      ...(label !== undefined && { browser: label }),
      ...(signedIn !== undefined && { userId: signedIn.user.id }),
    };
    return directory.useLink(asked, requestContextOf(request));
  };
  const show = async (http: Http, token: string, open: Open, fault?: FormFault): Promise<FastifyReply> => {
    const { request, reply } = http;
    const { purpose, userId, username, email, needsCode } = open;
    const formToken = browserCookies.issueFormToken(request, reply, nameForm(token));
    const page = { realm, token, formToken, username, email, needsCode, fault };
    if (purpose === 'reset') return sendResetPage(reply, page);
    if (purpose === 'invitation') {
      const passkey = await passkeys.askForNew(http, nameForm(token), { id: userId, username });
      return sendInvitationPage(reply, { ...page, passkey });
    }
    const signedIn = await findSignedIn(request);
    if (signedIn === undefined) return signInPlace.show(http, { to: linkPathOf(token), username });
    const other = { status: 403, message: messagesFor(request).mailed.verifyOther };
    return sendVerifyPage(reply, { ...page, fault: signedIn.user.id === userId ? fault : other });
  };
  const look = async (http: Http, token: string, fault?: FormFault): Promise<FastifyReply> => {
    const result = await ask(http, { token });
    if (result.outcome === 'open') return show(http, token, result, fault);
    if (result.outcome === 'limited') void http.reply.header('retry-after', result.retryAfter);
    return sendGonePage(http.reply, realm);
  };

  const readPasskey = async ({ request }: Http, credential: string, token: string) => {
    const answer = await passkeys.read(request, credential, nameForm(token));
    return answer && { ...answer, name: browserCookies.readBrowser(request).label ?? '' };
  };
  /** Nobody is signed in by a new password. An invited user is. */
  const finish = async (
    { request, reply }: Http,
    { purpose, goOn, signedIn }: Extract<LinkUseResult, { outcome: 'done' }>,
  ): Promise<FastifyReply> => {
    const { base } = reply.server.pageFrame;
    if (purpose === 'reset') {
      return sendResetDonePage(
        reply,
        realm,
        goOn === undefined ? `${base}/account` : `${base}/oauth/authorize?${goOn}`,
      );
    }
    if (signedIn !== undefined) {
      const { user, recoveryCodes, userVerified } = signedIn;
      const now = toSeconds(clock());
      const proof = userVerified === undefined ? { passwordAt: now } : { passkeyAt: now, passkeyUv: userVerified };
      const started = await startSession(user, browserCookies.readBrowser(request), proof);
      browserCookies.writeSignIn(reply, started.cookies);
      if (recoveryCodes.length > 0) {
        const page = { realm, username: user.username, messages: messagesFor(request), recoveryCodes };
        return sendNewRecoveryCodesPage(reply, page);
      }
    }
    return reply.header('cache-control', 'no-store').redirect(`${base}/account`, 303);
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
    const cut = (name: string, length: number) => (form.get(name) ?? '').slice(0, length);
    const credential = form.get('credential') ?? '';
    const passkey = credential === '' ? undefined : await readPasskey(http, credential, token);
    if (credential !== '' && passkey === undefined) {
      return look(http, token, { status: 400, message: messages.passkey.wrong });
    }
    const typed = { password: cut('password', longestField), code: cut('code', longestToken) };
    const fields = passkey === undefined ? typed : { passkey };
    const result = await ask(http, { token, fields });
    switch (result.outcome) {
      case 'done':
        return finish(http, result);
      case 'gone':
        return sendGonePage(reply, realm);
      case 'busy':
      case 'limited':
        return look(http, token, describeLimit(http, messages, messages.signIn, result.retryAfter));
      default:
        return look(http, token, describeFault(result, messages, passkey !== undefined));
    }
  });
}

function describeFault(result: LinkUseResult, messages: Messages, isPasskey: boolean): FormFault {
  const { mailed, account, passkey } = messages;
  if (result.outcome === 'wrong') return { status: 400, message: isPasskey ? passkey.wrong : mailed.wrongCode };
  if (result.outcome === 'other_user') return { status: 403, message: mailed.verifyOther };
  const message = result.outcome === 'refused' ? describePasswordFault(messages, result) : undefined;
  return { status: 400, message: message ?? account.changedMeanwhile };
}

/** The token of the form names the link without telling it. */
function nameForm(token: string): string {
  return `account link ${hash('sha256', token, 'base64url')}`;
}
