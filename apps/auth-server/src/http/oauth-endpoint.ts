import formbody from '@fastify/formbody';
import {
  allowEveryOrigin,
  type CrossOriginRules,
  type DescribeFailures,
  describeSharedFailures,
} from '@gatehouse/service-kit/http';
import { OAuthError, titleOfStatus } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type TProperties, Type } from 'typebox';
import { createOAuthErrorHandler } from './error-handlers.ts';

/**
 * A scope for endpoints that clients call directly. Bodies must be form-encoded, and errors are those of RFC 6749 5.2. Any
 * origin may call, for browser-based clients; these endpoints use no cookie.
 */
export async function registerOAuthScope(
  app: FastifyInstance,
  { realm, crossOriginRules }: { realm: string; crossOriginRules: CrossOriginRules },
  register: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    await acceptForms(scope);
    scope.setErrorHandler(createOAuthErrorHandler(realm));
    allowEveryOrigin(scope, crossOriginRules);
    describeSharedFailures(scope, describeOAuthErrors);
    register(scope);
  });
}

/** Keeps the form as text for `getForm` of `form.ts`, so that a repeated parameter is not lost. */
export async function acceptForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(formbody, { parser: (body) => ({ encoded: body }) });
  scope.addContentTypeParser('*', ({ headers }, _body, done) => done(buildTypeError(headers['content-type'])));
}

const formType = 'application/x-www-form-urlencoded';

/** RFC 6749 5.2: 400. Most who send something else send JSON, and are told so. */
function buildTypeError(type = ''): OAuthError {
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type))
    return new OAuthError('invalid_request', `send the parameters as ${formType}`);
  return new OAuthError('invalid_request', `send the parameters as ${formType}, not JSON`, { status: 415 });
}

/** RFC 6749 5.2. */
export const OAuthErrorBody = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { $id: 'OAuthError', description: 'RFC 6749 section 5.2' },
);

/** Failures by status as the OAuth endpoints answer them. RFC 6749 5.2 has 400 where the request is too large, too. */
export const describeOAuthErrors: DescribeFailures = (...statuses) =>
  describeErrors(statuses.filter((status) => status !== 413));

function describeErrors(statuses: readonly number[]): Record<number, object> {
  const content = { 'application/json': { schema: Type.Ref('OAuthError') } };
  return Object.fromEntries(statuses.map((status) => [status, { description: titleOfStatus(status), content }]));
}

/**
 * The documentation of an endpoint that takes a form. The form is read by the rules of RFC 6749 3.1, which a schema
 * cannot tell, so the route must be registered with {@link readByHand}.
 */
export function describeForm(options: {
  operationId: string;
  summary: string;
  description?: string;
  form: TProperties;
  /** A form that the API reference can send as it stands. */
  example?: Readonly<Record<string, string>>;
  success: object;
  /** The status of the success; 200 if absent. */
  status?: number;
  /** The statuses of failures that only this endpoint has. */
  failures?: readonly number[];
}) {
  const { operationId, summary, description, form, example = {}, success, status = 200, failures = [] } = options;
  return {
    tags: ['oauth'],
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    consumes: ['application/x-www-form-urlencoded'],
    security: [{ client: [] }],
    body: { ...Type.Object(form), properties: addExamples(form, example) },
    response: { [status]: success, ...describeErrors(failures) } as Record<number, object>,
  };
}

/** The API reference fills each field with its example. It would send a text of its own for a field without one. */
function addExamples(form: TProperties, example: Readonly<Record<string, string>>): TProperties {
  const entries = Object.entries(form).map(([name, type]) => [name, { examples: [example[name] ?? ''], ...type }]);
  return Object.fromEntries(entries);
}

export const readByHand = { validatorCompiler: () => () => true } as const;
