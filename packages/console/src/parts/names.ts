import { listClients, listIssuers, listResources } from '../api/auth-server.ts';
import { listGroups, listUsers } from '../api/org-api.ts';
import type { Send } from '../api/request.ts';
import type { Rights } from '../rights.ts';

export interface Name {
  value: string;
  /** Words for it, where it is no name that people know. */
  label?: string;
}

/** The names that a field may take: a service is asked for those that fit what is typed. */
export interface Names {
  kind: string;
  /** The right that opens the list. */
  may: keyof Rights;
  find: (send: Send, typed: string) => Promise<readonly Name[]>;
}

/** A search takes four words of 64 characters in all. */
const searchOf = (typed: string) => {
  const search = typed.trim().split(/\s+/).slice(0, 4).join(' ').slice(0, 64);
  return search === '' ? {} : { search };
};

export const apiNames: Names = {
  ...{ kind: 'apis', may: 'clients' },
  find: async (send, typed) => {
    const { body } = await send(listResources({ ...searchOf(typed), limit: 20 }));
    return body.resources.map(({ resource, name }) => ({ value: resource, label: name }));
  },
};

export const clientNames: Names = {
  ...{ kind: 'clients', may: 'clients' },
  find: async (send, typed) => {
    const { body } = await send(listClients({ ...searchOf(typed), limit: 20 }));
    return body.clients.map(({ client_id, client_name }) => ({
      value: client_id,
      ...(client_name !== undefined && { label: client_name }),
    }));
  },
};

const namesOfUsers = (userType: 'Person' | 'Robot'): Names => ({
  ...{ kind: userType, may: 'users' },
  find: async (send, typed) => {
    const { body } = await send(listUsers({ ...searchOf(typed), userType, limit: 20 }));
    return body.users.map(({ username, firstName = '', lastName = '' }) => ({
      value: username,
      label: `${firstName} ${lastName}`.trim(),
    }));
  },
});
export const personNames = namesOfUsers('Person');
export const robotNames = namesOfUsers('Robot');

/** Their lists take no search: the browser searches in the first 200. */
export const groupNames: Names = {
  ...{ kind: 'groups', may: 'users' },
  find: async (send) => (await send(listGroups({ limit: 200 }))).body.groups.map(({ name }) => ({ value: name })),
};
export const issuerNames: Names = {
  ...{ kind: 'issuers', may: 'changeUsers' },
  find: async (send) => {
    const { body } = await send(listIssuers({ limit: 200 }));
    return body.issuers.map(({ issuer, name }) => ({ value: issuer, label: name }));
  },
};
