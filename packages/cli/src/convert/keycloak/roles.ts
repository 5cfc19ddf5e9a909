import { objectOf, objectsOf, type SourceObject, textsOf } from '../source-value.ts';

/** The clients of each realm, of which no application is one. In the realm master `<realm>-realm` is another. */
const builtInClients = [
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
];

/** Roles that each realm has, and that say nothing to an application. */
const builtInRoles = ['offline_access', 'uma_authorization'];

export type Roles = ReturnType<typeof createRoles>;

export function isBuiltIn(client: SourceObject): boolean {
  return builtInClients.includes(String(client.clientId)) || objectOf(client.attributes).realm_client === 'true';
}

interface Role {
  name: string;
  /** Names of the roles that it is composed of. */
  parts: string[];
  /** Keycloak's own: no group here. */
  isBuiltIn: boolean;
  /** A right to administer Keycloak. */
  isAdministrative: boolean;
}

/** The roles of a realm by the names of their groups: `role:NAME`, and `CLIENT:ROLE`. */
export function createRoles(realm: SourceObject) {
  const { realm: ofRealm, client: ofClients } = objectOf(realm.roles);
  const own = [...builtInRoles, String(objectOf(realm.defaultRole).name ?? '')];
  const ofThatRealm = objectsOf(ofRealm).map((role) => buildRole('role', role, own.includes(String(role.name)), false));
  const ofAllClients = Object.entries(objectOf(ofClients)).flatMap(([clientId, roles]) => {
    const client = objectsOf(realm.clients).find((each) => each.clientId === clientId);
    const isOwn = client !== undefined && isBuiltIn(client);
    const administers = isOwn && (clientId === 'realm-management' || clientId.endsWith('-realm'));
    return objectsOf(roles).map((role) => buildRole(clientId, role, isOwn, administers));
  });
  const byName = new Map([...ofThatRealm, ...ofAllClients].map((role) => [role.name, role]));
  const groupsOf = (roles: Iterable<Role>) => [...roles].filter((role) => !role.isBuiltIn).map(({ name }) => name);
  return {
    /** Names of all roles that become groups. */
    list: () => groupsOf(byName.values()),
    /** The named roles, and those that they are composed of, at any depth. */
    resolve(names: Iterable<string>): { groups: string[]; administrative: string[] } {
      const found = new Set<Role>();
      const open = [...names];
      for (let name = open.pop(); name !== undefined; name = open.pop()) {
        const role = byName.get(name);
        if (role === undefined || found.has(role)) continue;
        found.add(role);
        open.push(...role.parts);
      }
      const administrative = [...found].filter((role) => role.isAdministrative).map(({ name }) => name);
      return { groups: groupsOf(found), administrative };
    },
  };
}

function buildRole(owner: string, role: SourceObject, isOwn: boolean, isAdministrative: boolean): Role {
  const { realm, client } = objectOf(role.composites);
  return { name: `${owner}:${role.name}`, parts: nameRoles(realm, client), isBuiltIn: isOwn, isAdministrative };
}

/** The names of roles of the realm and of clients, as an export lists them. */
export function nameRoles(ofRealm: unknown, ofClients: unknown): string[] {
  const roles = Object.entries(objectOf(ofClients)).flatMap(([client, names]) =>
    textsOf(names).map((name) => `${client}:${name}`),
  );
  return [...textsOf(ofRealm).map((name) => `role:${name}`), ...roles];
}
