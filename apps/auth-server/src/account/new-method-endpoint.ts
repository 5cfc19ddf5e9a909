import { isPasskeyName, type NewMethod } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { EndSessions } from '../sessions/end-sessions.ts';
import { buildCodeAppUri, makeCodeAppSecret } from '../sign-in/code-app-secret.ts';
import { describeFailure, describeLimit } from '../sign-in/failure-page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import type { Passkeys } from '../sign-in/passkeys-endpoint.ts';
import type { SecondSteps } from '../sign-in/second-step.ts';
import type { SetUpLinks } from '../sign-in/set-up-links.ts';
import { sendSetUpLinkSentPage } from '../sign-in/set-up-page.ts';
import type { AccountForm, AccountPage, AccountPages, Taken, Visit } from './account-pages-endpoint.ts';
import type { ChangeMethods } from './change-methods.ts';
import type { FindAccount } from './find-account.ts';
import {
  sendCodeAppPage,
  sendLinkFirstPage,
  sendNewPasskeyPage,
  sendNewRecoveryCodesPage,
  sendRecoveryCodesOfferPage,
} from './new-method-page.ts';

/** Characters of a code, well beyond what one has. */
const longestCode = 255;

interface Dependencies {
  config: { realm: string; displayName: string | undefined };
  accountPages: AccountPages;
  browserCookies: BrowserCookies;
  passkeys: Passkeys;
  secondSteps: SecondSteps;
  setUpLinks: SetUpLinks;
  findAccount: FindAccount;
  changeMethods: ChangeMethods;
  endSessions: EndSessions;
}

/** `/account/passkeys`, `/account/code-app` and `/account/recovery-codes`: the user makes a method. */
export function registerNewMethods(app: FastifyInstance, deps: Dependencies): void {
  const add = createAdd(deps);
  const askFirst = createAskFirst(deps);
  registerNewPasskey(app, deps, add, askFirst);
  registerCodeApp(app, deps, add, askFirst);
  registerRecoveryCodes(app, deps);
}

type AskFirst = ReturnType<typeof createAskFirst>;

/** Before the first second step comes a mailed link, where the browser and the network are both new. */
function createAskFirst({ config: { realm }, setUpLinks }: Dependencies) {
  return (path: '/account/passkeys' | '/account/code-app', show: AccountPage['show'], take: AccountForm['take']) => ({
    async show(visit: Visit, fault?: FormFault): Promise<FastifyReply> {
      const { http, signedIn, browser, context, formToken, messages } = visit;
      if (!(await setUpLinks.areNeeded(signedIn.user, browser, context))) return show(visit, fault);
      const page = { realm, username: signedIn.user.username, formToken, fault, messages, action: path };
      return sendLinkFirstPage(http.reply, page);
    },
    async take(visit: Visit, posted: RequestParameters): Promise<Taken> {
      if (posted.get('decision') !== 'link') return take(visit, posted);
      const { http, signedIn, browser, context, messages } = visit;
      const goOn = { goOn: path, language: messages.language };
      const result = await setUpLinks.request(signedIn, goOn, browser, context);
      if (result.outcome === 'done') return { sent: sendSetUpLinkSentPage(http.reply, { realm, messages }) };
      if (result.outcome === 'limited') {
        return { fault: describeLimit(http, messages, messages.signIn, result.retryAfter) };
      }
      return { fault: { status: 400, message: messages.account.changedMeanwhile } };
    },
  });
}

type Add = ReturnType<typeof createAdd>;

/** Adds a method. The session goes on at the level that it reaches. `wrong`: the text for a proof that is not right. */
function createAdd({ config: { realm }, browserCookies, secondSteps }: Dependencies) {
  return async (visit: Visit, method: NewMethod, wrong: string): Promise<Taken> => {
    const path = method.codeApp === undefined ? '/account/passkeys' : '/account/code-app';
    const { http, signedIn, browser, context, messages } = visit;
    const result = await secondSteps.setUp(signedIn, method, browser, context);
    switch (result.outcome) {
      case 'unchecked':
        return { fault: describeFailure(http, messages, result.error) };
      case 'wrong':
        return { fault: { status: 400, message: wrong } };
      case 'link_needed':
        return { goTo: path };
      case 'void':
        return { fault: { status: 400, message: messages.account.changedMeanwhile } };
      case 'signed_in': {
        browserCookies.writeSignIn(http.reply, result.cookies);
        const { recoveryCodes } = result;
        if (recoveryCodes.length === 0) return { goTo: '/account/methods' };
        const page = { realm, username: signedIn.user.username, messages, recoveryCodes };
        return { sent: sendNewRecoveryCodesPage(http.reply, page) };
      }
    }
  };
}

function registerNewPasskey(
  app: FastifyInstance,
  { config, accountPages, passkeys }: Dependencies,
  add: Add,
  askFirst: AskFirst,
): void {
  const nameForm = ({ signedIn }: Visit) => `account passkeys ${signedIn.session.sessionId}`;
  const show = async (visit: Visit, fault?: FormFault) => {
    const { http, signedIn, browser, formToken, messages } = visit;
    const { username } = signedIn.user;
    const passkey = await passkeys.askForNew(http, nameForm(visit), signedIn.user);
    const page = { ...config, username, formToken, fault, messages, passkey, name: browser.label ?? '' };
    return sendNewPasskeyPage(http.reply, page);
  };
  const take: AccountForm['take'] = async (visit, posted) => {
    const { http, browser, messages } = visit;
    const name = posted.get('name') ?? browser.label ?? '';
    if (!isPasskeyName(name)) return { fault: { status: 400, message: messages.methods.passkeyNameFault } };
    const answer = await passkeys.read(http.request, posted.get('credential') ?? '', nameForm(visit));
    const { wrong } = messages.passkey;
    return answer === undefined
      ? { fault: { status: 400, message: wrong } }
      : add(visit, { passkey: { ...answer, name } }, wrong);
  };
  const path = '/account/passkeys';
  const asking = askFirst(path, show, take);
  accountPages.register(app, { path, isGuarded: true, show: asking.show }, [
    { path, isGuarded: true, take: asking.take },
  ]);
}

function registerCodeApp(app: FastifyInstance, deps: Dependencies, add: Add, askFirst: AskFirst): void {
  const { config, accountPages, browserCookies, findAccount, endSessions } = deps;
  const issuer = config.displayName ?? config.realm;
  /** The secret of the page alone is taken: none that another chose. */
  const nameSecret = ({ signedIn }: Visit, secret: string) =>
    `account code-app ${signedIn.session.sessionId} ${secret}`;
  const show = async (visit: Visit, fault?: FormFault, secret = makeCodeAppSecret()) => {
    const { http, signedIn, formToken, messages } = visit;
    const secretToken = browserCookies.issueFormToken(http.request, http.reply, nameSecret(visit, secret));
    const { username } = signedIn.user;
    const uri = buildCodeAppUri({ issuer, username, secret });
    return sendCodeAppPage(http.reply, { ...config, username, formToken, fault, messages, secret, secretToken, uri });
  };
  const take: AccountForm['take'] = async (visit, posted) => {
    const { http, signedIn, context, messages } = visit;
    const secret = posted.get('secret') ?? '';
    const { wrong } = messages.setUp;
    const token = posted.get('secret_token');
    if (!browserCookies.isFormTokenValid(http.request, token, nameSecret(visit, secret))) {
      return { fault: { status: 403, message: messages.account.stale } };
    }
    const { methods } = await findAccount({ userId: signedIn.user.id }, context);
    const code = (posted.get('code') ?? '').slice(0, longestCode);
    const taken = await add(visit, { codeApp: { secret, code } }, wrong);
    if ('fault' in taken) return { sent: await show(visit, taken.fault, secret) };
    if (methods.codeApp !== null) await endSessions.afterChange(signedIn, context);
    return taken;
  };
  const path = '/account/code-app';
  const asking = askFirst(path, (visit, fault) => show(visit, fault), take);
  accountPages.register(app, { path, isGuarded: true, show: asking.show }, [
    { path, isGuarded: true, take: asking.take },
  ]);
}

function registerRecoveryCodes(app: FastifyInstance, { config, accountPages, changeMethods }: Dependencies): void {
  const show = async ({ http, signedIn, formToken, messages }: Visit, fault?: FormFault) =>
    sendRecoveryCodesOfferPage(http.reply, {
      ...config,
      username: signedIn.user.username,
      formToken,
      fault,
      messages,
    });
  const form: AccountForm = {
    path: '/account/recovery-codes',
    isGuarded: true,
    async take({ http, signedIn, browser, context, messages }) {
      const result = await changeMethods.change(signedIn, { recoveryCodes: 'new' }, browser, context);
      if (result.outcome === 'done') {
        const { recoveryCodes } = result;
        const page = { ...config, username: signedIn.user.username, messages, recoveryCodes };
        return { sent: sendNewRecoveryCodesPage(http.reply, page) };
      }
      const isFirst = result.outcome === 'refused';
      const message = isFirst ? messages.methods.noSecondStep : messages.account.changedMeanwhile;
      return { fault: { status: 400, message } };
    },
  };
  accountPages.register(app, { path: '/account/recovery-codes', isGuarded: true, show }, [form]);
}
