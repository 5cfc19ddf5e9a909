import { type Clock, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { type LinkFault, levels, type MfaPolicy, satisfies, type UpstreamRules } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { CallingBrowser } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { ReturnedAttempt } from '../upstreams/attempts.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { describeBrowser } from './describe-browser.ts';
import type { PendingSignIn } from './pending-sign-in.ts';
import { toUnchecked } from './second-step.ts';
import type { SignedIn, StartSession } from './start-session.ts';

/** The result of an account that came back from an upstream. */
export type UpstreamSignInResult =
  | SignedIn
  /** The user has a second step. No session exists before it is done. */
  | { outcome: 'unfinished'; pending: PendingSignIn }
  /** The user is disabled. */
  | { outcome: 'refused' }
  /** No user here has this account. */
  | { outcome: 'unknown' }
  | { outcome: 'unchecked'; error: unknown };

/** The result of the wish that an account may sign a user in. `void`: the sign-in here does not count any more. */
export type LinkResult =
  | { outcome: 'linked' }
  | { outcome: 'void' }
  | { outcome: 'refused'; fault: LinkFault }
  | { outcome: 'unchecked'; error: unknown };

/** Of the page that the user came from. */
interface About {
  clientId: string | undefined;
  /** Whether a remembered browser may stand for the second step. */
  mayBeRemembered: boolean;
}

interface Dependencies {
  config: { requireMfa: MfaPolicy };
  directory: Pick<OrganizationDirectory, 'signInByUpstream'>;
  startSession: StartSession;
  knownBrowsers: KnownBrowsers;
  rememberedBrowsers: Pick<RememberedBrowsers, 'stands'>;
  tell: Tell;
  clock: Clock;
}

export type SignInByUpstream = ReturnType<typeof createSignInByUpstream>;

/** Signs users in by their accounts at upstreams, and links such accounts. */
export function createSignInByUpstream(deps: Dependencies) {
  const { config, directory, startSession, knownBrowsers, rememberedBrowsers, tell, clock } = deps;
  const describe = ({ account, upstream, attempt }: ReturnedAttempt, browser: CallingBrowser) => ({
    beganAt: attempt.beganAt,
    reachesMfa: satisfies(account.level, levels[1]),
    secondStepFor: [...config.requireMfa],
    account: {
      issuer: account.issuer,
      subject: account.subject,
      upstream: upstream.alias,
      upstreamName: upstream.displayName,
      shown: account.shown,
      members: account.members,
      ...(account.verifiedEmail !== undefined && { verifiedEmail: account.verifiedEmail }),
      ...(account.groups !== undefined && { groups: [...account.groups] }),
    },
    rules: rulesOf(upstream),
    ...describeBrowser(knownBrowsers, browser),
  });

  return {
    async signIn(
      returned: ReturnedAttempt,
      { clientId, mayBeRemembered }: About,
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<UpstreamSignInResult> {
      const result = await directory.signInByUpstream(describe(returned, browser), context).catch(toUnchecked);
      if (result.outcome === 'unchecked') return result;
      const about = { upstream: returned.upstream.alias, clientId, context };
      if (returned.upstream.groups !== undefined && returned.account.groups === undefined) {
        tell({ ...about, type: 'groups_claim.ignored' });
      }
      if (result.outcome !== 'verified') {
        tell({ ...about, type: 'upstream.refused', why: 'unknown', user: undefined });
        return { outcome: 'unknown' };
      }
      const { user, identityId, secondStep } = result;
      if (!user.enabled) {
        tell({ ...about, type: 'upstream.refused', why: 'disabled', user });
        return { outcome: 'refused' };
      }
      const { authTime, level } = returned.account;
      const { id: upstreamId } = returned.upstream;
      const isDue =
        secondStep !== undefined &&
        !satisfies(level, levels[1]) &&
        !(mayBeRemembered && (await rememberedBrowsers.stands(browser.rememberedBrowser, user)));
      if (isDue) {
        const pending = {
          userId: user.id,
          passwordChangedAt: user.passwordChangedAt,
          methodsVersion: secondStep.methodsVersion,
          firstAt: toSeconds(clock()),
          upstream: { authTime, level, identityId, upstreamId },
        };
        return { outcome: 'unfinished', pending };
      }
      tell({ ...about, type: 'sign_in.completed', by: 'upstream', acr: level, user });
      const proofs = { upstreamAt: authTime, upstreamLevel: level, identityId, upstreamId };
      return startSession(user, browser, proofs);
    },

    /** Links the account to a user who signed in here since the attempt began. */
    async link(
      returned: ReturnedAttempt,
      { session }: SignedInUser,
      browser: CallingBrowser,
      context: RequestContext,
    ): Promise<LinkResult> {
      const { userId, passwordChangedAt } = session;
      const asked = { ...describe(returned, browser), link: { userId, passwordChangedAt } };
      const result = await directory.signInByUpstream(asked, context).catch(toUnchecked);
      if (result.outcome === 'unchecked' || result.outcome === 'refused') return result;
      return { outcome: result.outcome === 'verified' ? 'linked' : 'void' };
    },
  };
}

function rulesOf({ link, createUsers, sync, groups }: Upstream): UpstreamRules {
  return {
    linksByEmail: link === 'verified_email',
    createsUsers: createUsers,
    sync,
    mappedGroups: [...new Set(Object.values(groups?.map ?? {}))],
  };
}
