import type { RequestContext } from '@gatehouse/service-kit';
import type { AccountData, AccountQuery } from '@gatehouse/shared';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import { DeletedUserError } from './deleted-user.ts';

/** Finds what a signed-in user sees of the own account. Throws an OrganizationUnavailableError and a DeletedUserError. */
export type FindAccount = (query: AccountQuery, context: RequestContext) => Promise<AccountData>;

export function createFindAccount(directory: Pick<OrganizationDirectory, 'describeAccount'>): FindAccount {
  return async (query, context) => {
    const account = await directory.describeAccount(query, context);
    if (account === undefined) throw new DeletedUserError();
    return account;
  };
}

/** Finds the time zone that pages show times in. */
export type FindTimeZone = (signedIn: SignedInUser, context: RequestContext) => Promise<string>;

export function createFindTimeZone(findAccount: FindAccount): FindTimeZone {
  return async ({ user }, context) => {
    const { timezone = 'UTC' } = (await findAccount({ userId: user.id }, context)).user;
    return timezone;
  };
}
