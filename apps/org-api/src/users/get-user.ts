import { ProblemError } from '@gatehouse/shared';
import type { User } from './user.ts';
import type { UserStore } from './user-store.ts';

/** Gives the user of this name; throws a 404. */
export async function getUser(users: Pick<UserStore, 'findByUsername'>, username: string): Promise<User> {
  const user = await users.findByUsername(username);
  if (user === undefined) throw noSuchUser();
  return user;
}

export function noSuchUser(): ProblemError {
  return new ProblemError(404, 'no user has this username');
}
