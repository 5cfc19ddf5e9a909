import type { components as AuthServerComponents } from './auth-server.ts';
import type { components as OrgApiComponents } from './org-api.ts';

export type { operations as AuthServerOperations, paths as AuthServerPaths } from './auth-server.ts';
export type { operations as OrgApiOperations, paths as OrgApiPaths } from './org-api.ts';

/** Schemas of auth-server by name: `AuthServerSchemas['Client']`. */
export type AuthServerSchemas = AuthServerComponents['schemas'];
/** Schemas of org-api by name: `OrgApiSchemas['UserDetails']`. */
export type OrgApiSchemas = OrgApiComponents['schemas'];
