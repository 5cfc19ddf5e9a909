import type { Database } from '@gatehouse/service-kit/database';
import { createGroupMemberStore } from './group-member-store.ts';
import { createGroupStore } from './group-store.ts';

export type Groups = ReturnType<typeof createGroups>;

/** Groups, and who is in them. */
export function createGroups({ database }: { database: Database }) {
  return { groups: createGroupStore(database), groupMembers: createGroupMemberStore(database) };
}
