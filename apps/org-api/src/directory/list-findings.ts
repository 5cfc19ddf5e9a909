import type { Clock } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { type DirectoryFindings, type Found, mostFound } from '@gatehouse/shared';
import { demoUsers } from '../users/demo-users.ts';
import type { User } from '../users/user.ts';
import type { UserFindingStore } from '../users/user-finding-store.ts';
import type { UserStore } from '../users/user-store.ts';

/** Finds what administrators have to look at, of what org-api knows. */
export type ListFindings = () => Promise<DirectoryFindings>;

interface Dependencies {
  config: { bootstrapAdmin: { username: string } | undefined };
  users: Pick<UserStore, 'findByUsername' | 'findByUsernames'>;
  userFindings: UserFindingStore;
  audit: Pick<AuditTrail, 'list'>;
  mails: { isOn: boolean };
  clock: Clock;
}

/** Milliseconds for which refusals without an event are told of. */
const leftOutFor = 7 * 86_400_000;

export function createListFindings(deps: Dependencies): ListFindings {
  const { config, users, userFindings, audit, mails, clock } = deps;
  const findSoleAdministrator = async () => {
    const [first, ...others] = await userFindings.listAdministrators(2);
    return others.length === 0 ? first : undefined;
  };
  const findBootstrapAdministrator = async () => {
    const { username } = config.bootstrapAdmin ?? {};
    const user = username === undefined ? undefined : await users.findByUsername(username);
    return user !== undefined && hasFirstPassword(user) ? user.username : undefined;
  };
  const listDemoUsers = async () => {
    const found = await users.findByUsernames(demoUsers.map(({ username }) => username));
    return found.filter(hasFirstPassword).map(({ username }) => username);
  };
  const countLeftOut = async (): Promise<Found> => {
    const query = { reason: 'left_out', from: clock() - leftOutFor, limit: mostFound + 1 } as const;
    const events = await audit.list(query);
    return { count: Math.min(events.length, mostFound), isExact: events.length <= mostFound };
  };
  return async () => {
    const [soleAdministrator, bootstrapAdministrator, demo, unverifiedAddresses, leftOut] = await Promise.all([
      findSoleAdministrator(),
      findBootstrapAdministrator(),
      listDemoUsers(),
      // Without mails nobody is mailed.
      mails.isOn ? userFindings.countUnverified(mostFound) : undefined,
      countLeftOut(),
    ]);
    return { soleAdministrator, bootstrapAdministrator, demoUsers: demo, unverifiedAddresses, leftOut };
  };
}

/** Whether the user signs in by the password that the record was made with. */
function hasFirstPassword({ enabled, passwordHash, isPasswordImported, passwordChangedAt, createdAt }: User): boolean {
  return enabled && passwordHash !== undefined && !isPasswordImported && passwordChangedAt === createdAt;
}
