import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { Issuers } from '../issuers/room.ts';
import type { Organization } from '../organization/room.ts';
import { registerMetadata } from './metadata-endpoint.ts';
import { registerStart } from './start-endpoint.ts';

/** The metadata documents for clients, and the start page for people. */
export function createDiscovery({
  config,
  organization,
  issuers,
}: {
  organization: Pick<Organization, 'listPrompts'>;
  issuers: Issuers;
  config: Pick<Config, 'authUrl' | 'realm' | 'extraScopes' | 'dynamicRegistration' | 'grantTypesOff'>;
}) {
  return {
    routes: {
      api: (app: FastifyInstance) => registerMetadata(app, { config, ...organization, ...issuers }),
      pages: (scope: FastifyInstance) => registerStart(scope, { config }),
    },
  };
}
