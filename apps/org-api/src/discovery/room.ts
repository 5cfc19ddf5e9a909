import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { createNotFoundHandler } from './not-found-page.ts';
import { registerResourceMetadata } from './resource-metadata-endpoint.ts';
import { registerStart } from './start-endpoint.ts';

/** Says what this API is: the start page, the metadata, and the page of an unknown address. */
export function createDiscovery({ config }: { config: Pick<Config, 'authUrl' | 'baseUrl'> }) {
  return {
    notFoundHandler: createNotFoundHandler(config),
    async routes(app: FastifyInstance) {
      registerStart(app, { config });
      await registerResourceMetadata(app, { config });
    },
  };
}
