import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, OAuthError } from '@gatehouse/shared';
import type { PasswordChecked, PasswordPlace, Tell } from '../events/event.ts';
import type { OrganizationDirectory, PasswordCredentials, PasswordOutcome } from './organization-directory.ts';

/** Asks the organization about a password that was given at a place, and tells the answer. */
export type AskPassword = (
  credentials: PasswordCredentials,
  place: PasswordPlace,
  context: RequestContext,
) => Promise<PasswordOutcome>;

/** Gives the user who may sign in with this password; undefined where it is wrong, or the user is disabled. */
export type CheckPassword = (
  credentials: PasswordCredentials,
  context: RequestContext,
) => Promise<DirectoryUser | undefined>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'checkPassword'>;
  tell: Tell;
}

export function createAskPassword({ directory, tell }: Dependencies): AskPassword {
  return async (credentials, place, context) => {
    const { username, clientId } = credentials;
    const about = { type: 'password.checked', place, clientId, context } as const;
    try {
      const result = await directory.checkPassword(credentials, context);
      tell({ ...about, ...describeOutcome(result, username) });
      return result;
    } catch (error) {
      tell({ ...about, outcome: 'unavailable', claimed: { username, id: undefined } });
      throw error;
    }
  };
}

function describeOutcome(result: PasswordOutcome, username: string): Pick<PasswordChecked, 'outcome' | 'claimed'> {
  switch (result.outcome) {
    case 'verified':
      return { outcome: result.user.enabled ? 'right' : 'disabled', claimed: result.user };
    case 'wrong':
      return { outcome: 'wrong', claimed: { username, id: result.userId } };
    case 'limited':
      return { outcome: 'limited', claimed: { username, id: undefined } };
  }
}

export function createCheckPassword(askPassword: AskPassword, place: PasswordPlace): CheckPassword {
  return async (credentials, context) => {
    const result = await askPassword(credentials, place, context);
    if (result.outcome === 'limited') throw tooManyPasswords(result.retryAfter);
    return result.outcome === 'verified' && result.user.enabled ? result.user : undefined;
  };
}

/** 429: `retryAfter` in seconds. */
export function tooManyPasswords(retryAfter: number): OAuthError {
  const description = `too many wrong passwords from this address; try again in ${retryAfter} seconds`;
  return new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
}
