import type { DirectoryUser, Role } from '@gatehouse/shared';

/** Whom `REQUIRE_MFA` names: everybody, or users with one of these roles. */
export type MfaPolicy = readonly (Role | 'everybody')[];

/** Whether a user signs in with a second step, whatever the client asks for. A Robot never signs in. */
export function requiresMfa(
  policy: MfaPolicy,
  { userType, roles }: Pick<DirectoryUser, 'userType' | 'roles'>,
): boolean {
  if (userType === 'Robot') return false;
  return policy.includes('everybody') || roles.some((role) => policy.includes(role));
}
