import { isPasskeyName, type NewMethod } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { buildCodeAppUri, makeCodeAppSecret } from '../sign-in/code-app-secret.ts';
import { describeFailure } from '../sign-in/failure-page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import type { Passkeys } from '../sign-in/passkeys-endpoint.ts';
import type { SecondSteps } from '../sign-in/second-step.ts';
import type { AccountForm, AccountPages, Taken, Visit } from './account-pages-endpoint.ts';
import type { ChangeMethods } from './change-methods.ts';
import type { EndSessions } from './end-sessions.ts';
import type { FindAccount } from './find-account.ts';
import {
  sendCodeAppPage,
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
  findAccount: FindAccount;
  changeMethods: ChangeMethods;
  endSessions: EndSessions;
}

/** `/account/passkeys`, `/account/code-app` and `/account/recovery-codes`: the user makes a method. */
export function registerNewMethods(app: FastifyInstance, deps: Dependencies): void {
  const add = createAdd(deps);
  registerNewPasskey(app, deps, add);
  registerCodeApp(app, deps, add);
  registerRecoveryCodes(app, deps);
}

type Add = ReturnType<typeof createAdd>;

/** Adds a method. The session goes on at the level that it reaches. `wrong`: the text for a proof that is not right. */
function createAdd({ config: { realm }, browserCookies, secondSteps }: Dependencies) {
  return async (visit: Visit, method: NewMethod, wrong: string): Promise<Taken> => {
    const { http, signedIn, browser, context, messages } = visit;
    const result = await secondSteps.setUp(signedIn, method, browser, context);
    switch (result.outcome) {
      case 'unchecked':
        return { fault: describeFailure(http, messages, result.error) };
      case 'wrong':
        return { fault: { status: 400, message: wrong } };
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

function registerNewPasskey(app: FastifyInstance, { config, accountPages, passkeys }: Dependencies, add: Add): void {
  const nameForm = ({ signedIn }: Visit) => `account passkeys ${signedIn.session.sessionId}`;
  const show = async (visit: Visit, fault?: FormFault) => {
    const { http, signedIn, browser, formToken, messages } = visit;
    const { username } = signedIn.user;
    const passkey = await passkeys.askForNew(http, nameForm(visit), signedIn.user);
    const page = { ...config, username, formToken, fault, messages, passkey, name: browser.label ?? '' };
    return sendNewPasskeyPage(http.reply, page);
  };
  const form: AccountForm = {
    path: '/account/passkeys',
    isGuarded: true,
    async take(visit, posted) {
      const { http, browser, messages } = visit;
      const name = posted.get('name') ?? browser.label ?? '';
      if (!isPasskeyName(name)) return { fault: { status: 400, message: messages.methods.passkeyNameFault } };
      const answer = await passkeys.read(http.request, posted.get('credential') ?? '', nameForm(visit));
      const { wrong } = messages.passkey;
      return answer === undefined
        ? { fault: { status: 400, message: wrong } }
        : add(visit, { passkey: { ...answer, name } }, wrong);
    },
  };
  accountPages.register(app, { path: '/account/passkeys', isGuarded: true, show }, [form]);
}

function registerCodeApp(app: FastifyInstance, deps: Dependencies, add: Add): void {
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
  const form: AccountForm = {
    path: '/account/code-app',
    isGuarded: true,
    async take(visit, posted) {
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
      if (methods.codeApp !== null) await endSessions.others(signedIn, context);
      return taken;
    },
  };
  accountPages.register(
    app,
    { path: '/account/code-app', isGuarded: true, show: (visit, fault) => show(visit, fault) },
    [form],
  );
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
