import { type DirectoryUser, ProblemError } from '@gatehouse/shared';
import type { Administrator } from '../administration/administrator.ts';
import { checkHasRolesOf } from '../administration/client-ceiling.ts';

/** The scopes that open the details of a user. */
const scopesOfDetails = ['profile', 'email', 'phone', 'address'];

/** Throws a 403 where the caller acts through a third-party application that may not see the details of users. */
export function checkSeesUsers({ sees }: Administrator): void {
  if (sees === undefined || scopesOfDetails.every((name) => sees.includes(name))) return;
  throw new ProblemError(
    403,
    `a third-party application sees the details of users with the scopes ${scopesOfDetails.join(', ')} only`,
  );
}

/** The same; throws a 403 too where the caller lacks a role of the user. */
export function checkMaySee(administrator: Administrator, user: DirectoryUser): void {
  checkSeesUsers(administrator);
  checkHasRolesOf(administrator, user);
}
