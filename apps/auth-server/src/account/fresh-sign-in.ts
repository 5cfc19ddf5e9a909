import { levels, satisfies } from '@gatehouse/shared';
import { isRecent } from '../levels/level-demand.ts';
import { listReached } from '../levels/proofs.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';

/** Seconds after a sign-in in which a user changes what proves who the user is. */
export const freshFor = 600;

/**
 * The step by which a user proves again who it is, before a change of the methods; undefined where none is due. Of a user with a
 * second step a password alone is not enough; a recovery code is, so that a lost passkey can be replaced.
 */
export function findFreshStep({ user, session }: SignedInUser, now: number): 'sign_in' | 'second_step' | undefined {
  const [password, mfa] = levels;
  const fresh = listReached(session.proofs).filter(({ authTime }) => isRecent(authTime, freshFor, now));
  const required = user.secondStep === true ? mfa : password;
  if (fresh.some(({ acr }) => satisfies(acr, required))) return undefined;
  return fresh.length === 0 ? 'sign_in' : 'second_step';
}
