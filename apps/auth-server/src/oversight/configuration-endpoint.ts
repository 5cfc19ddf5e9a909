import { describeConfiguration, type RunningService } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { createAdministratorRoutes, type GetAdministrator } from '../administration/administrator-routes-endpoint.ts';

interface Dependencies {
  getSystemAdministrator: GetAdministrator;
  running: RunningService;
}

/** `GET /configuration`: what this process was started with, for a SystemAdministrator. */
export function registerConfiguration(app: FastifyInstance, { getSystemAdministrator, running }: Dependencies): void {
  const routes = createAdministratorRoutes('operations', getSystemAdministrator);
  app.get(
    '/configuration',
    routes.describe('getConfiguration', 'Read the configuration in force', { 200: Type.Ref('Configuration') }, [], {
      description: 'Of the process that answers. No secret, no user information of a URL and no path of a file.',
    }),
    () => describeConfiguration(running),
  );
}
