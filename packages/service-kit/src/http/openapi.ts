import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { describeProblems } from './describe-problems.ts';
import { describeSharedFailures } from './shared-failures.ts';

type OpenApiDocument = NonNullable<FastifyDynamicSwaggerOptions['openapi']>;

// The hash is of a style element that Swagger UI inserts. Everything else comes from this server.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The files of Swagger UI. They stay in their package when the code that serves them is in a bundle. */
const swaggerUiFiles = join(
  dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')),
  'static',
);

/**
 * Serves `GET /openapi.json`, made from the schemas that validate and serialise, and a page that shows it at `/docs`.
 * Register it before the routes that it describes.
 */
export async function registerOpenApi(app: FastifyInstance, document: OpenApiDocument): Promise<void> {
  describeSharedFailures(app, describeProblems);
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', ...document },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`) },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    baseDir: swaggerUiFiles,
    // The theme hides the bar with the logo.
    logo: { type: 'image/svg+xml', content: '' },
    staticCSP: contentSecurityPolicy,
    logLevel: 'warn',
    uiConfig: { deepLinking: true, supportedSubmitMethods: [] },
    theme: {
      title: document.info?.title ?? 'API reference',
      css: [{ filename: 'theme.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
  app.get('/openapi.json', { schema: { hide: true }, logLevel: 'warn' }, () => app.swagger());
}
