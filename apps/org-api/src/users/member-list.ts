import type { Database } from '@gatehouse/service-kit/database';
import { mostExamined, type Total, totalOf } from '@gatehouse/service-kit/terms';
import { createGroupMemberStore } from '../groups/group-member-store.ts';
import { createGroupStore } from '../groups/group-store.ts';
import type { User } from './user.ts';

/** Members that are read at a time. */
const batchSize = 200;

interface Walk {
  /** The name of a group. */
  group: string;
  /** The id after which it begins. */
  after: string | undefined;
  /** The most users. */
  limit: number;
}

/** Gives the users of these ids that are listed, in this order. */
type ReadListed = (ids: readonly string[]) => Promise<User[]>;

/** A page of members; `next`: the id after which the one after it begins. */
export interface MemberPage {
  users: User[];
  next: string | undefined;
}

/** Walks through the members of a group in the order of their ids: 10,000 of them at most. None where no group has the name. */
export function createMemberList(database: Database) {
  const groups = createGroupStore(database);
  const members = createGroupMemberStore(database);
  const walk = async ({ group, after, limit }: Walk, readListed: ReadListed): Promise<MemberPage> => {
    const [found] = await groups.findByNames([group]);
    const users: User[] = [];
    let last = after;
    for (let examined = 0; found !== undefined && examined < mostExamined; examined += batchSize) {
      const batch = await members.listMembers(found.id, { after: last, limit: batchSize });
      users.push(...(await readListed(batch.map(({ id }) => id))));
      if (users.length > limit) return { users: users.slice(0, limit), next: users[limit - 1]?.id };
      if (batch.length < batchSize) return { users, next: undefined };
      last = batch.at(-1)?.id;
    }
    return { users, next: found === undefined ? undefined : last };
  };
  return {
    walk,
    /** Counts those that are listed. */
    async count(group: string, readListed: ReadListed): Promise<Total> {
      const { users, next } = await walk({ group, after: undefined, limit: mostExamined }, readListed);
      return next === undefined ? totalOf(users.length) : { total: users.length, isExact: false };
    },
  };
}
