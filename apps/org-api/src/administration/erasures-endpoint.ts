import { idPattern } from '@gatehouse/service-kit';
import { instantQuery, parseInstant } from '@gatehouse/service-kit/audit';
import { createQueryValidator, pageLength } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Erasures } from '../users/erasures.ts';
import { describeOperation, type UserOperations } from './user-operations-endpoint.ts';

const ErasuresQuery = Type.Object({
  since: instantQuery('The first instant of an erasure that counts (ISO 8601; a date is its midnight in UTC)'),
  limit: pageLength,
  cursor: Type.Optional(
    Type.String({
      pattern: idPattern,
      description: '`nextCursor` of the page before',
      expected: 'be the nextCursor of the page before',
    }),
  ),
});
type ErasuresQuery = Static<typeof ErasuresQuery>;

const ErasurePage = Type.Object({
  erasures: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Of the user' }),
      erasedAt: Type.String({ description: 'RFC 3339, UTC' }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
});

/** `GET …/erasures`: the ids that a restore of an older backup has to delete again. */
export function registerErasures(
  app: FastifyInstance,
  { operations, erasures }: { operations: UserOperations; erasures: Pick<Erasures, 'list'> },
): void {
  const schema = describeOperation('listErasures', 'List users who were erased', { 200: ErasurePage }, [], {
    description:
      'For a SystemAdministrator. The ids of users who were deleted with `erase=true`, in their order, for as long as audit events are kept (`AUDIT_RETENTION_DAYS`).',
    querystring: ErasuresQuery,
  });
  const options = { schema, ...operations.byAdministrator, validatorCompiler: createQueryValidator };
  app.get<{ Querystring: ErasuresQuery }>('/organization/api/organization/erasures', options, async (request) => {
    const { since, limit, cursor: after } = request.query;
    const found = await erasures.list({ after, since: parseInstant(since), limit: limit + 1 });
    const page = found.slice(0, limit);
    return {
      erasures: page.map(({ id, erasedAt }) => ({ id, erasedAt: new Date(erasedAt).toISOString() })),
      ...(found.length > limit && { nextCursor: page.at(-1)?.id }),
    };
  });
}
