import type { DescribeFailures } from '@gatehouse/service-kit/http';
import { titleOfStatus } from '@gatehouse/shared';
import { type TProperties, Type } from 'typebox';

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
  success: object;
  /** The status of the success; 200 if absent. */
  status?: number;
  /** The statuses of failures that only this endpoint has. */
  failures?: readonly number[];
}) {
  const { summary, description, form, success, status = 200, failures = [] } = options;
  return {
    tags: ['oauth'],
    summary,
    ...(description === undefined ? {} : { description }),
    consumes: ['application/x-www-form-urlencoded'],
    security: [{ client: [] }],
    body: Type.Object(form),
    response: { [status]: success, ...describeErrors(failures) } as Record<number, object>,
  };
}

export const readByHand = { validatorCompiler: () => () => true } as const;
