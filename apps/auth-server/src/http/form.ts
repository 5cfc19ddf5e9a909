import type { DescribeFailures } from '@gatehouse/service-kit/http';
import { OAuthError, titleOfStatus } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import { type TProperties, Type } from 'typebox';
import { parseParameters, type RequestParameters } from '../protocol/request-parameters.ts';

/** The parameters of a posted form; throws `invalid_request` where one stands in it twice. */
export function getForm(request: FastifyRequest): RequestParameters {
  return parseParameters(getEncodedForm(request));
}

/** Gives the query as it was sent, so that a repeated parameter is not lost. */
export function getQuery({ raw }: FastifyRequest): string {
  return raw.url?.split('?').slice(1).join('?') ?? '';
}

/** Gives a posted form as a query, for a redirect to the same path by GET. Throws where the URL would be too long. */
export function getFormAsQuery(request: FastifyRequest): string {
  const query = new URLSearchParams(getEncodedForm(request)).toString();
  if (query.length <= longestQuery) return query;
  throw new OAuthError('invalid_request', `the request is longer than ${longestQuery} characters`);
}

const longestQuery = 12_288;

export function getEncodedForm({ body }: FastifyRequest): string {
  return (body as { encoded: string } | undefined)?.encoded ?? '';
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
  const { summary, description, form, example = {}, success, status = 200, failures = [] } = options;
  return {
    tags: ['oauth'],
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
