import { ProblemError, type UserMethods } from '@gatehouse/shared';
import { getUser } from '../users/get-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { DescribeMethods } from './describe-methods.ts';
import type { RemovalEffect, RemovalOutcome, RemoveMethod } from './remove-method.ts';

export type MethodAdministration = ReturnType<typeof createMethodAdministration>;

interface Dependencies {
  users: Pick<UserStore, 'findByUsername'>;
  describeMethods: DescribeMethods;
  removeMethod: RemoveMethod;
}

/** The methods of users, for administrators. Each throws 400 for a Robot and 404. */
export function createMethodAdministration({ users, describeMethods, removeMethod }: Dependencies) {
  const getPerson = async (username: string): Promise<User> => {
    const user = await getUser(users, username);
    if (user.userType === 'Robot') throw new ProblemError(400, 'a Robot never signs in');
    return user;
  };
  /** Gives the user. `none`: the text where there is nothing to remove. */
  const remove = async (
    username: string,
    none: string,
    how: (user: User, effect: RemovalEffect) => Promise<RemovalOutcome>,
  ): Promise<User> => {
    const user = await getPerson(username);
    switch (await how(user, { voidsSessions: true })) {
      case 'done':
        return user;
      case 'unknown':
        throw new ProblemError(404, none);
      case 'last_way_in':
        throw new ProblemError(409, 'this is the only way in which this user can sign in');
      case 'changed':
        throw new ProblemError(409, 'the methods of this user changed at the same moment; try again');
    }
  };
  return {
    list: async (username: string): Promise<UserMethods> => describeMethods(await getPerson(username)),
    // Each ends the tokens and sessions of the user.
    removeCodeApp: (username: string) => remove(username, 'this user has no code app', removeMethod.codeApp),
    removePasskey: (username: string, id: string) =>
      remove(username, 'this user has no such passkey', (user, effect) => removeMethod.passkey(user, id, effect)),
    removeRecoveryCodes: (username: string) =>
      remove(username, 'this user has no recovery codes', removeMethod.recoveryCodes),
    removePassword: (username: string) => remove(username, 'this user has no password', removeMethod.password),
  };
}
