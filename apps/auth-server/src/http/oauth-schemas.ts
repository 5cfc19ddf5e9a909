import { type TProperties, Type } from 'typebox';

/** RFC 6749 5.2. */
export const OAuthErrorBody = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { $id: 'OAuthError', description: 'RFC 6749 section 5.2' },
);

const errorResponses = Object.fromEntries(
  ['400', '401', '429', '500', '503'].map((status) => [status, Type.Ref('OAuthError')]),
);

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
}) {
  const { summary, description, form, success, status = 200 } = options;
  return {
    tags: ['oauth'],
    summary,
    ...(description === undefined ? {} : { description }),
    consumes: ['application/x-www-form-urlencoded'],
    security: [{ client: [] }],
    body: Type.Object(form),
    response: { [status]: success, ...errorResponses },
  };
}

export const readByHand = { validatorCompiler: () => () => true } as const;
