import type { Clock, Logger } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Passwords } from '../passwords/room.ts';
import type { UserStore } from '../users/user-store.ts';
import { createUserAdministration } from './administer-users.ts';
import { registerOrganizationAuditEvents } from './audit-events-endpoint.ts';
import { createFirstUsers } from './first-users.ts';
import { registerUsers } from './users-endpoint.ts';

interface Needs {
  config: Pick<Config, 'bootstrapAdmin' | 'demoData' | 'production'>;
  users: UserStore;
  passwords: Passwords;
  callers: Callers;
  events: Events;
  clock: Clock;
  log: Logger;
}

/** Creates the first users, and lets administrators create, change and delete users and read what happened. */
export function createAdministration({ config, users, passwords, callers, events, clock, log }: Needs) {
  const { slowHash } = passwords;
  const { audit } = events;
  const userAdministration = createUserAdministration({ users, slowHash, clock });
  return {
    userAdministration,
    createFirstUsers: () => createFirstUsers({ ...config, users, slowHash, clock, audit, log }),
    async routes(app: FastifyInstance) {
      registerUsers(app, { userAdministration, users, audit, ...passwords, ...callers });
      registerOrganizationAuditEvents(app, { audit, ...callers });
    },
  };
}
