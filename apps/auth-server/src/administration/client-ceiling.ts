import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, limitRoles, ProblemError, type Role, roles, rolesImpliedBy } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Administrator } from './administrator.ts';

/*
 * An administrator hands on no role that it lacks. A client has a ceiling: the roles that can be used through it at most.
 * An administrator who could change a client above its own roles could use those roles: by a new secret, or by a
 * redirect URI at which a more powerful user arrives.
 */

/** The ceiling of a client that the administrator registers. */
export function chooseCeiling(administrator: Administrator): Role[] {
  return rolesImpliedBy(administrator.roles);
}

/** The ceiling of a client that the administrator changes: never higher than it was. */
export function lowerCeiling({ ceiling }: Client, administrator: Administrator): Role[] {
  return limitRoles(ceiling, rolesImpliedBy(administrator.roles));
}

/** All roles, where a SystemAdministrator trusts the client with them; throws 403 for any other administrator. */
export function raiseCeiling(administrator: Administrator): readonly Role[] {
  if (administrator.roles.includes('SystemAdministrator')) return roles;
  throw new ProblemError(403, 'trusting a client with all roles requires SystemAdministrator');
}

/** Whether the change takes roles away. Issued access tokens still carry them. */
export function isCeilingLowered(before: Client, after: Client): boolean {
  return before.ceiling.some((role) => !after.ceiling.includes(role));
}

/** Throws the 403 that names the roles of a Robot which the administrator lacks. */
export function checkMayEmploy(administrator: Administrator, robot: DirectoryUser): void {
  const missing = findMissing(administrator, robot.roles);
  if (missing.length === 0) return;
  throw new ProblemError(
    403,
    `the Robot ${robot.username} has ${nameRoles(missing)}, which you lack; ask an administrator with more roles`,
  );
}

/** Throws a 403 unless the administrator has all roles of the client's ceiling, and of its Robot as it is now. */
export type CheckMayManage = (client: Client, administrator: Administrator, context: RequestContext) => Promise<void>;

export function createCheckMayManage(directory: Pick<OrganizationDirectory, 'findUserById'>): CheckMayManage {
  return async ({ ceiling, serviceAccount }, administrator, context) => {
    const missing = findMissing(administrator, ceiling);
    if (missing.length > 0) {
      throw new ProblemError(
        403,
        `the client may use ${nameRoles(missing)}, which you lack; ask an administrator with more roles`,
      );
    }
    const robot = serviceAccount && (await directory.findUserById(serviceAccount.userId, context));
    if (robot !== undefined) checkMayEmploy(administrator, robot);
  };
}

function findMissing({ roles: held }: Administrator, needed: readonly Role[]): Role[] {
  const worth = rolesImpliedBy(held);
  return needed.filter((role) => !worth.includes(role));
}

function nameRoles(names: readonly Role[]): string {
  return `the role${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}
