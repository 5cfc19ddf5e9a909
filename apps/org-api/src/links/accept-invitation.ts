import type { Clock } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import type { LinkUse, LinkUseResult, NewMethod } from '@gatehouse/shared';
import { describeOwnDeed } from '../events/audit.ts';
import type { Link } from '../mailed-links/link.ts';
import type { LinkStore } from '../mailed-links/link-store.ts';
import type { AddMethod } from '../methods/add-method.ts';
import { buildDirectoryUser, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { DescribeLink } from './describe-link.ts';
import { mailed } from './invitations.ts';
import type { SetPasswordByLink } from './set-password-by-link.ts';

interface Dependencies {
  users: Pick<UserStore, 'findById' | 'verifyEmail'>;
  links: LinkStore;
  setPassword: SetPasswordByLink;
  describe: DescribeLink;
  addMethod: AddMethod;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
}

/** An invited user chooses a password or a passkey, and is signed in. */
export function createAcceptInvitation(deps: Dependencies) {
  const { users, links, setPassword, describe, addMethod, audit, clock } = deps;
  const addPasskey = async (user: User, use: LinkUse, passkey: NonNullable<NewMethod['passkey']>): Promise<Chosen> => {
    const { id: userId, passwordChangedAt } = user;
    const { address, requestId, browser } = use;
    const caller = { userId, passwordChangedAt, address, requestId, ...(browser !== undefined && { browser }) };
    const result = await addMethod({ ...caller, add: { passkey }, isVouched: true });
    if (result.outcome === 'wrong') return { outcome: 'wrong' };
    if (result.outcome !== 'done') return { outcome: 'gone' };
    const { recoveryCodes, userVerified } = result;
    return { recoveryCodes, ...(userVerified !== undefined && { userVerified }) };
  };
  const choose = async (link: Link, user: User, use: LinkUse): Promise<Chosen> => {
    const passkey = use.fields?.passkey;
    if (passkey !== undefined) return addPasskey(user, use, passkey);
    return (await setPassword(link, user, use)) ?? { recoveryCodes: [] };
  };
  return async (link: Link, user: User, use: LinkUse): Promise<LinkUseResult> => {
    const chosen = await choose(link, user, use);
    if ('outcome' in chosen) return chosen;
    await links.delete(link);
    if (link.data === mailed) await users.verifyEmail(user.id, link.address, clock());
    await audit.write({ ...describeOwnDeed(user, use), type: 'invitation.accepted' });
    const after = (await users.findById(user.id)) ?? user;
    return { outcome: 'done', ...describe(link, user), signedIn: { user: buildDirectoryUser(after), ...chosen } };
  };
}

/** The way that an invited user chose, or why there is none. */
type Chosen = { recoveryCodes: string[]; userVerified?: boolean } | LinkUseResult;
