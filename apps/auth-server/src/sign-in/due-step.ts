import { isRecent } from '../levels/level-demand.ts';
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
