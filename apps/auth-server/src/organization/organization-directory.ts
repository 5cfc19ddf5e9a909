import type { DirectoryUser, PasswordCheckResult } from '@gatehouse/shared';
import type { Origin } from '../origin.ts';

/** The organization cannot be asked at the moment. */
export class OrganizationUnavailableError extends Error {
  override readonly name = 'OrganizationUnavailableError';
}

/** The port to the organization's users. Every method throws {@link OrganizationUnavailableError}. */
export interface OrganizationDirectory {
  checkPassword(credentials: { username: string; password: string }, origin: Origin): Promise<PasswordCheckResult>;
  findUserById(id: string, origin: Origin): Promise<DirectoryUser | undefined>;
  findUserByUsername(username: string, origin: Origin): Promise<DirectoryUser | undefined>;
  close(): Promise<void>;
}

/**
 * The user as it is now, where what was issued to it at `passwordChangedAt` (milliseconds) still stands: it is there,
 * enabled and has the password of then.
 */
export function isCurrent(user: DirectoryUser | undefined, passwordChangedAt: number): user is DirectoryUser {
  return user?.enabled === true && user.passwordChangedAt === passwordChangedAt;
}
