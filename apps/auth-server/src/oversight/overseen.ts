import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, ProblemError } from '@gatehouse/shared';
import { type Author, describeAdministrator } from '../administration/administrator.ts';
import { findMissingRoles, nameRoles } from '../administration/client-ceiling.ts';
import { MissingRoleError } from '../administration/missing-role.ts';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Tell } from '../events/event.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';

export type Overseen = ReturnType<typeof createOverseen>;

/** A page of a list. */
export interface Page {
  /** The cursor of the page before. */
  after: string | undefined;
  limit: number;
}

interface Dependencies {
  /** By username or id; throws 404, and 400 for a Robot. */
  getUser(user: string, context: RequestContext): Promise<DirectoryUser>;
  directory: Pick<OrganizationDirectory, 'findUserById'>;
  clients: Pick<ClientStore, 'find'>;
  tell: Tell;
}

/** The users and clients that an administrator looks at. Users with a role that the administrator lacks are not among them. */
export function createOverseen({ getUser, directory, clients, tell }: Dependencies) {
  /** Throws the 403 that names the roles which the administrator lacks. */
  const check = ({ administrator, context }: Author, user: DirectoryUser): void => {
    const missing = findMissingRoles(administrator, user.roles);
    if (missing.length === 0) return;
    tell({ type: 'user.kept', administrator: describeAdministrator(administrator), user, context });
    throw new MissingRoleError(
      `the user has ${nameRoles(missing)}, which you lack; ask an administrator with more roles`,
    );
  };
  return {
    check,
    /** By username or id; throws 404, 403, and 400 for a Robot. */
    async getUser(name: string, author: Author): Promise<DirectoryUser> {
      const user = await getUser(name, author.context);
      check(author, user);
      return user;
    },
    /** Those of these ids who are there, whatever their roles. */
    async findUsers(ids: readonly string[], context: RequestContext): Promise<Map<string, DirectoryUser>> {
      const found = await Promise.all(ids.map((id) => directory.findUserById(id, context)));
      return new Map(found.filter((user) => user !== undefined).map((user) => [user.id, user]));
    },
    /** Leaves out those who have a role that the administrator lacks. */
    leaveOut:
      ({ administrator }: Author) =>
      (users: ReadonlyMap<string, DirectoryUser>): ReadonlyMap<string, DirectoryUser> =>
        new Map([...users].filter(([, user]) => findMissingRoles(administrator, user.roles).length === 0)),
    /** Throws 404. */
    async getClient(clientId: string): Promise<Client> {
      const client = await clients.find(clientId);
      if (client === undefined) throw new ProblemError(404, 'there is no such client');
      return client;
    },
  };
}
