import type { OrgApiOperations, OrgApiSchemas } from '@gatehouse/api-types';
import type { DryRun } from './auth-server.ts';
import { type ApiRequest, type OfVersion, versioned } from './request.ts';

/** Administrators read every user with the name. */
export type User = OrgApiSchemas['UserDetails'] & { username: string };
export type ListedUser = OrgApiSchemas['ListedUser'] & User;
export type Methods = OrgApiOperations['getUserMethods']['responses']['200']['content']['application/json'];
export type Identity = OrgApiSchemas['Identity'];

export type Deliver = 'mail' | 'link';

export interface Invitation {
  expiresAt: string;
  /** Where no mail was sent. */
  link?: string;
}

const users = { service: 'org-api', tag: 'users' } as const;
const root = '/organization/api/organization/user';
const pathOf = (username: string) => `${root}/userId/${encodeURIComponent(username)}`;

export const listUsers = (
  query: Partial<NonNullable<OrgApiOperations['listUsers']['parameters']['query']>>,
): ApiRequest<Omit<OrgApiSchemas['UserPage'], 'users'> & { users: ListedUser[] }> => ({
  ...{ ...users, operation: 'listUsers', method: 'GET', path: root, query: { ...query } },
});

export const getUser = (username: string): ApiRequest<User> => ({
  ...{ ...users, operation: 'getUser', method: 'GET', path: pathOf(username) },
});

export const createUser = (
  body: object,
  { dryRun = false } = {},
): ApiRequest<DryRun & User & { invitation?: Invitation }> => ({
  ...{ ...users, operation: 'createUser', method: 'POST', path: root, body },
  ...(dryRun && { query: { dry_run: true } }),
  secrets: { password: 'NEW_PASSWORD' },
});

export const changeUser = (username: string, body: object, version: OfVersion = {}): ApiRequest<DryRun & User> => ({
  ...{ ...users, operation: 'changeUser', method: 'PATCH', path: pathOf(username), body },
  ...versioned(version),
});

export const deleteUser = (username: string, version: OfVersion = {}): ApiRequest<DryRun> => ({
  ...{ ...users, operation: 'deleteUser', method: 'DELETE', path: pathOf(username) },
  ...versioned(version),
});

export const setUserPassword = (username: string, password: string): ApiRequest => ({
  ...{
    ...users,
    operation: 'setUserPassword',
    method: 'PUT',
    path: `${pathOf(username)}/password`,
    body: { password },
  },
  secrets: { password: 'NEW_PASSWORD' },
});

export const inviteUser = (username: string, body: { deliver?: Deliver }): ApiRequest<Invitation> => ({
  ...{ ...users, operation: 'inviteUser', method: 'POST', path: `${pathOf(username)}/invitations`, body },
});

export const withdrawUserInvitation = (username: string): ApiRequest => ({
  ...{ ...users, operation: 'withdrawUserInvitation', method: 'DELETE', path: `${pathOf(username)}/invitations` },
});

export const sendEmailVerification = (username: string): ApiRequest => ({
  ...{ ...users, operation: 'sendEmailVerification', method: 'POST', path: `${pathOf(username)}/email-verifications` },
});

export const getUserMethods = (username: string): ApiRequest<Methods> => ({
  ...{ ...users, operation: 'getUserMethods', method: 'GET', path: `${pathOf(username)}/methods` },
});

export const resetUserMethods = (
  username: string,
  body: { password?: boolean; deliver?: Deliver },
): ApiRequest<{ invitation: Invitation | null }> => ({
  ...{ ...users, operation: 'resetUserMethods', method: 'POST', path: `${pathOf(username)}/methods/reset`, body },
});

export const removeUserPasskey = (username: string, id: string): ApiRequest => ({
  ...{ ...users, operation: 'removeUserPasskey', method: 'DELETE' },
  path: `${pathOf(username)}/methods/passkeys/${encodeURIComponent(id)}`,
});

/** The accounts at upstreams by which a user signs in. */
export const getUserIdentities = (username: string): ApiRequest<{ identities: Identity[] }> => ({
  ...{ ...users, operation: 'getUserIdentities', method: 'GET', path: `${pathOf(username)}/identities` },
});

export const removeUserIdentity = (username: string, id: string): ApiRequest => ({
  ...{ ...users, operation: 'removeUserIdentity', method: 'DELETE' },
  path: `${pathOf(username)}/identities/${encodeURIComponent(id)}`,
});

export const getUserGroups = (username: string): ApiRequest<{ groups: { id: string; name: string }[] }> => ({
  ...{
    service: 'org-api',
    tag: 'groups',
    operation: 'getUserGroups',
    method: 'GET',
    path: `${pathOf(username)}/groups`,
  },
});

export type UserGroup = OrgApiSchemas['Group'];

const ofGroups = { service: 'org-api', tag: 'groups' } as const;
const groupRoot = '/organization/api/organization/group';
const groupPathOf = (id: string) => `${groupRoot}/${encodeURIComponent(id)}`;

type ListGroups = OrgApiOperations['listGroups'];
type ListMembers = OrgApiOperations['listGroupMembers'];

export const listGroups = (
  query: Partial<NonNullable<ListGroups['parameters']['query']>>,
): ApiRequest<ListGroups['responses']['200']['content']['application/json']> => ({
  ...{ ...ofGroups, operation: 'listGroups', method: 'GET', path: groupRoot, query: { ...query } },
});

export const getGroup = (id: string): ApiRequest<UserGroup> => ({
  ...{ ...ofGroups, operation: 'getGroup', method: 'GET', path: groupPathOf(id) },
});

export const createGroup = (body: object, { dryRun = false } = {}): ApiRequest<DryRun & UserGroup> => ({
  ...{ ...ofGroups, operation: 'createGroup', method: 'POST', path: groupRoot, body },
  ...(dryRun && { query: { dry_run: true } }),
});

export const changeGroup = (id: string, body: object, version: OfVersion = {}): ApiRequest<DryRun & UserGroup> => ({
  ...{ ...ofGroups, operation: 'changeGroup', method: 'PATCH', path: groupPathOf(id), body },
  ...versioned(version),
});

export const deleteGroup = (id: string, version: OfVersion = {}): ApiRequest<DryRun> => ({
  ...{ ...ofGroups, operation: 'deleteGroup', method: 'DELETE', path: groupPathOf(id) },
  ...versioned(version),
});

export const listGroupMembers = (
  id: string,
  query: Partial<NonNullable<ListMembers['parameters']['query']>>,
): ApiRequest<ListMembers['responses']['200']['content']['application/json']> => ({
  ...{ ...ofGroups, operation: 'listGroupMembers', method: 'GET', path: `${groupPathOf(id)}/members` },
  query: { ...query },
});

export const changeGroupMembers = (
  id: string,
  body: { add?: readonly string[]; remove?: readonly string[] },
): ApiRequest<{ added: number; removed: number }> => ({
  ...{ ...ofGroups, operation: 'changeGroupMembers', method: 'POST', path: `${groupPathOf(id)}/members`, body },
});

const removals = {
  'code-app': 'removeUserCodeApp',
  'recovery-codes': 'removeUserRecoveryCodes',
  password: 'removeUserPassword',
} as const;

export const removeUserMethod = (username: string, method: keyof typeof removals): ApiRequest => ({
  ...{ ...users, operation: removals[method], method: 'DELETE', path: `${pathOf(username)}/methods/${method}` },
});
