import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, type MfaPolicy, OAuthError, type SecondStep } from '@gatehouse/shared';
import type { PasswordChecked, PasswordPlace, Tell } from '../events/event.ts';
import type { OrganizationDirectory, PasswordCredentials, PasswordOutcome } from './organization-directory.ts';

/** Asks the organization about a password that was given at a place, and tells the answer. */
export type AskPassword = (
  credentials: PasswordCredentials,
  place: PasswordPlace,
  context: RequestContext,
) => Promise<PasswordOutcome>;

/** A user whose password was right. */
export interface PasswordProof {
  user: DirectoryUser;
  /** The step that must follow before the user is signed in; undefined where none must. */
  secondStep: SecondStep | undefined;
}

/** Gives the user whose password this is; undefined where it is wrong, or the user is disabled. */
export type CheckPassword = (
  credentials: PasswordCredentials,
  context: RequestContext,
) => Promise<PasswordProof | undefined>;

interface Dependencies {
  config: { requireMfa: MfaPolicy };
  directory: Pick<OrganizationDirectory, 'checkPassword'>;
  tell: Tell;
}

export function createAskPassword({ config, directory, tell }: Dependencies): AskPassword {
  return async (credentials, place, context) => {
    const { username, clientId } = credentials;
    const about = { type: 'password.checked', place, clientId, context } as const;
    try {
      const result = await directory.checkPassword({ ...credentials, secondStepFor: config.requireMfa }, context);
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
      if (!result.user.enabled) return { outcome: 'disabled', claimed: result.user };
      return { outcome: result.secondStep === undefined ? 'right' : 'unfinished', claimed: result.user };
    case 'wrong':
      return { outcome: 'wrong', claimed: { username: result.username ?? username, id: result.userId } };
    case 'limited':
      return { outcome: 'limited', claimed: { username: result.username ?? username, id: undefined } };
  }
}

export function createCheckPassword(askPassword: AskPassword, place: PasswordPlace): CheckPassword {
  return async (credentials, context) => {
    const result = await askPassword(credentials, place, context);
    if (result.outcome === 'limited') throw tooManyPasswords(result.retryAfter);
    if (result.outcome === 'wrong' || !result.user.enabled) return undefined;
    return { user: result.user, secondStep: result.secondStep };
  };
}

/** 429: `retryAfter` in seconds. */
export function tooManyPasswords(retryAfter: number): OAuthError {
  const description = `too many wrong passwords from this address; try again in ${retryAfter} seconds`;
  return new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
}
