import type { RequestContext } from '@gatehouse/service-kit';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Decision } from './grant-handler.ts';

/** Gives the grant with the groups that its user has now, where the API decides by groups. */
export type FindCurrentGroups = (grant: Decision['grant'], context: RequestContext) => Promise<Decision['grant']>;

/** The user of a decided grant may be of a second ago, while a change of groups counts at the next token. */
export function createFindCurrentGroups(directory: Pick<OrganizationDirectory, 'findUserById'>): FindCurrentGroups {
  return async (grant, context) => {
    if (grant.user === undefined) return grant;
    const current = await directory.findUserById(grant.user.id, context);
    return { ...grant, user: { ...grant.user, groups: current?.groups } };
  };
}
