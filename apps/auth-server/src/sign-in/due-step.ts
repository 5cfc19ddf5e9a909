import { type Level, satisfies } from '@gatehouse/shared';
import { isRecent, type LevelDemand, reaches } from '../levels/level-demand.ts';
import { listReached } from '../levels/proofs.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';

/** The demands of a page on the sign-in that it goes on with. */
export interface SignInDemand {
  /** Seconds since the sign-in. 0 demands a new sign-in (OpenID Connect Core 3.1.2.1). */
  maxAge?: number | undefined;
  /** The id of the only user who may go on. */
  userId?: string | undefined;
  /** Demands a new sign-in, as `prompt=login` does. */
  isNew?: boolean | undefined;
}

/** A step of the sign-in. */
export type SignInStep = 'password';

/**
 * Returns the step of the sign-in that is due at a browser; undefined where its session satisfies the demand.
 * Times are rounded down to the second, so the elapsed time never counts as shorter than it is. Only the request that
 * starts the sign-in is checked: after the sign-in that it demanded, it would demand another.
 */
export function findDueStep(
  session: Pick<BrowserSession, 'proofs' | 'userId'> | undefined,
  { maxAge, userId, isNew = false }: SignInDemand,
  now: number,
): SignInStep | undefined {
  if (session === undefined || isNew) return 'password';
  if (!listReached(session.proofs).some(({ authTime }) => isRecent(authTime, maxAge, now))) return 'password';
  return userId === undefined || userId === session.userId ? undefined : 'password';
}

/** Levels that a user can reach: by the methods that the user has, and by those that the user can set up. */
export interface ReachableLevels {
  own: Level | undefined;
  offered: Level | undefined;
}

/**
 * The step by which a user who is signed in reaches a level: the second step, or the set-up of one. `offered`: the user may go
 * on without it. `unreachable`: no method of this server reaches the required level for this user.
 */
export type LevelStep = 'second_step' | 'set_up' | 'set_up_offered' | 'unreachable';

/** A step that has a page. */
export type ShownLevelStep = Exclude<LevelStep, 'unreachable'>;

/** Whether a session reaches none of the levels that are asked for. */
export function isLevelOpen(
  { proofs }: Pick<BrowserSession, 'proofs'>,
  { asked }: Pick<LevelDemand, 'asked'>,
): boolean {
  return asked.length > 0 && !asked.some((required) => reaches(proofs, { required }));
}

/** Returns the step that is due for the levels asked for, none of which the session reaches; undefined where it need not. */
export function findLevelStep(
  { proofs }: Pick<BrowserSession, 'proofs'>,
  { asked, required }: Pick<LevelDemand, 'asked' | 'required'>,
  { own, offered }: ReachableLevels,
): LevelStep | undefined {
  const reachesOne = (acr: Level | undefined) => acr !== undefined && asked.some((level) => satisfies(acr, level));
  if (reachesOne(own)) return 'second_step';
  const isLetThrough = reaches(proofs, { required });
  if (!reachesOne(offered)) return isLetThrough ? undefined : 'unreachable';
  // A stolen password alone adds nothing to the methods of a user who has a second step.
  if (!reaches(proofs, { required: own })) return isLetThrough ? undefined : 'second_step';
  return isLetThrough ? 'set_up_offered' : 'set_up';
}
