import type { Clock, Logger, SlowHash } from '@gatehouse/service-kit';
import type { NewUser } from '@gatehouse/shared';
import { buildUser } from './administer-users.ts';
import type { UserStore } from './user-store.ts';

/** The users of a demo; development only. */
export const demoUsers: readonly NewUser[] = [
  {
    username: 'admin@example.com',
    password: 'admin-password',
    userType: 'Person',
    firstName: 'Ada',
    lastName: 'Admin',
    roles: ['SystemAdministrator'],
  },
  {
    username: 'idp.admin@example.com',
    password: 'idp-password',
    userType: 'Person',
    firstName: 'Ivo',
    lastName: 'Idp',
    roles: ['IdpAdministrator'],
  },
  {
    username: 'user@example.com',
    password: 'user-password',
    userType: 'Person',
    firstName: 'Ursula',
    lastName: 'User',
  },
  { username: 'robot@example.com', userType: 'Robot', firstName: 'Robin', lastName: 'Robot' },
];

interface Dependencies {
  users: UserStore;
  slowHash: SlowHash;
  clock: Clock;
  bootstrapAdmin: { username: string; password: string } | undefined;
  demoData: boolean;
  log: Logger;
}

/** Puts in place the users a database needs to begin with. Harmless when several replicas start at once. */
export async function createFirstUsers(deps: Dependencies): Promise<void> {
  const { users, bootstrapAdmin, demoData, log } = deps;
  if (demoData) {
    for (const user of demoUsers) await createUnlessThere(deps, { ...user, organization: 'Example' });
  }
  if (bootstrapAdmin !== undefined && !(await users.hasSystemAdministrator())) {
    await createUnlessThere(deps, { ...bootstrapAdmin, userType: 'Person', roles: ['SystemAdministrator'] });
    if (!(await users.hasSystemAdministrator())) {
      log.warn('BOOTSTRAP_ADMIN_USERNAME names a user who is there already, without the role: choose another name');
    }
  }
}

async function createUnlessThere({ users, slowHash, clock }: Dependencies, user: NewUser): Promise<void> {
  if ((await users.findByUsername(user.username)) !== undefined) return;
  const passwordHash = user.password === undefined ? undefined : await slowHash.hash(user.password);
  await users.insert(buildUser(user, passwordHash, clock()));
}
