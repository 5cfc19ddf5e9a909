import type { DirectoryUser } from './organization-directory.ts';
import type { Role } from './user.ts';

/** Whom `REQUIRE_MFA` names: everybody, or users with one of these roles. */
export type MfaPolicy = readonly (Role | 'everybody')[];

/** Whether a user signs in with a second step, whatever the client asks for. A Robot never signs in. */
export function requiresMfa(
  policy: readonly string[],
  { userType, roles }: Pick<DirectoryUser, 'userType' | 'roles'>,
): boolean {
  if (userType === 'Robot') return false;
  return policy.includes('everybody') || roles.some((role) => policy.includes(role));
}
