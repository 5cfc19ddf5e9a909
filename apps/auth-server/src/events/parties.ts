import type { AuditParty } from '@gatehouse/service-kit';
import { type DirectoryUser, usernamePattern } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../protocol/request-context.ts';

export function describeUser({ id, username }: Pick<DirectoryUser, 'id' | 'username'>): AuditParty {
  return { kind: 'user', id, name: username };
}

export function describeClient({ registrationId, clientId }: Pick<Client, 'registrationId' | 'clientId'>): AuditParty {
  return { kind: 'client', id: registrationId, name: clientId };
}

const isUsername = new RegExp(usernamePattern, 'u');

/**
 * Whom somebody claimed to be, with the id where there is such a user. What is no username is left out: people type
 * passwords where usernames belong.
 */
export function describeClaimedUser(username: string, id?: string): AuditParty {
  return { kind: 'user', id, name: isUsername.test(username) && username.length <= 255 ? username : undefined };
}

/** The user of whom only the id is known, with the name where the organization tells it. */
export type DescribeUserById = (id: string, origin: Origin) => Promise<AuditParty>;

export function createDescribeUserById(directory: Pick<OrganizationDirectory, 'findUserById'>): DescribeUserById {
  return async (id, origin) => {
    const user = await directory.findUserById(id, origin).catch(() => undefined);
    return { kind: 'user', id, name: user?.username };
  };
}
