import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { Issuers } from '../issuers/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Resources } from '../resources/room.ts';
import { registerMetadata } from './metadata-endpoint.ts';
import { registerStart } from './start-endpoint.ts';

/** The metadata documents for clients, and the start page for people. */
export function createDiscovery({
  config,
  organization,
  issuers,
  resources,
}: {
  organization: Pick<Organization, 'listPrompts'>;
  issuers: Issuers;
  resources: Pick<Resources, 'resources' | 'orgApi'>;
  config: Pick<
    Config,
    'authUrl' | 'realm' | 'dynamicRegistration' | 'grantTypesOff' | 'clientIdMetadata' | 'privacyUrl' | 'termsUrl'
  >;
}) {
  return {
    routes: {
      api: (app: FastifyInstance) => registerMetadata(app, { config, ...organization, ...issuers, ...resources }),
      pages: (scope: FastifyInstance) => registerStart(scope, { config }),
    },
  };
}
