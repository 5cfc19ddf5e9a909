import { type Clock, type Logger, toSeconds } from '@gatehouse/service-kit';
import { fill } from '@gatehouse/service-kit/html';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { completeUsername, levels, type MfaPolicy, requiresMfa, satisfies } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { NetworkBudget } from '../clients/window-budget.ts';
import { getForm, getQuery } from '../http/form.ts';
import { listReached } from '../levels/proofs.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { Messages } from '../pages/messages/en.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { Attempts, ReturnedAttempt } from '../upstreams/attempts.ts';
import { isOfDomain } from '../upstreams/read-account.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { describeFailure, describeLimit } from './failure-page.ts';
import type { FindSignedIn } from './find-by-cookies.ts';
import type { FormFault } from './form-parts.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import { type Continuation, createPlaceForm, type Http, type PlaceDescription } from './place-endpoint.ts';
import type { LinkResult, SignInByUpstream } from './sign-in-by-upstream.ts';
import { sendOverPage } from './upstream-callback-endpoint.ts';
import { sendNotLinkedPage, sendUpstreamLinkPage } from './upstream-link-page.ts';

interface Dependencies<Asked> {
  settings: Pick<OrganizationSettings, 'glance'>;
  config: { realm: string; requireMfa: MfaPolicy };
  upstreamAttempts: Attempts;
  upstreamBudget: NetworkBudget;
  signInByUpstream: SignInByUpstream;
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  log: Pick<Logger, 'warn'>;
  clock: Clock;
  /** Shows the sign-in page. */
  show(http: Http, asked: Asked, fault?: FormFault): Promise<FastifyReply>;
  showSecondStep(http: Http, asked: Asked, pending: PendingSignIn): Promise<FastifyReply>;
}

/** In place of an alias: the sign-in here, also of names that lead to an upstream. */
export const here = 'none';

export type UpstreamForms<Asked> = ReturnType<typeof createUpstreamForms<Asked>>;

/**
 * The ways of a place to an upstream and back: the button of the sign-in form, `GET /oauth/<name>-upstream-result`, to which the
 * callback leads, and `POST /oauth/<name>-upstream-link`, by which an account is linked.
 */
export function createUpstreamForms<Asked>(deps: Dependencies<Asked>, description: PlaceDescription<Asked>) {
  const { config, settings, upstreamAttempts, upstreamBudget, signInByUpstream, browserCookies } = deps;
  const { findSignedIn, show, showSecondStep, log } = deps;
  const resultForm = createPlaceForm(deps, description, 'upstream-result');
  const linkForm = createPlaceForm(deps, description, 'upstream-link');
  const place = description.name ?? '';

  /** The attempt of this browser whose user signs in here to link its account; undefined where no upstream is offered. */
  const findAsked = async ({ request }: Http, asked: Asked): Promise<ReturnedAttempt | undefined> => {
    const { binding } = browserCookies.readBrowser(request);
    if (binding === undefined || (await upstreamAttempts.listUsable()).length === 0) return undefined;
    return upstreamAttempts.findAsked(binding, { place, carried: description.belong(asked).carried });
  };
  /** The upstream whose users have names like this. */
  const findByName = async (getName: () => Promise<string | undefined>): Promise<Upstream | undefined> => {
    const withDomains = (await upstreamAttempts.listUsable()).filter(({ domains }) => domains.length > 0);
    if (withDomains.length === 0) return undefined;
    const name = (await getName()) ?? '';
    return withDomains.find(({ domains }) => isOfDomain(name, domains));
  };
  /** A name that was typed, as org-api completes it. */
  const complete = async ({ request }: Http, typed: string): Promise<string> => {
    const offer = await settings.glance(requestContextOf(request));
    return completeUsername(typed, offer?.usernameDomain);
  };
  const failure = (messages: Messages, { displayName: upstream }: Upstream): FormFault => ({
    status: 400,
    message: fill(messages.upstream.failed, { upstream }),
  });

  /** Goes to an upstream; shows the sign-in page where it cannot. */
  const leave = async (http: Http, asked: Asked, upstream: Upstream, typed = ''): Promise<FastifyReply> => {
    const { request, reply } = http;
    const messages = linkForm.messages(http, asked);
    const retryAfter = await upstreamBudget.spend(requestContextOf(request).address, (name) => `upstream ${name}`);
    if (retryAfter !== undefined) {
      return show(http, asked, describeLimit(http, messages, messages.signIn, retryAfter));
    }
    const { carried, clientId } = description.belong(asked);
    const { maxAge, isNew = false } = description.demandOf?.(asked) ?? {};
    const name = await complete(http, typed);
    const loginHint = isOfDomain(name, upstream.domains) ? name : (await description.describe(asked)).loginHint;
    const demand = { maxAge, isNew, loginHint, uiLocales: messages.language };
    const browser = browserCookies.bindBrowser(request, reply);
    try {
      const address = await upstreamAttempts.begin(upstream, browser, { place, carried, clientId }, demand);
      if (address === undefined) return show(http, asked, { status: 503, message: messages.signIn.unavailable });
      return reply.header('cache-control', 'no-store').redirect(address, 303);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      log.warn({ requestId: request.id, upstream: upstream.alias, reason }, 'an upstream cannot be reached');
      return show(http, asked, failure(messages, upstream));
    }
  };

  const showLink = async (http: Http, asked: Asked, { user, session }: SignedInUser, returned: ReturnedAttempt) => {
    const { id: attemptId } = returned.attempt;
    return sendUpstreamLinkPage(http.reply, {
      ...(await linkForm.describe(http, asked, session.sessionId, attemptId)),
      ...{ attemptId, upstream: returned.upstream.displayName, account: returned.account.shown },
      username: user.username,
    });
  };

  /** Asks before it goes on, where an account waits for the sign-in that was just done. */
  const askBefore =
    (goOn: Continuation<Asked>['goOn']): Continuation<Asked>['goOn'] =>
    async (http, asked, signedIn, done) => {
      const returned = await findAsked(http, asked);
      return returned !== undefined && provesHere(config, signedIn, returned)
        ? showLink(http, asked, signedIn, returned)
        : goOn(http, asked, signedIn, done);
    };

  /** The account is known, or not. */
  const take = async (
    http: Http,
    asked: Asked,
    returned: ReturnedAttempt,
    goOn: Continuation<Asked>['goOn'],
  ): Promise<FastifyReply> => {
    const { request, reply } = http;
    const messages = resultForm.messages(http, asked);
    const { upstream, account } = returned;
    const about = {
      clientId: description.belong(asked).clientId,
      mayBeRemembered: description.mayBeRemembered?.(asked) ?? true,
    };
    // Of two requests with one attempt, one goes on.
    if (!(await upstreamAttempts.claim(returned))) return sendOverPage(request, reply, config.realm);
    const browser = browserCookies.readBrowser(request);
    const result = await signInByUpstream.signIn(returned, about, browser, requestContextOf(request));
    const names = { upstream: upstream.displayName, account: account.shown };
    const fail = (message: string) => show(http, asked, { status: 400, message: fill(message, names) });
    if (result.outcome === 'unchecked') {
      await upstreamAttempts.release(returned);
      return show(http, asked, describeFailure(http, messages, result.error));
    }
    if (result.outcome === 'unknown' && upstream.link !== 'never') {
      await upstreamAttempts.ask(returned);
      return show(http, asked);
    }
    await upstreamAttempts.end(returned, 'claimed');
    switch (result.outcome) {
      case 'unknown':
      case 'refused':
        return fail(messages.upstream.refused);
      case 'unfinished':
        return showSecondStep(http, asked, result.pending);
      case 'signed_in':
        browserCookies.writeSignIn(reply, result.cookies);
        // A request can lead there and back without any page.
        return goOn(http, asked, result.signedIn, { isNamed: false });
    }
  };

  /** Ends the attempt, whatever comes of it. Gives why the account was not linked that the user wants to have linked. */
  const decide = async (
    http: Http,
    asked: Asked,
    { signedIn, attemptId, isWanted }: { signedIn: SignedInUser; attemptId: string; isWanted: boolean },
  ): Promise<FormFault | undefined> => {
    const returned = await findAsked(http, asked);
    const isEnded = returned?.attempt.id === attemptId && (await upstreamAttempts.end(returned, 'asked'));
    if (!isWanted) return undefined;
    const messages = linkForm.messages(http, asked);
    if (!isEnded || returned.upstream.link === 'never') return staleFault(messages);
    const browser = browserCookies.readBrowser(http.request);
    const result = await signInByUpstream.link(returned, signedIn, browser, requestContextOf(http.request));
    return result.outcome === 'linked' ? undefined : describeLinkFault(http, messages, result);
  };

  return {
    findAsked,
    /** Those that the page offers. */
    list: upstreamAttempts.listUsable,
    /** The upstream that a form leads to: by its button, or by the name that was typed. */
    async findPosted(http: Http, posted: RequestParameters): Promise<Upstream | undefined> {
      const alias = posted.get('upstream');
      if (alias !== undefined) return upstreamAttempts.findUsable(alias);
      const isHere = posted.get('here') === 'yes' || (posted.get('credential') ?? '') !== '';
      return isHere ? undefined : findByName(() => complete(http, posted.get('username') ?? ''));
    },
    /** The upstream that the request asks for: by its alias, or by the name that it suggests. */
    async findAskedFor(asked: Asked): Promise<Upstream | undefined> {
      const { upstream: alias } = description.belong(asked);
      if (alias === here) return undefined;
      const found = alias === undefined ? undefined : await upstreamAttempts.findUsable(alias);
      return found ?? findByName(async () => (await description.describe(asked)).loginHint);
    },
    leave,
    askBefore,
    register(app: FastifyInstance, { read, goOn, errorHandler }: Continuation<Asked>): void {
      const options = { schema: { hide: true }, ...(errorHandler && { errorHandler }) };
      app.get(resultForm.path, options, async (request, reply) => {
        const http = { request, reply };
        const { binding } = browserCookies.readBrowser(request);
        const id = new URLSearchParams(getQuery(request)).get('attempt') ?? '';
        const returned = binding === undefined ? undefined : await upstreamAttempts.find(id, binding, place);
        if (returned === undefined) return sendOverPage(request, reply, config.realm);
        const { attempt, upstream, account } = returned;
        const asked = await read(request, attempt.carried, true);
        if (attempt.status === 'asked') return show(http, asked);
        if (account !== undefined) return take(http, asked, { attempt, upstream, account }, goOn);
        return show(http, asked, failure(resultForm.messages(http, asked), upstream));
      });

      app.post(linkForm.path, options, async (request, reply) => {
        const http = { request, reply };
        const posted = getForm(request);
        const carried = posted.get('request') ?? '';
        const attemptId = posted.get('attempt') ?? '';
        const signedIn = await findSignedIn(request);
        const about = [signedIn?.session.sessionId ?? '', attemptId];
        const isOurs = linkForm.isOurs(request, posted.get('form_token'), carried, ...about);
        const asked = await read(request, carried, isOurs);
        if (!isOurs || signedIn === undefined) return show(http, asked, staleFault(linkForm.messages(http, asked)));
        const isWanted = posted.get('decision') === 'link';
        const fault = await decide(http, asked, { signedIn, attemptId, isWanted });
        if (fault === undefined) return goOn(http, asked, signedIn);
        const page = await linkForm.describe(http, asked, signedIn.session.sessionId, '');
        return sendNotLinkedPage(reply, { ...page, fault });
      });
    },
  };
}

/** Whether the user signed in here since the attempt began: a session that existed does not count, nor a sign-in at an upstream. */
function provesHere(
  { requireMfa }: { requireMfa: MfaPolicy },
  { user, session }: SignedInUser,
  { attempt }: ReturnedAttempt,
): boolean {
  const [password, mfa] = levels;
  const required = user.secondStep === true || requiresMfa(requireMfa, user) ? mfa : password;
  const since = toSeconds(attempt.beganAt);
  const here = listReached({ ...session.proofs, upstreamAt: undefined, upstreamLevel: undefined });
  return here.some(({ acr, authTime }) => satisfies(acr, required) && authTime >= since);
}

function staleFault({ signIn }: Messages): FormFault {
  return { status: 403, message: signIn.stale };
}

function describeLinkFault(
  http: Http,
  messages: Messages,
  result: Exclude<LinkResult, { outcome: 'linked' }>,
): FormFault {
  if (result.outcome === 'unchecked') return describeFailure(http, messages, result.error);
  const { linkFaults } = messages.upstream;
  return { status: 409, message: result.outcome === 'void' ? messages.signIn.stale : linkFaults[result.fault] };
}
