import type { Clock, RequestContext } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { DirectorySettings } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getForm } from '../http/form.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { OrganizationUnavailableError } from '../protocol/organization-unavailable.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies, CallingBrowser } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { FindSignedIn } from '../sign-in/find-by-cookies.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import { type FindLevelStep, noDemand } from '../sign-in/level-steps.ts';
import type { Http, SignInPlace } from '../sign-in/place-endpoint.ts';
import type { AccountPath, LinkPath } from './account-path.ts';
import { DeletedUserError } from './deleted-user.ts';
import { findFreshStep } from './fresh-sign-in.ts';

/** A user who is signed in, at a page of the account. */
export interface Visit {
  http: Http;
  signedIn: SignedInUser;
  browser: CallingBrowser;
  context: RequestContext;
  messages: Messages;
  /** For each form of the page. */
  formToken: string;
}

/** A page of the account. */
export interface AccountPage {
  path: AccountPath;
  /** Whether the user must have signed in within the last ten minutes, with a second step where there is one. */
  isGuarded?: boolean;
  /** Whether the page is there at all; 404 where it is not. */
  isOffered?(settings: DirectorySettings): boolean;
  /** `fault`: of the form that was posted before. */
  show(visit: Visit, fault?: FormFault): Promise<FastifyReply>;
}

/** The result of a form: a page to go on to by GET, a fault to show on the page of the form, or an answer that is sent already. */
export type Taken = { goTo: AccountPath } | { fault: FormFault } | { sent: FastifyReply };

/** A form of a page. */
export interface AccountForm {
  /** Where it is posted to: the page, or a path below it. */
  path: string;
  isGuarded?: boolean;
  take(visit: Visit, form: RequestParameters): Promise<Taken>;
}

/** The page that a sign-in leads to. */
export interface AskedPage {
  to: AccountPath | LinkPath;
  /** The name that the form suggests. */
  username?: string | undefined;
}

interface Dependencies {
  settings: Pick<OrganizationSettings, 'find'>;
  findSignedIn: FindSignedIn;
  browserCookies: BrowserCookies;
  signInPlace: SignInPlace<AskedPage>;
  findLevelStep: FindLevelStep;
  clock: Clock;
}

export type AccountPages = ReturnType<typeof createAccountPages>;

/** Registers the pages of the account: each asks for a sign-in where none is there, or none is recent enough, and leads back. */
export function createAccountPages(deps: Dependencies) {
  const { settings, findSignedIn, browserCookies, signInPlace, findLevelStep, clock } = deps;
  const hidden = { schema: { hide: true } };

  const find = async (http: Http): Promise<Visit | undefined> => {
    const { request, reply } = http;
    const context = requestContextOf(request);
    const { accounts } = await settings.find(context);
    if (accounts !== true) throw new OrganizationUnavailableError('the organization serves no account pages');
    const signedIn = await findSignedIn(request);
    if (signedIn === undefined) return undefined;
    const formToken = browserCookies.issueFormToken(request, reply, nameForms(signedIn));
    return {
      http,
      signedIn,
      browser: browserCookies.readBrowser(request),
      context,
      messages: messagesFor(request),
      formToken,
    };
  };
  /** Asks for the step that is due. `message`: why a form was not taken. */
  const ask = (http: Http, to: AccountPath, signedIn: SignedInUser | undefined, message?: string) => {
    const step = signedIn && findFreshStep(signedIn, clock());
    const username = signedIn?.user.username;
    const asked = { to, username };
    const fault = message === undefined ? undefined : { status: 403, message, username };
    if (step === 'second_step') return signInPlace.showSecondStep(http, asked, signedIn as SignedInUser, fault);
    return signInPlace.show(http, asked, fault);
  };
  const isDue = (isGuarded: boolean, { signedIn }: Visit) =>
    isGuarded && findFreshStep(signedIn, clock()) !== undefined;
  /** Shows the step that `REQUIRE_MFA` asks for; undefined where none is due. In an object: a promise of a reply gives undefined. */
  const showPolicyStep = async (
    http: Http,
    to: AccountPath,
    { signedIn, browser, context }: Visit,
  ): Promise<{ sent: Promise<FastifyReply> } | undefined> => {
    const due = await findLevelStep(signedIn, noDemand, browser, context);
    if (due === undefined || due.step === 'unreachable') return undefined;
    return { sent: signInPlace.showLevelStep(http, { to, username: signedIn.user.username }, signedIn, due.step) };
  };

  /** Sends 404 where the page is not offered. */
  const sendMissing = async (
    { isOffered }: AccountPage,
    { request, reply }: Http,
  ): Promise<{ sent: FastifyReply } | undefined> => {
    if (isOffered === undefined || isOffered(await settings.find(requestContextOf(request)))) return undefined;
    reply.header('cache-control', 'no-store').callNotFound();
    // A reply is thenable: by itself it would be awaited.
    return { sent: reply };
  };

  const open = async (page: AccountPage, http: Http) => {
    const missing = await sendMissing(page, http);
    if (missing !== undefined) return missing.sent;
    const visit = await find(http);
    if (visit === undefined) return ask(http, page.path, undefined);
    const policyStep = await showPolicyStep(http, page.path, visit);
    if (policyStep !== undefined) return policyStep.sent;
    return isDue(page.isGuarded === true, visit) ? ask(http, page.path, visit.signedIn) : page.show(visit);
  };
  const answer = async (page: AccountPage, { isGuarded = false, take }: AccountForm, http: Http) => {
    const { request, reply } = http;
    const missing = await sendMissing(page, http);
    if (missing !== undefined) return missing.sent;
    const visit = await find(http);
    const { signIn, account } = messagesFor(request);
    if (visit === undefined) return ask(http, page.path, undefined, signIn.stale);
    const policyStep = await showPolicyStep(http, page.path, visit);
    if (policyStep !== undefined) return policyStep.sent;
    const form = getForm(request);
    if (!browserCookies.isFormTokenValid(request, form.get('form_token'), nameForms(visit.signedIn))) {
      return showFault(page, visit, { status: 403, message: account.stale });
    }
    if (isDue(isGuarded, visit)) return ask(http, page.path, visit.signedIn, signIn.again);
    const taken = await take(visit, form);
    if ('sent' in taken) return taken.sent;
    if ('fault' in taken) return showFault(page, visit, taken.fault);
    return reply.header('cache-control', 'no-store').redirect(reply.server.pageFrame.base + taken.goTo, 303);
  };
  /** A page that is not to be seen now is not shown for the fault of a form either. */
  const showFault = (page: AccountPage, visit: Visit, fault: FormFault) =>
    isDue(page.isGuarded === true, visit)
      ? ask(visit.http, page.path, visit.signedIn, fault.message)
      : page.show(visit, fault);

  return {
    /** Registers a page and its forms. */
    register(app: FastifyInstance, page: AccountPage, forms: readonly AccountForm[] = []): void {
      /** A session without a user is none. */
      const askAgain = (http: Http, message?: string) => (error: unknown) => {
        if (error instanceof DeletedUserError) return ask(http, page.path, undefined, message);
        throw error;
      };
      app.get(page.path, hidden, (request: FastifyRequest, reply: FastifyReply) => {
        const http = { request, reply };
        return open(page, http).catch(askAgain(http));
      });
      for (const form of forms) {
        app.post(form.path, hidden, (request, reply) => {
          const http = { request, reply };
          return answer(page, form, http).catch(askAgain(http, messagesFor(request).signIn.stale));
        });
      }
    },
  };
}

/** The forms of a session. */
function nameForms({ session }: SignedInUser): string {
  return `account ${session.sessionId}`;
}
