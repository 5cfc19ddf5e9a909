import type { Client } from './api/auth-server.ts';
import type { Service } from './api/request.ts';

/** The places and acts that the roles of a user open here; the services decide. */
export interface Rights {
  clients: boolean;
  users: boolean;
  /** Make, change and delete users; their sessions and methods. */
  changeUsers: boolean;
  /** Of auth-server; those of org-api need `changeUsers`. */
  events: boolean;
  /** Any at all. */
  any: boolean;
}

export function rightsOf(roles: readonly string[]): Rights {
  const isSystem = roles.includes('SystemAdministrator');
  const isIdp = isSystem || roles.includes('IdpAdministrator');
  const isReader = isIdp || roles.includes('DirectoryReader');
  return { clients: isIdp, users: isReader, changeUsers: isSystem, events: isIdp, any: isReader };
}

/** The services of which an administrator reads events and refusals. */
export function servicesOf({ changeUsers }: Rights): Service[] {
  return changeUsers ? ['auth-server', 'org-api'] : ['auth-server'];
}

/** Whether an administrator has these roles, of a user or of a ceiling. */
export function hasRoles(rights: Rights, roles: readonly string[]): boolean {
  return rights.changeUsers || !roles.includes('SystemAdministrator');
}

/** Whether a client may be changed: an administrator has every role of its ceiling, and it is no client of the configuration. */
export function mayManage(rights: Rights, { ceiling, managed_by }: Pick<Client, 'ceiling' | 'managed_by'>): boolean {
  return managed_by !== 'configuration' && hasRoles(rights, ceiling);
}

/** Whether its metadata, logo and keys may be changed, too: those of a document are changed there. */
export function mayEdit(rights: Rights, client: Pick<Client, 'ceiling' | 'managed_by' | 'metadata_document'>): boolean {
  return client.metadata_document === undefined && mayManage(rights, client);
}
