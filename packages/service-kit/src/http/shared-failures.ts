import type { FastifyInstance, FastifySchema, HTTPMethods } from 'fastify';
import { describeProblems } from './describe-problems.ts';

/** Describes failures by status, in the form in which a scope answers them. */
export type DescribeFailures = (...statuses: number[]) => Record<string, object>;

/** As much of a description as decides which failures an operation shares with others. */
interface Described extends FastifySchema {
  security?: readonly Record<string, readonly string[]>[];
  response?: Record<string, unknown>;
}

interface OpenApiDocument {
  components?: { securitySchemes?: Record<string, object> };
}

/**
 * Adds to the description of each operation of a scope the failures that it shares with others. So a route names only those
 * that are its own, such as 404 and 409. Only the document has them: no serializer is made. Call it before the routes; in
 * a scope inside another one it counts in place of the outer call.
 */
export function describeSharedFailures(scope: FastifyInstance, describe: DescribeFailures): void {
  scope.addHook('onRoute', (route) => {
    const swaggerTransform = ({ schema, url, openapiObject }: TransformInput) => ({
      url,
      schema: addFailures(schema, describe(...listSharedFailures(schema ?? {}, route.method, openapiObject))),
    });
    route.config = Object.assign({}, route.config, { swaggerTransform });
  });
}

interface TransformInput {
  schema: Described | undefined;
  url: string;
  openapiObject: OpenApiDocument;
}

/** 431 comes of Node's parser, before there is a scope. */
function addFailures(schema: Described | undefined, failures: Record<string, object>): Described | undefined {
  return schema === undefined
    ? undefined
    : { ...schema, response: { ...failures, ...describeProblems(431), ...schema.response } };
}

/** 400 and 503 can come of every request: a bad header or URL, a database that is away. */
function listSharedFailures(
  { security = [] }: Described,
  method: HTTPMethods | HTTPMethods[],
  document: OpenApiDocument,
): number[] {
  const isProtected = security.length > 0;
  return [
    400,
    ...(isProtected ? [401, 403] : []),
    ...(takesBody(method) ? [413, 415] : []),
    // Only passwords and secrets can be guessed.
    ...(security.some((schemes) => Object.keys(schemes).some((name) => isBasic(document, name))) ? [429] : []),
    500,
    503,
  ];
}

function takesBody(method: HTTPMethods | HTTPMethods[]): boolean {
  return ['POST', 'PUT', 'PATCH'].some((name) => method.includes(name));
}

function isBasic({ components }: OpenApiDocument, name: string): boolean {
  const scheme = components?.securitySchemes?.[name] as { scheme?: string } | undefined;
  return scheme?.scheme === 'basic';
}
