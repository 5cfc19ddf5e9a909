/** The places and acts that the roles of a user open here; the services decide. */
export interface Rights {
  clients: boolean;
  users: boolean;
  /** Make, change and delete users; their sessions, methods and events. */
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
