import type { AccountData } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { describeLimit } from '../sign-in/failure-page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import type { AccountForm, AccountPage, AccountPages } from './account-pages-endpoint.ts';
import type { ChangeMethods, PasswordChanged } from './change-methods.ts';
import type { FindAccount } from './find-account.ts';
import { describePasswordFault } from './new-password-part.ts';
import { sendPasswordPage } from './password-page.ts';

interface Dependencies {
  config: { realm: string };
  accountPages: AccountPages;
  browserCookies: BrowserCookies;
  findAccount: FindAccount;
  changeMethods: ChangeMethods;
}

/** `GET` and `POST /account/password`: the user sets a new password. */
export function registerPassword(app: FastifyInstance, deps: Dependencies): void {
  const { config, accountPages, browserCookies, findAccount, changeMethods } = deps;
  const show: AccountPage['show'] = async ({ http, signedIn, context, formToken, messages }, fault) => {
    const account = await findAccount({ userId: signedIn.user.id }, context);
    return sendPasswordPage(http.reply, { ...config, account, formToken, fault, messages });
  };
  const form: AccountForm = {
    path: '/account/password',
    isGuarded: true,
    async take({ http, signedIn, browser, context, messages }, posted) {
      const typed = { old: posted.get('old_password'), new: posted.get('password') ?? '' };
      const result = await changeMethods.password(signedIn, typed, browser, context);
      switch (result.outcome) {
        case 'done':
          browserCookies.writeSignIn(http.reply, result.cookies);
          return { goTo: '/account/methods' };
        case 'limited':
          return { fault: describeLimit(http, messages, messages.signIn, result.retryAfter) };
        default: {
          const account = await findAccount({ userId: signedIn.user.id }, context);
          return { fault: describeFault(result, account, messages) };
        }
      }
    },
  };
  accountPages.register(app, { path: '/account/password', isGuarded: true, show }, [form]);
}

function describeFault(result: PasswordChanged, { passwordMinLength }: AccountData, messages: Messages): FormFault {
  const { methods, account } = messages;
  if (result.outcome === 'wrong') return { status: 400, message: methods.wrongPassword };
  const message =
    'fault' in result ? describePasswordFault(messages, { fault: result.fault, passwordMinLength }) : undefined;
  return { status: 400, message: message ?? account.changedMeanwhile };
}
