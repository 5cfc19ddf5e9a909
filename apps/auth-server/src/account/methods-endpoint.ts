import { isPasskeyName, type MfaPolicy, type RemovedMethod, requiresMfa } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { MethodOutcome } from '../organization/organization-directory.ts';
import type { Messages } from '../pages/messages/en.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { AccountForm, AccountPage, AccountPages, Taken, Visit } from './account-pages-endpoint.ts';
import type { ChangeMethods } from './change-methods.ts';
import type { FindAccount } from './find-account.ts';
import { findRemovalRefusal, isLastSecondStep } from './last-way-in.ts';
import { sendMethodsPage } from './methods-page.ts';

interface Dependencies {
  config: { realm: string; requireMfa: MfaPolicy };
  accountPages: AccountPages;
  findAccount: FindAccount;
  changeMethods: ChangeMethods;
  rememberedBrowsers: Pick<RememberedBrowsers, 'listOfUser'>;
}

/** `GET /account/methods` shows the ways in which the user signs in. `POST` to paths below their pages removes or renames one. */
export function registerMethods(app: FastifyInstance, deps: Dependencies): void {
  const { config, accountPages, findAccount, changeMethods, rememberedBrowsers } = deps;
  const show: AccountPage['show'] = async ({ http, signedIn, context, formToken, messages }, fault) => {
    const [account, remembered] = await Promise.all([
      findAccount({ userId: signedIn.user.id }, context),
      rememberedBrowsers.listOfUser(signedIn.user),
    ]);
    return sendMethodsPage(http.reply, { ...config, account, remembered, formToken, fault, messages });
  };
  /** The other sessions do not end for a removal that is refused. */
  const remove = async ({ signedIn, browser, context, messages }: Visit, method: RemovedMethod): Promise<Taken> => {
    const { methods } = await findAccount({ userId: signedIn.user.id }, context);
    const refusal = findRemovalRefusal(methods, method);
    if (refusal === 'unknown') return { fault: { status: 400, message: messages.account.changedMeanwhile } };
    if (refusal === 'last_way_in') return { fault: { status: 400, message: messages.methods.lastWayIn } };
    const needsSecondStep = requiresMfa(config.requireMfa, signedIn.user);
    if (needsSecondStep && isLastSecondStep(methods, method)) {
      return { fault: { status: 400, message: messages.methods.lastSecondStep } };
    }
    const removal = { remove: method, ...(needsSecondStep && { needsSecondStep }) };
    return describeResult(await changeMethods.remove(signedIn, removal, browser, context), messages);
  };
  const removal = (path: string, choose: (form: RequestParameters) => RemovedMethod): AccountForm => ({
    path,
    isGuarded: true,
    take: (visit, form) => remove(visit, choose(form)),
  });
  const rename: AccountForm = {
    path: '/account/passkeys/rename',
    isGuarded: true,
    async take({ signedIn, browser, context, messages }, form) {
      const name = form.get('name') ?? '';
      if (!isPasskeyName(name)) return { fault: { status: 400, message: messages.methods.passkeyNameFault } };
      const what = { rename: { passkey: (form.get('id') ?? '').slice(0, longestId), name } };
      return describeResult(await changeMethods.change(signedIn, what, browser, context), messages);
    },
  };
  accountPages.register(app, { path: '/account/methods', show }, [
    removal('/account/passkeys/remove', (form) => ({ passkey: (form.get('id') ?? '').slice(0, longestId) })),
    removal('/account/code-app/remove', () => ({ codeApp: true })),
    removal('/account/password/remove', () => ({ password: true })),
    rename,
  ]);
}

const longestId = 64;

function describeResult({ outcome, ...result }: MethodOutcome, { account, methods }: Messages): Taken {
  if (outcome === 'done') return { goTo: '/account/methods' };
  const isLast = 'fault' in result && result.fault === 'last_way_in';
  return { fault: { status: 400, message: isLast ? methods.lastWayIn : account.changedMeanwhile } };
}
