import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { FastifyInstance } from 'fastify';
import type { Administration } from '../administration/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Groups } from '../groups/room.ts';
import type { Identities } from '../identities/room.ts';
import type { Methods } from '../methods/room.ts';
import type { UserStore } from '../users/user-store.ts';
import { createImportUsers } from './import-users.ts';
import { createNewUsers } from './new-users.ts';
import { createPlanImport } from './plan-import.ts';
import { registerUserImports } from './user-imports-endpoint.ts';

interface Needs {
  config: Pick<Config, 'passkeyRpId'>;
  database: Database;
  users: UserStore;
  groups: Groups;
  identities: Identities['identities'];
  methods: Methods;
  administration: Administration;
  events: Events;
  clock: Clock;
}

/** Takes users over from other servers, with the hashes of their passwords and their other methods. */
export function createImports(needs: Needs) {
  const { config, database, users, groups, identities, methods, administration, events, clock } = needs;
  const newUsers = createNewUsers({ database, ...methods, clock });
  const planImport = createPlanImport({ config, database, users, ...groups, ...methods, identities, newUsers });
  const importUsers = createImportUsers({ planImport, newUsers, ...administration });
  return {
    async routes(app: FastifyInstance) {
      registerUserImports(app, { importUsers, operations: administration.operations, ...events });
    },
  };
}
