import type { UserChanges } from '@gatehouse/shared';
import type { User } from './user.ts';

export interface UserPageRequest {
  /** Start of a username, e-mail address, first or last name, without regard to case. */
  search: string | undefined;
  /** The id of the last user of the page before. */
  after: string | undefined;
  limit: number;
}

/** The change would leave no enabled Person with a password who is SystemAdministrator. */
export class LastAdministratorError extends Error {}

/** The port to the organization's users. */
export interface UserStore {
  /** False where the username is taken. Of several with one name at the same moment exactly one is inserted. */
  insert(user: User): Promise<boolean>;
  findById(id: string): Promise<User | undefined>;
  findByUsername(username: string): Promise<User | undefined>;
  findByIds(ids: readonly string[]): Promise<User[]>;
  findByUsernames(usernames: readonly string[]): Promise<User[]>;
  /** Lists users in the order of their ids, which is the order of their creation. */
  list(page: UserPageRequest): Promise<User[]>;
  /** False where there is no such user. Throws a {@link LastAdministratorError}. */
  update(id: string, changes: UserChanges, now: number): Promise<boolean>;
  /** False where there is no such user, or its hash is not `expectedHash` any more (where that is given). */
  replacePassword(id: string, change: { newHash: string; expectedHash?: string; now: number }): Promise<boolean>;
  /** False where there is no such user. Throws a {@link LastAdministratorError}. */
  delete(id: string): Promise<boolean>;
  /** Whether an enabled Person with a password is SystemAdministrator. */
  hasSystemAdministrator(): Promise<boolean>;
}
