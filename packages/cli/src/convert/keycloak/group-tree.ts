import { objectsOf, type SourceObject } from '../source-value.ts';
import { nameRoles } from './roles.ts';

/** A group of Keycloak, with all that its members have by it and by the groups around it. */
export interface KeycloakGroup {
  /** Paths without the first `/`: its own, then those of the groups around it. */
  names: string[];
  /** By {@link nameRoles}. */
  roles: string[];
  hasAttributes: boolean;
}

/** The groups of a realm by their paths. A name may hold `/`, so parents are read from the tree. */
export function readGroupTree(realm: SourceObject): Map<string, KeycloakGroup> {
  const groups = new Map<string, KeycloakGroup>();
  const visit = (group: SourceObject, parent: KeycloakGroup | undefined): void => {
    const path = String(group.path ?? `/${[...(parent?.names.slice(0, 1) ?? []), group.name].join('/')}`);
    const found: KeycloakGroup = {
      names: [path.replace(/^\//, ''), ...(parent?.names ?? [])],
      roles: [...nameRoles(group.realmRoles, group.clientRoles), ...(parent?.roles ?? [])],
      hasAttributes: Object.keys(group.attributes ?? {}).length > 0,
    };
    groups.set(path, found);
    for (const child of objectsOf(group.subGroups)) visit(child, found);
  };
  for (const group of objectsOf(realm.groups)) visit(group, undefined);
  return groups;
}
