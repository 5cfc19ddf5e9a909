import { type DirectoryUser, foldGroupName } from '@gatehouse/shared';
import type { Client } from './client.ts';

/** Whether the client lets the user sign in. A name that no group has lets nobody in, and Robots do not sign in. */
export function letsIn(
  { metadata }: Pick<Client, 'metadata'>,
  { userType, groups = [] }: Pick<DirectoryUser, 'userType' | 'groups'>,
): boolean {
  const { allowed_groups: allowed } = metadata;
  if (allowed === undefined || userType === 'Robot') return true;
  const keys = new Set(allowed.map(foldGroupName));
  return groups.some((name) => keys.has(foldGroupName(name)));
}

/** The refusal of a user whom the client does not let in, in words for those who run it. */
export const notLetInText = 'the user is in none of the groups that this client lets in (allowed_groups)';
