import type { Clock, SlowHash } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { findFaultyFields, type LinkUse, type LinkUseResult, type NewMethod } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { Link } from '../mailed-links/link.ts';
import type { LinkStore } from '../mailed-links/link-store.ts';
import type { AddMethod } from '../methods/add-method.ts';
import type { NewPasswords } from '../passwords/new-password.ts';
import { buildUser } from '../users/build-user.ts';
import { buildDirectoryUser, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { DescribeLink } from './describe-link.ts';

export type RegisterByLink = ReturnType<typeof createRegisterByLink>;

interface Dependencies {
  config: { isRegistrationOpen: boolean };
  users: Pick<UserStore, 'insert' | 'delete' | 'findById' | 'listByAddress'>;
  links: LinkStore;
  describe: DescribeLink;
  newPasswords: Pick<NewPasswords, 'findFault' | 'minLength'>;
  addMethod: AddMethod;
  methods: { forget(userId: string): Promise<void> };
  slowHash: Pick<SlowHash, 'hash'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/** Makes the user whose address a link went to. Before, there is no row of a user. */
export function createRegisterByLink(deps: Dependencies) {
  const { config, users, links, describe, newPasswords, addMethod, methods, slowHash, audit, clock } = deps;
  const build = (link: Link, { fields = {} }: LinkUse, passwordHash: string | undefined): User => {
    const { firstName = '', lastName = '' } = fields;
    const { address: username, userId } = link;
    const newUser = { username, firstName, lastName, email: username, emailVerified: true };
    return buildUser(newUser, passwordHash, clock(), userId);
  };
  const isOpen = async (link: Link): Promise<boolean> =>
    config.isRegistrationOpen && link.expiresAt > clock() && (await users.listByAddress(link.address, 1)).length === 0;
  const addPasskey = async (
    user: User,
    { address, requestId, browser }: LinkUse,
    passkey: NonNullable<NewMethod['passkey']>,
  ) => {
    const caller = { userId: user.id, passwordChangedAt: user.passwordChangedAt, address, requestId };
    const from = { ...caller, ...(browser !== undefined && { browser }) };
    // The user, whom nobody can be yet, is taken back where no passkey was added.
    const takeBack = async () => {
      // The row goes last: as long as it is there, no other use of the link can insert it again.
      await methods.forget(user.id).finally(() => users.delete(user.id));
    };
    const added = await addMethod({ ...from, add: { passkey }, isVouched: true }).catch(async (error: unknown) => {
      await takeBack();
      throw error;
    });
    if (added.outcome === 'done') return added;
    await takeBack();
    return undefined;
  };
  /** Of several uses at the same moment one inserts the row. */
  const insert = async (link: Link, use: LinkUse): Promise<Registered> => {
    const { password = '', passkey } = use.fields ?? {};
    const user = build(link, use, undefined);
    if (passkey === undefined) {
      const fault = await newPasswords.findFault(password, user);
      if (fault !== undefined) return { outcome: 'refused', fault, passwordMinLength: newPasswords.minLength };
      const withPassword = build(link, use, await slowHash.hash(password, use.address));
      return (await users.insert(withPassword)) ? { user: withPassword, recoveryCodes: [] } : { outcome: 'gone' };
    }
    if (!(await users.insert(user))) return { outcome: 'gone' };
    const added = await addPasskey(user, use, passkey);
    if (added === undefined) return { outcome: 'wrong' };
    const { recoveryCodes, userVerified } = added;
    return { user, recoveryCodes, ...(userVerified !== undefined && { userVerified }) };
  };
  const register = async (link: Link, use: LinkUse): Promise<LinkUseResult> => {
    const { firstName = '', lastName = '' } = use.fields ?? {};
    if (firstName.trim() === '' || findFaultyFields({ firstName, lastName }).length > 0)
      return { outcome: 'wrong_fields' };
    const registered = await insert(link, use);
    if ('outcome' in registered) return registered;
    const { user, ...chosen } = registered;
    await links.delete(link);
    await audit.write({ ...describeOwnDeed(user, use), type: 'user.registered' });
    const after = (await users.findById(user.id)) ?? user;
    return { outcome: 'done', ...describe(link, user), signedIn: { user: buildDirectoryUser(after), ...chosen } };
  };
  return {
    isOpen,
    run: async (link: Link, use: LinkUse): Promise<LinkUseResult> =>
      use.fields === undefined
        ? { outcome: 'open', ...describe(link, build(link, use, undefined)) }
        : register(link, use),
  };
}

type Registered =
  | { user: User; recoveryCodes: string[]; userVerified?: boolean }
  | Extract<LinkUseResult, { outcome: 'refused' | 'gone' | 'wrong' }>;
