import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { BuildInfo } from '@gatehouse/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import { registerConfiguration } from './configuration-endpoint.ts';
import { registerOrganizationRefusals } from './refusals-endpoint.ts';

interface Needs {
  config: Pick<Config, 'variables'>;
  database: Database;
  build: BuildInfo;
  callers: Callers;
  events: Events;
  clock: Clock;
}

/** Lets administrators see the configuration, and refusals. */
export function createOversight({ config, database, build, callers, events, clock }: Needs) {
  const running = { ...build, variables: config.variables, database, startedAt: clock() };
  return {
    routes(app: FastifyInstance) {
      registerConfiguration(app, { ...callers, running });
      registerOrganizationRefusals(app, { ...callers, ...events });
    },
  };
}
