import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { type ApiReferenceOptions, registerApiReference } from './api-reference.ts';
import { describeProblems } from './describe-problems.ts';
import { describeSharedFailures } from './shared-failures.ts';

type OpenApiDocument = NonNullable<FastifyDynamicSwaggerOptions['openapi']>;

/**
 * Serves `GET /openapi.json`, made from the schemas that validate and serialise, and a page that shows it at `/docs`.
 * Register it before the routes that it describes.
 */
export async function registerOpenApi(
  app: FastifyInstance,
  document: OpenApiDocument,
  reference: ApiReferenceOptions,
): Promise<void> {
  describeSharedFailures(app, describeProblems);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', ...document },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`) },
  });
  registerApiReference(app, document.info?.title ?? 'API reference', reference);
  app.get('/openapi.json', { schema: { hide: true }, logLevel: 'warn' }, () => app.swagger());
}
