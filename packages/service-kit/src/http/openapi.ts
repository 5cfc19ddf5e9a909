import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

type OpenApiDocument = NonNullable<FastifyDynamicSwaggerOptions['openapi']>;

/**
 * `GET /openapi.json`, written from the very schemas that validate and serialise, and a page to read it at `/docs`.
 * Register it before the routes it is to describe.
 */
export async function registerOpenApi(app: FastifyInstance, document: OpenApiDocument): Promise<void> {
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', ...document },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`) },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    logLevel: 'warn',
    uiConfig: { deepLinking: true, tryItOutEnabled: false },
  });
  app.get('/openapi.json', { schema: { hide: true }, logLevel: 'warn' }, () => app.swagger());
}
