import {
  bearerSecurity,
  describeConfiguration,
  describeProblems,
  type RunningService,
} from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AuthenticateAdministrator } from '../callers/authenticate-administrator-endpoint.ts';

interface Dependencies {
  authenticateAdministrator: AuthenticateAdministrator;
  running: RunningService;
}

const schema = {
  tags: ['operations'],
  operationId: 'getConfiguration',
  summary: 'Read the configuration in force',
  description: 'Of the process that answers. No secret, no user information of a URL and no path of a file.',
  security: bearerSecurity,
  response: { 200: Type.Ref('Configuration'), ...describeProblems() },
};

/** `GET …/configuration`: what this process was started with, for a SystemAdministrator. */
export function registerConfiguration(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateAdministrator, running } = deps;
  app.get(
    '/organization/api/organization/configuration',
    {
      schema,
      onRequest: async (request, reply) => void (await authenticateAdministrator(request, reply)),
    },
    () => describeConfiguration(running),
  );
}
