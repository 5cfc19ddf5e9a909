import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { registerMetadata } from './metadata-endpoint.ts';

/** What the server says of itself to clients. */
export function createDiscovery({ config }: { config: Pick<Config, 'authUrl' | 'extraScopes'> }) {
  return { routes: { api: (app: FastifyInstance) => registerMetadata(app, { config }) } };
}
