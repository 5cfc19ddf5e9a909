import type { ClaimedUser } from '../events/event.ts';

/** The cause of a refusal: the user has another password. The audit trail names the user; the answer does not. */
export class WrongPasswordError extends Error {
  override readonly name = 'WrongPasswordError';
  readonly claimed: ClaimedUser;

  constructor(username: string, id: string | undefined) {
    super('the user has another password');
    this.claimed = { username, id };
  }
}
