import { type Clock, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { levels } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { CallingBrowser } from '../sessions/browser-cookies.ts';
import type { KnownBrowsers } from '../sessions/known-browsers.ts';
import { describeBrowser } from './describe-browser.ts';
import type { PasskeyAnswer, Passkeys } from './passkeys-endpoint.ts';
import { toUnchecked } from './second-step.ts';
import type { SignedIn, StartSession } from './start-session.ts';

export type PasskeySignInResult =
  | SignedIn
  /** `deletedId`: the credential id of a passkey that was deleted. */
  | { outcome: 'refused'; deletedId?: string | undefined }
  /** The passkey could not be checked: the organization is out of reach. */
  | { outcome: 'unchecked'; error: unknown };

export type SignInByPasskey = ReturnType<typeof createSignInByPasskey>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'checkPasskey'>;
  passkeys: Pick<Passkeys, 'isForAll'>;
  startSession: StartSession;
  knownBrowsers: KnownBrowsers;
  tell: Tell;
  clock: Clock;
}

/** Signs a user in by a passkey alone, and starts the session. */
export function createSignInByPasskey({ directory, passkeys, startSession, knownBrowsers, tell, clock }: Dependencies) {
  return async (
    { answer, clientId }: { answer: PasskeyAnswer; clientId: string | undefined },
    browser: CallingBrowser,
    context: RequestContext,
  ): Promise<PasskeySignInResult> => {
    const check = {
      ...answer,
      ...describeBrowser(knownBrowsers, browser),
      onlyWithoutPassword: !passkeys.isForAll,
    };
    const result = await directory.checkPasskey(check, context).catch(toUnchecked);
    if (result.outcome === 'unchecked') return result;
    const about = { clientId, context } as const;
    if (result.outcome !== 'verified') {
      const { userId, deletedId } = result.outcome === 'wrong' ? result : {};
      tell({
        ...about,
        type: 'passkey.refused',
        why: 'wrong',
        user: userId === undefined ? undefined : { id: userId },
      });
      return { outcome: 'refused', deletedId };
    }
    const { user } = result;
    if (!user.enabled) {
      tell({ ...about, type: 'passkey.refused', why: 'disabled', user });
      return { outcome: 'refused' };
    }
    tell({ ...about, type: 'sign_in.completed', by: 'sign_in_page', acr: levels[2], user });
    return startSession(user, browser, { passkeyAt: toSeconds(clock()), passkeyUv: true });
  };
}
