import type { RequestContext } from '@gatehouse/service-kit';
import { changedMeanwhile, isExpectedVersion } from '@gatehouse/service-kit/etag';
import {
  type DirectoryUser,
  type FieldError,
  fieldsProblem,
  limitRoles,
  ProblemError,
  type Role,
  roles,
  rolesImpliedBy,
} from '@gatehouse/shared';
import { isBuiltIn } from '../clients/built-in-clients.ts';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Administrator, Author, Change } from './administrator.ts';
import type { ClientViews } from './client-view.ts';
import { MissingRoleError } from './missing-role.ts';

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
  throw new MissingRoleError('trusting a client with all roles requires SystemAdministrator');
}

/** Whether the change takes roles away. Issued access tokens still carry them. */
export function isCeilingLowered(before: Client, after: Client): boolean {
  return before.ceiling.some((role) => !after.ceiling.includes(role));
}

/** Throws the 403 that names the roles of a Robot which the administrator lacks. */
export function checkMayEmploy(administrator: Administrator, robot: DirectoryUser): void {
  const missing = findMissingRoles(administrator, robot.roles);
  if (missing.length === 0) return;
  throw new MissingRoleError(
    `the Robot ${robot.username} has ${nameRoles(missing)}, which you lack; ask an administrator with more roles`,
  );
}

/** Throws the 403 that names the roles of a user which the administrator lacks. */
export function checkHasRolesOf(administrator: Administrator, user: DirectoryUser): void {
  const missing = findMissingRoles(administrator, user.roles);
  if (missing.length === 0) return;
  throw new MissingRoleError(
    `the user ${user.username} has ${nameRoles(missing)}, which you lack; ask an administrator with more roles`,
  );
}

/** Throws a 403 unless the administrator has all roles of the client's ceiling, and of its Robot as it is now. */
export type CheckMayManage = (client: Client, administrator: Administrator, context: RequestContext) => Promise<void>;

export function createCheckMayManage(directory: Pick<OrganizationDirectory, 'findUserById'>): CheckMayManage {
  return async ({ ceiling, serviceAccount }, administrator, context) => {
    const missing = findMissingRoles(administrator, ceiling);
    if (missing.length > 0) {
      throw new MissingRoleError(
        `the client may use ${nameRoles(missing)}, which you lack; ask an administrator with more roles`,
      );
    }
    const robot = serviceAccount && (await directory.findUserById(serviceAccount.userId, context));
    if (robot !== undefined) checkMayEmploy(administrator, robot);
  };
}

/**
 * Throws a 403 where a client whose tokens another one is to exchange may use a role that the administrator lacks. Of
 * `exchange_from` as it is sent; nobody has a name that is not registered.
 */
export type CheckExchangeFrom = (names: readonly string[] | null | undefined, by: Administrator) => Promise<void>;

export function createCheckExchangeFrom({ clients }: { clients: Pick<ClientStore, 'find'> }): CheckExchangeFrom {
  return async (names, administrator) => {
    const named = await Promise.all((names ?? []).map((name) => clients.find(name)));
    for (const client of named) {
      const missing = client === undefined ? [] : findMissingRoles(administrator, client.ceiling);
      if (missing.length === 0) continue;
      throw new MissingRoleError(
        `exchange_from names ${client?.clientId}, which may use ${nameRoles(missing)}, which you lack; ask an administrator with more roles`,
      );
    }
  };
}

/** The roles of these that the administrator does not have. */
export function findMissingRoles({ roles: held }: Administrator, needed: readonly Role[]): Role[] {
  const implied = rolesImpliedBy(held);
  return needed.filter((role) => !implied.includes(role));
}

export function nameRoles(names: readonly Role[]): string {
  return `the role${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}

const field = 'srvc_ac_user_name';

/** The administrator lets a client act as the Robot that `username` names. */
interface Employment {
  username: string;
  administrator: Administrator;
  context: RequestContext;
}

/** The Robot; throws a 400 that says what is wrong with it, or a 403 where it has a role that the administrator lacks. */
export async function getServiceAccount(
  directory: Pick<OrganizationDirectory, 'findUserByUsername'>,
  { username, administrator, context }: Employment,
): Promise<NonNullable<Client['serviceAccount']>> {
  const user = await directory.findUserByUsername(username, context);
  checkIsRobot(user);
  checkMayEmploy(administrator, user);
  return { userId: user.id, username: user.username };
}

function checkIsRobot(user: DirectoryUser | undefined): asserts user is DirectoryUser {
  if (user === undefined) throw refuse('must name an existing Robot user of the organization; there is no such user');
  if (user.userType !== 'Robot') throw refuse('must name a Robot user of the organization; this user is a Person');
  if (!user.enabled) throw refuse('must name an enabled Robot user of the organization; this Robot is disabled');
}

function refuse(detail: string) {
  const error: FieldError = { field, detail };
  return fieldsProblem([error]);
}

/** The refusal of a change, also of a registration under the name. */
export function belongsToConfiguration(): ProblemError {
  return new ProblemError(409, 'belongs to the configuration');
}

export type ManageableClients = ReturnType<typeof createManageableClients>;

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  clientViews: Pick<ClientViews, 'show'>;
  directory: Pick<OrganizationDirectory, 'findUserById'>;
}

/** Registered clients as administrators reach them. */
export function createManageableClients({ clients, clientViews, directory }: Dependencies) {
  const checkMayManage = createCheckMayManage(directory);

  const get = async (clientId: string): Promise<Client> => {
    const client = await clients.find(clientId);
    if (client === undefined) throw new ProblemError(404, 'no client has this client_id');
    return client;
  };
  const getFor = async ({ administrator, context }: Author, clientId: string): Promise<Client> => {
    const client = await get(clientId);
    if (isBuiltIn(client)) throw belongsToConfiguration();
    await checkMayManage(client, administrator, context);
    return client;
  };

  return {
    /** Throws 404 where no client has this client_id. */
    get,
    /** Throws 403 too, where the author lacks a role that the client has. */
    async getInReach({ administrator, context }: Author, clientId: string): Promise<Client> {
      const client = await get(clientId);
      await checkMayManage(client, administrator, context);
      return client;
    },
    /** The same to change it; throws 409 too, for a built-in one. */
    getFor,
    /** The same; throws 412 too, where the change is meant for another version. */
    async getToChange(change: Change, clientId: string): Promise<Client> {
      const client = await getFor(change, clientId);
      if (isExpectedVersion(change.expected, client)) return client;
      throw changedMeanwhile(await clientViews.show(client));
    },
  };
}
