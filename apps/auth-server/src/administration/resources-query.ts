import { createFieldsChecker, fieldsProblem } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';

/** UUIDs in lower case. */
export const resourceIdPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** What `GET /resources` takes. */
export const ResourcesQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, expected: 'be an integer from 1 to 200' }),
    cursor: Type.Optional(
      Type.String({
        pattern: resourceIdPattern,
        description: '`next_cursor` of the page before',
        expected: 'be the next_cursor of the page before',
      }),
    ),
    resource: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'The URI of the one resource to list',
        expected: 'be a URI of 1 to 2048 characters',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ResourcesQuery = Static<typeof ResourcesQuery>;

/** Refuses unknown and repeated parameters too. A query holds text, so the number is read from it. */
export function createResourcesQueryValidator() {
  const checkFields = createFieldsChecker(ResourcesQuery);
  return (query: unknown) => {
    const { limit = '50', ...others } = query as Record<string, unknown>;
    const result = checkFields({ ...others, limit: /^\d{1,4}$/.test(String(limit)) ? Number(limit) : limit });
    return result.ok ? { value: result.value } : { error: fieldsProblem(result.errors) };
  };
}
