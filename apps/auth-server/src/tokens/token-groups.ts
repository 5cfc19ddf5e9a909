import type { DirectoryUser } from '@gatehouse/shared';
import { createMatchGroups } from '../resources/match-groups.ts';
import type { TokenGroups } from '../resources/resource.ts';

/** The most names in one token: headers have 8 KB. */
const mostNames = 100;

/** The claims that say in which of these groups a user is. More names than a token carries are left out as a whole. */
export function buildGroupClaims({ names, claim }: TokenGroups, { groups = [] }: Pick<DirectoryUser, 'groups'>) {
  const found = groups.filter(createMatchGroups(names));
  if (found.length === 0) return {};
  return found.length > mostNames ? { groups_omitted: true as const } : { [claim]: found };
}
