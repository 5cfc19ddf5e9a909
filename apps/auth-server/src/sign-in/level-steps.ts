import type { RequestContext } from '@gatehouse/service-kit';
import { levels, type MfaPolicy, requiresMfa, satisfies } from '@gatehouse/shared';
import { type LevelDemand, reaches } from '../levels/level-demand.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { CallingBrowser } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import { findLevelStep, isLevelOpen, type LevelStep, type ReachableLevels } from './due-step.ts';
import type { Passkeys } from './passkeys-endpoint.ts';

interface Dependencies {
  config: { requireMfa: MfaPolicy };
  directory: Pick<OrganizationDirectory, 'listMethods'>;
  settings: OrganizationSettings;
  passkeys: Pick<Passkeys, 'mayBeMade' | 'mayBeUsed'>;
  rememberedBrowsers: Pick<RememberedBrowsers, 'stands'>;
}

/** The step by which a signed-in user reaches a level. */
export interface DueLevelStep {
  step: LevelStep;
  /** The demand, with what `REQUIRE_MFA` adds to it. */
  level: LevelDemand;
}

/**
 * Finds the step by which a signed-in user reaches a level that is asked for, or that `REQUIRE_MFA` requires of the user; undefined
 * where none is due. Throws an OrganizationUnavailableError.
 */
export type FindLevelStep = (
  signedIn: SignedInUser,
  level: LevelDemand,
  browser: CallingBrowser,
  context: RequestContext,
) => Promise<DueLevelStep | undefined>;

/** Of a page that asks for nothing by itself. */
export const noDemand: LevelDemand = { asked: [], required: undefined, maxAge: undefined };

export function createFindLevelStep(deps: Dependencies): FindLevelStep {
  const { config, directory, settings, passkeys, rememberedBrowsers } = deps;
  const [, mfa, phr] = levels;
  const findReachable = async ({ user }: SignedInUser, context: RequestContext): Promise<ReachableLevels> => {
    const [offers, mayBeMade] = await Promise.all([settings.find(context), passkeys.mayBeMade(context)]);
    const offered = mayBeMade ? phr : offers.codeApp ? mfa : undefined;
    if (user.secondStep !== true) return { own: undefined, offered };
    const methods = await directory.listMethods({ userId: user.id }, context);
    const hasPasskey = methods.passkeys.length > 0 && (await passkeys.mayBeUsed(context));
    return { own: hasPasskey ? phr : mfa, offered };
  };
  /** A remembered browser stands for the second step, but where the age of the sign-in counts. */
  const addPolicy = async (
    { user, session }: SignedInUser,
    level: LevelDemand,
    { rememberedBrowser }: CallingBrowser,
  ): Promise<LevelDemand> => {
    if (reaches(session.proofs, { required: mfa })) return level;
    if (user.secondStep === true && level.maxAge !== undefined) return raise(level);
    if (!requiresMfa(config.requireMfa, user)) return level;
    return (await rememberedBrowsers.stands(rememberedBrowser, user)) ? level : raise(level);
  };
  return async (signedIn, asked, browser, context) => {
    const level = await addPolicy(signedIn, asked, browser);
    if (!isLevelOpen(signedIn.session, level)) return undefined;
    const step = findLevelStep(signedIn.session, level, await findReachable(signedIn, context));
    return step && { step, level };
  };
}

/** The same with a second step at least. */
function raise({ asked, required, maxAge }: LevelDemand): LevelDemand {
  const [, mfa] = levels;
  const higher = required !== undefined && satisfies(required, mfa) ? required : mfa;
  return { asked: [...asked.filter((level) => satisfies(level, higher)), higher], required: higher, maxAge };
}
