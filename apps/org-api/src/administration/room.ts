import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger, SlowHash } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Groups } from '../groups/room.ts';
import type { Links } from '../links/room.ts';
import type { Mails } from '../mails/room.ts';
import type { Methods } from '../methods/room.ts';
import type { Passwords } from '../passwords/room.ts';
import type { UserListStore } from '../users/user-list-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { createGroupAdministration } from './administer-groups.ts';
import { createUserAdministration } from './administer-users.ts';
import { registerOrganizationAuditEvents } from './audit-events-endpoint.ts';
import { registerErasures } from './erasures-endpoint.ts';
import { createFirstUsers } from './first-users.ts';
import { registerGroups } from './groups-endpoint.ts';
import { createUserOperations } from './user-operations-endpoint.ts';
import { registerUsers } from './users-endpoint.ts';

interface Needs {
  config: Pick<Config, 'bootstrapAdmin' | 'demoData' | 'production'>;
  groups: Groups;
  users: UserStore;
  userLists: UserListStore;
  slowHash: SlowHash;
  methods: Methods;
  passwords: Passwords;
  mails: Mails;
  links: Links;
  callers: Callers;
  events: Events;
  clock: Clock;
  log: Logger;
}

const pause = (tries: number): Promise<void> => sleep(randomInt(10 * 2 ** Math.min(tries, 5)) + 1);

export type Administration = ReturnType<typeof createAdministration>;

/** Creates the first users, and lets administrators create, change and delete users and read what happened. */
export function createAdministration(needs: Needs) {
  const { config, users, slowHash, methods, passwords, mails, links, callers, events, clock, log } = needs;
  const { audit } = events;
  const groupAdministration = createGroupAdministration({ ...needs.groups, users, clock, pause });
  const common = { users, slowHash, mails, links, clock };
  const userAdministration = createUserAdministration({ ...common, ...passwords, groupAdministration });
  const operations = createUserOperations({ ...callers, audit });
  return {
    operations,
    userAdministration,
    createFirstUsers: () => createFirstUsers({ ...config, users, slowHash, clock, audit, log }),
    async routes(app: FastifyInstance) {
      const { userLists } = needs;
      registerUsers(app, {
        operations,
        userAdministration,
        users,
        userLists,
        audit,
        mails,
        ...links,
        ...methods,
        ...passwords,
        ...callers,
      });
      registerGroups(app, { operations, groupAdministration, users, audit });
      registerErasures(app, { operations, ...links });
      registerOrganizationAuditEvents(app, { audit, ...callers });
    },
  };
}
