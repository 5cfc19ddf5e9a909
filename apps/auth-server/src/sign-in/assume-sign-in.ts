import { type Clock, createId, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { type DirectoryUser, type Level, levels, OAuthError } from '@gatehouse/shared';
import { type LevelDemand, reaches } from '../levels/level-demand.ts';
import { noProofs, type Proofs } from '../levels/proofs.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { DueLevelStep, FindLevelStep } from './level-steps.ts';

/** A user who signs in now, as it is assumed. */
export interface Assumed {
  user: DirectoryUser;
  /** The level of the sign-in; undefined for the lowest that lets the user through. */
  acr: Level | undefined;
  context: RequestContext;
}

/**
 * Tries sign-ins by higher and higher levels until one goes on; nothing of them is stored. `goOn` gets the step that is due after
 * each, and gives undefined where the user has to do it first. Throws `login_required` where no sign-in goes on.
 */
export type AssumeSignIn = <T>(
  assumed: Assumed,
  level: LevelDemand,
  goOn: (signedIn: SignedInUser, due: DueLevelStep | undefined) => Promise<T | undefined>,
) => Promise<T>;

interface Dependencies {
  findLevelStep: FindLevelStep;
  clock: Clock;
}

/** A browser that has no cookie of this server. */
const noBrowser = {
  binding: undefined,
  sessionToken: undefined,
  knownBrowser: undefined,
  rememberedBrowser: undefined,
  label: undefined,
  network: undefined,
};

export function createAssumeSignIn({ findLevelStep, clock }: Dependencies): AssumeSignIn {
  return async ({ user, acr, context }, level, goOn) => {
    // A password alone does not sign a user in who has a second step.
    const usual = user.secondStep === true ? levels.slice(1) : levels;
    for (const one of acr === undefined ? usual : [acr]) {
      const signedIn = buildSignedIn(user, one, clock());
      const due = await findLevelStep(signedIn, level, noBrowser, context);
      // A level that is named is the one that the user has: a page that asks for a higher one, and need not, is passed by.
      const isPassed = acr !== undefined && due !== undefined && reaches(signedIn.session.proofs, due.level);
      const found = await goOn(signedIn, isPassed ? undefined : due);
      if (found !== undefined) return found;
    }
    throw new OAuthError('login_required', 'the user must sign in by a higher level');
  };
}

function buildSignedIn(user: DirectoryUser, acr: Level, now: number): SignedInUser {
  return {
    user,
    session: {
      tokenHash: Buffer.alloc(0),
      sessionId: createId(),
      userId: user.id,
      passwordChangedAt: user.passwordChangedAt,
      proofs: { ...noProofs, ...proofsOf(acr, toSeconds(now)) },
      identityId: undefined,
      upstreamId: undefined,
      expiresAt: now,
      lastUsedAt: now,
      label: undefined,
      network: undefined,
    },
  };
}

/** Seconds. */
function proofsOf(acr: Level, now: number): Partial<Proofs> {
  const [password, mfa] = levels;
  if (acr === password) return { passwordAt: now };
  return acr === mfa ? { passwordAt: now, codeAt: now } : { passkeyAt: now, passkeyUv: true };
}
