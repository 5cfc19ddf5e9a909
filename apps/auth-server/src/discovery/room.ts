import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { registerMetadata } from './metadata-endpoint.ts';

/** The metadata documents for clients. */
export function createDiscovery({
  config,
}: {
  config: Pick<Config, 'authUrl' | 'extraScopes' | 'dynamicRegistration'>;
}) {
  return { routes: { api: (app: FastifyInstance) => registerMetadata(app, { config }) } };
}
