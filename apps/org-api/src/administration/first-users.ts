import type { Clock, Logger, SlowHash } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import type { NewUser } from '@gatehouse/shared';
import { describeService, describeUser } from '../events/audit.ts';
import { isCommonPassword } from '../passwords/common-password.ts';
import { buildUser } from '../users/build-user.ts';
import { demoUsers } from '../users/demo-users.ts';
import type { UserStore } from '../users/user-store.ts';

interface Dependencies {
  users: UserStore;
  slowHash: SlowHash;
  clock: Clock;
  bootstrapAdmin: { username: string; password: string } | undefined;
  demoData: boolean;
  production: boolean;
  audit: Pick<AuditTrail, 'write'>;
  log: Logger;
}

/** Creates the first users of a database. Several replicas may run it at once. */
export async function createFirstUsers(deps: Dependencies): Promise<void> {
  const { users, bootstrapAdmin, demoData, production, log } = deps;
  if (demoData) {
    for (const user of demoUsers) await createUnlessThere(deps, { ...user, organization: 'Example' });
  }
  if (bootstrapAdmin !== undefined && !(await users.hasSystemAdministrator())) {
    if (isCommonPassword(bootstrapAdmin.password)) {
      log.warn('BOOTSTRAP_ADMIN_PASSWORD is one of the 10,000 most common passwords: production refuses it');
    }
    await createUnlessThere(deps, { ...bootstrapAdmin, userType: 'Person', roles: ['SystemAdministrator'] });
    if (!(await users.hasSystemAdministrator())) {
      log.warn('BOOTSTRAP_ADMIN_USERNAME names a user who is there already, without the role: choose another name');
    }
  } else if (bootstrapAdmin === undefined && production && !(await users.hasSystemAdministrator())) {
    log.warn(
      'the organization has no SystemAdministrator: set BOOTSTRAP_ADMIN_USERNAME and BOOTSTRAP_ADMIN_PASSWORD, and start again',
    );
  }
}

async function createUnlessThere({ users, slowHash, clock, audit }: Dependencies, newUser: NewUser): Promise<void> {
  if ((await users.findByUsername(newUser.username)) !== undefined) return;
  const passwordHash = newUser.password === undefined ? undefined : await slowHash.hash(newUser.password);
  const user = buildUser(newUser, passwordHash, clock());
  if (!(await users.insert(user))) return;
  const { roles } = user;
  await audit.write({
    type: 'user.created',
    actor: describeService(),
    subject: describeUser(user),
    details: { roles },
  });
}
