import { type AuditTrail, buildAuditEventView, listEventsOfUser } from '@gatehouse/service-kit/audit';
import type { AccountQuery, AccountQueryResult, ProfileField } from '@gatehouse/shared';
import type { IdentityStore } from '../identities/identity-store.ts';
import { buildIdentityView } from '../identities/identity-view.ts';
import type { ChangeEmail } from '../links/change-email.ts';
import type { DescribeMethods } from '../methods/describe-methods.ts';
import { buildUserDetails } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

export type DescribeAccount = ReturnType<typeof createDescribeAccount>;

interface Dependencies {
  config: { usersMayChange: ProfileField[]; passwordMinLength: number };
  users: Pick<UserStore, 'findById'>;
  describeMethods: DescribeMethods;
  identities: Pick<IdentityStore, 'listOfUser'>;
  changeEmail: Pick<ChangeEmail, 'describe'>;
  audit: Pick<AuditTrail, 'list'>;
}

/** Describes the account of a user to the user. */
export function createDescribeAccount(deps: Dependencies) {
  const { config, users, describeMethods, identities: identityStore, changeEmail, audit } = deps;
  const { usersMayChange: mayChange, passwordMinLength } = config;
  return async ({ userId, events }: AccountQuery): Promise<AccountQueryResult> => {
    const user = await users.findById(userId);
    if (user === undefined) return {};
    const [methods, linked, emailChange, found] = await Promise.all([
      describeMethods(user),
      user.identities === undefined ? [] : identityStore.listOfUser(userId),
      changeEmail.describe(user),
      events && listEventsOfUser(audit, { userId, ...events }),
    ]);
    const identities = linked.map(buildIdentityView);
    const own = { user: buildUserDetails(user, undefined), methods, identities, mayChange, passwordMinLength };
    const account = emailChange === undefined ? own : { ...own, emailChange };
    return { account: found === undefined ? account : { ...account, events: found.map(buildAuditEventView) } };
  };
}
