import { ProblemError, type UserMethods } from '@gatehouse/shared';
import { type Identity, nameIdentity } from '../identities/identity.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
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
  identities: Pick<IdentityStore, 'listOfUser'>;
  notify: Outbox['notify'];
}

/** The methods of users, for administrators. Each throws 400 for a Robot and 404. */
export function createMethodAdministration(deps: Dependencies) {
  const { users, describeMethods, removeMethod, passkeys, identities, notify } = deps;
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
    listIdentities: async (username: string): Promise<Identity[]> =>
      identities.listOfUser((await getPerson(username)).id),
    /** Gives the identity, too. Only the sessions that began there end. */
    async removeIdentity(username: string, id: string): Promise<{ user: User; identity: Identity }> {
      let own: Identity[] = [];
      const user = await remove(username, 'this user has no such identity', async (found) => {
        own = await identities.listOfUser(found.id);
        // Nobody here knows which upstreams are enabled, so each identity counts.
        const enabledIssuers = own.map(({ issuer }) => issuer);
        return removeMethod.identity(found, id, { voidsSessions: false, enabledIssuers });
      });
      const identity = own.find((one) => one.id === id) as Identity;
      await notify(user, 'identity_removed', {}, nameIdentity(identity));
      return { user, identity };
    },
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
