import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { Organization } from '../organization/room.ts';
import { registerMetadata } from './metadata-endpoint.ts';
import { registerStart } from './start-endpoint.ts';

/** The metadata documents for clients, and the start page for people. */
export function createDiscovery({
  config,
  organization,
}: {
  organization: Pick<Organization, 'listPrompts'>;
  config: Pick<Config, 'authUrl' | 'realm' | 'extraScopes' | 'dynamicRegistration' | 'grantTypesOff'>;
}) {
  return {
    routes: {
      api: (app: FastifyInstance) => registerMetadata(app, { config, ...organization }),
      pages: (scope: FastifyInstance) => registerStart(scope, { config }),
    },
  };
}
