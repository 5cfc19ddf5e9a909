import type { RequestContext } from '@gatehouse/service-kit';
import { levels } from '@gatehouse/shared';
import type { LevelDemand } from '../levels/level-demand.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import { findLevelStep, isLevelOpen, type LevelStep, type ReachableLevels } from './due-step.ts';
import type { Passkeys } from './passkeys-endpoint.ts';

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'listMethods'>;
  settings: OrganizationSettings;
  passkeys: Pick<Passkeys, 'mayBeMade' | 'mayBeUsed'>;
}

/**
 * Finds the step by which a signed-in user reaches a level that is asked for; undefined where none is due. Throws an
 * OrganizationUnavailableError.
 */
export type FindLevelStep = (
  signedIn: SignedInUser,
  level: LevelDemand,
  context: RequestContext,
) => Promise<LevelStep | undefined>;

export function createFindLevelStep({ directory, settings, passkeys }: Dependencies): FindLevelStep {
  const [, mfa, phr] = levels;
  const findReachable = async ({ user }: SignedInUser, context: RequestContext): Promise<ReachableLevels> => {
    const [offers, mayBeMade] = await Promise.all([settings.find(context), passkeys.mayBeMade(context)]);
    const offered = mayBeMade ? phr : offers.codeApp ? mfa : undefined;
    if (user.secondStep !== true) return { own: undefined, offered };
    const methods = await directory.listMethods({ userId: user.id }, context);
    const hasPasskey = methods.passkeys.length > 0 && (await passkeys.mayBeUsed(context));
    return { own: hasPasskey ? phr : mfa, offered };
  };
  return async (signedIn, level, context) =>
    isLevelOpen(signedIn.session, level)
      ? findLevelStep(signedIn.session, level, await findReachable(signedIn, context))
      : undefined;
}
