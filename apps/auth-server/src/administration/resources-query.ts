import { pageLength } from '@gatehouse/service-kit/http';
import { type Static, Type } from 'typebox';

/** UUIDs in lower case. */
export const resourceIdPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** What `GET /resources` takes. */
export const ResourcesQuery = Type.Object(
  {
    limit: pageLength,
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
