import { type AccountData, isPasskeyName, type MfaPolicy, type RemovedMethod, requiresMfa } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { MethodOutcome } from '../organization/organization-directory.ts';
import type { Messages } from '../pages/messages/en.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { UpstreamStore } from '../upstreams/upstream-store.ts';
import type { AccountForm, AccountPage, AccountPages, Taken, Visit } from './account-pages-endpoint.ts';
import type { ChangeMethods } from './change-methods.ts';
import type { FindAccount } from './find-account.ts';
import { findRemovalRefusal, isLastSecondStep, listWaysIn, type WaysIn } from './last-way-in.ts';
import { sendMethodsPage } from './methods-page.ts';
import { describeOwnIdentities } from './own-identities.ts';

interface Dependencies {
  config: { realm: string; requireMfa: MfaPolicy };
  accountPages: AccountPages;
  findAccount: FindAccount;
  changeMethods: ChangeMethods;
  rememberedBrowsers: Pick<RememberedBrowsers, 'listOfUser'>;
  upstreams: Pick<UpstreamStore, 'listRecent'>;
}

/** `GET /account/methods` shows the ways in which the user signs in. `POST` to paths below their pages removes or renames one. */
export function registerMethods(app: FastifyInstance, deps: Dependencies): void {
  const { config, accountPages, findAccount, changeMethods, rememberedBrowsers, upstreams } = deps;
  const findWaysIn = async ({ signedIn, context }: Visit): Promise<{ account: AccountData; ways: WaysIn }> => {
    const [account, all] = await Promise.all([
      findAccount({ userId: signedIn.user.id }, context),
      upstreams.listRecent(),
    ]);
    return { account, ways: listWaysIn(account, describeOwnIdentities(account.identities, all)) };
  };
  const show: AccountPage['show'] = async (visit, fault) => {
    const { http, signedIn, formToken, messages } = visit;
    const [found, remembered] = await Promise.all([findWaysIn(visit), rememberedBrowsers.listOfUser(signedIn.user)]);
    return sendMethodsPage(http.reply, { ...config, ...found, remembered, formToken, fault, messages });
  };
  /** The other sessions do not end for a removal that is refused. */
  const remove = async (visit: Visit, method: RemovedMethod): Promise<Taken> => {
    const { signedIn, browser, context, messages } = visit;
    const { ways } = await findWaysIn(visit);
    const refusal = findRemovalRefusal(ways, method);
    if (refusal === 'unknown') return { fault: { status: 400, message: messages.account.changedMeanwhile } };
    if (refusal === 'last_way_in') return { fault: { status: 400, message: messages.methods.lastWayIn } };
    const needsSecondStep = requiresMfa(config.requireMfa, signedIn.user);
    if (needsSecondStep && isLastSecondStep(ways.methods, method)) {
      return { fault: { status: 400, message: messages.methods.lastSecondStep } };
    }
    const enabledIssuers = ways.identities.filter(({ isEnabled }) => isEnabled).map(({ issuer }) => issuer);
    const removal = {
      ...{ remove: method, ...(needsSecondStep && { needsSecondStep }) },
      // An org-api of the release before knows no identities, and refuses what it does not know.
      ...(enabledIssuers.length > 0 && { enabledIssuers }),
    };
    // Of an identity only the sessions that began by it end: the user as it is afterwards does not have it any more.
    const act = 'identity' in method ? changeMethods.change : changeMethods.remove;
    return describeResult(await act(signedIn, removal, browser, context), messages);
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
      const what = { rename: { passkey: readId(form), name } };
      return describeResult(await changeMethods.change(signedIn, what, browser, context), messages);
    },
  };
  accountPages.register(app, { path: '/account/methods', show }, [
    removal('/account/passkeys/remove', (form) => ({ passkey: readId(form) })),
    removal('/account/identities/remove', (form) => ({ identity: readId(form) })),
    removal('/account/code-app/remove', () => ({ codeApp: true })),
    removal('/account/password/remove', () => ({ password: true })),
    rename,
  ]);
}

const longestId = 64;

function readId(form: RequestParameters): string {
  return (form.get('id') ?? '').slice(0, longestId);
}

function describeResult({ outcome, ...result }: MethodOutcome, { account, methods }: Messages): Taken {
  if (outcome === 'done') return { goTo: '/account/methods' };
  const isLast = 'fault' in result && result.fault === 'last_way_in';
  return { fault: { status: 400, message: isLast ? methods.lastWayIn : account.changedMeanwhile } };
}
