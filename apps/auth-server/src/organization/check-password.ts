import { type DirectoryUser, OAuthError } from '@gatehouse/shared';
import type { Origin } from '../protocol/request-context.ts';
import type { OrganizationDirectory, PasswordCredentials } from './organization-directory.ts';

/** Gives the user who may sign in with this password; undefined where it is wrong, or the user is disabled. */
export type CheckPassword = (credentials: PasswordCredentials, origin: Origin) => Promise<DirectoryUser | undefined>;

export function createCheckPassword(directory: OrganizationDirectory): CheckPassword {
  return async (credentials, origin) => {
    const result = await directory.checkPassword(credentials, origin);
    if (result.outcome === 'limited') throw tooManyPasswords(result.retryAfter);
    return result.outcome === 'verified' && result.user.enabled ? result.user : undefined;
  };
}

/** 429: `retryAfter` in seconds. */
export function tooManyPasswords(retryAfter: number): OAuthError {
  const description = `too many wrong passwords from this address; try again in ${retryAfter} seconds`;
  return new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
}
