import type { ClaimedUser } from '../events/event.ts';

/** The cause of a refusal: the password of this user is another one. For those who watch, never sent. */
export class WrongPasswordError extends Error {
  override readonly name = 'WrongPasswordError';
  readonly claimed: ClaimedUser;

  constructor(username: string, id: string | undefined) {
    super('another password');
    this.claimed = { username, id };
  }
}
