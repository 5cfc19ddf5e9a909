import { type DirectoryUser, foldGroupName } from '@gatehouse/shared';
import type { TokenGroups } from '../resources/resource.ts';

/** The most names in one token: headers have 8 KB. */
const mostNames = 100;

/** The claims that say in which of these groups a user is. More names than a token carries are left out as a whole. */
export function buildGroupClaims({ names, claim }: TokenGroups, { groups = [] }: Pick<DirectoryUser, 'groups'>) {
  const wanted = names.map(foldGroupName);
  const found = groups.filter((name) => isAmong(foldGroupName(name), wanted));
  if (found.length === 0) return {};
  return found.length > mostNames ? { groups_omitted: true as const } : { [claim]: found };
}

function isAmong(name: string, wanted: readonly string[]): boolean {
  return wanted.some((one) => name === one || (one.endsWith('*') && name.startsWith(one.slice(0, -1))));
}
