import { ProblemError, type UserMethods } from '@gatehouse/shared';
import type { Outbox } from '../mails/outbox.ts';
import { getUser } from '../users/get-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { DescribeMethods } from './describe-methods.ts';
import type { PasskeyStore } from './passkey-store.ts';
import type { RemovalEffect, RemovalOutcome, RemoveMethod } from './remove-method.ts';

export type MethodAdministration = ReturnType<typeof createMethodAdministration>;

interface Dependencies {
  users: Pick<UserStore, 'findByUsername'>;
  describeMethods: DescribeMethods;
  removeMethod: RemoveMethod;
  passkeys: Pick<PasskeyStore, 'findName'>;
  notify: Outbox['notify'];
}

/** The methods of users, for administrators. Each throws 400 for a Robot and 404. */
export function createMethodAdministration(deps: Dependencies) {
  const { users, describeMethods, removeMethod, passkeys, notify } = deps;
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
    async removeCodeApp(username: string): Promise<User> {
      const user = await remove(username, 'this user has no code app', removeMethod.codeApp);
      await notify(user, 'code_app_removed', {});
      return user;
    },
    async removePasskey(username: string, id: string): Promise<User> {
      let name = '';
      const user = await remove(username, 'this user has no such passkey', async (found, effect) => {
        name = await passkeys.findName(found.id, id);
        return removeMethod.passkey(found, id, effect);
      });
      await notify(user, 'passkey_removed', {}, { name });
      return user;
    },
    removeRecoveryCodes: (username: string) =>
      remove(username, 'this user has no recovery codes', removeMethod.recoveryCodes),
    /** Removes all methods but the password, or with it. Gives the user as it is then. */
    async reset(username: string, what: { password: boolean }): Promise<User> {
      const user = await getPerson(username);
      if ((await removeMethod.all(user, what)) === 'changed') {
        throw new ProblemError(409, 'the methods of this user changed at the same moment; try again');
      }
      await notify(user, 'methods_reset', {});
      return getPerson(username);
    },
    removePassword: (username: string) => remove(username, 'this user has no password', removeMethod.password),
  };
}
