import { findIdBytes } from '@gatehouse/service-kit';
import { instantQuery, parseInstant } from '@gatehouse/service-kit/audit';
import { createQueryValidator, pageLength, truthQuery } from '@gatehouse/service-kit/http';
import { formatPlace, isPlaceOf, listSearchWords, parsePlace } from '@gatehouse/service-kit/terms';
import { fieldsProblem, roles } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { UserFilter, UserListStore, UserPlace } from '../users/user-list-store.ts';
import { type UserFacet, userFacets } from '../users/user-terms.ts';
import { describeOperation, type UserOperations, usersPath } from './user-operations-endpoint.ts';

/** The filters: each has a term for each of its values. */
const Filters = {
  userType: Type.Optional(Type.Enum(['Person', 'Robot'], { expected: 'be Person or Robot' })),
  role: Type.Optional(
    Type.Enum([...roles], { description: 'A role that they have', expected: `be one of ${roles.join(', ')}` }),
  ),
  enabled: truthQuery('Whether they are enabled'),
  finding: Type.Optional(
    Type.Enum(['unverified_addresses'], {
      description: 'Those of whom `GET /findings` of auth-server says this: enabled, a Person, and no verified address',
      expected: 'be unverified_addresses',
    }),
  ),
} satisfies Record<UserFacet, unknown>;

const ListQuery = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Words, each the start of a word of username, e-mail address or name, without regard to case; or a whole id',
      expected: 'be at most 255 characters',
    }),
  ),
  ...Filters,
  group: Type.Optional(Type.String({ maxLength: 128, description: 'The name of a group that they are in' })),
  externalId: Type.Optional(Type.String({ maxLength: 255, description: 'The `externalId` of one of them' })),
  createdSince: instantQuery('The first instant of creation that counts (ISO 8601; a date is its midnight in UTC)'),
  withSecondStep: truthQuery(
    '`true`: each Person has `secondStep`, whether there is a code app or a passkey. For SystemAdministrators',
  ),
  total: truthQuery('`true`: the answer says how many there are, counted to 10,000'),
  limit: pageLength,
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9!_-]{36,512}$',
      description: '`nextCursor` of the page before',
      expected: 'be the nextCursor of the page before',
    }),
  ),
});
type ListQuery = Static<typeof ListQuery>;

interface Dependencies {
  operations: UserOperations;
  userLists: UserListStore;
}

/** The list of users, for callers who may read the record of each. */
export function registerUserList(app: FastifyInstance, { operations, userLists }: Dependencies): void {
  const schema = describeOperation('listUsers', 'List users, a page at a time', { 200: Type.Ref('UserPage') }, [], {
    description:
      'For SystemAdministrator, IdpAdministrator and DirectoryReader. The filters combine by "and". A page of a search or filter examines at most 10,000 entries: it may be short or empty and still have `nextCursor`.',
    querystring: ListQuery,
  });
  /** The ways to sign in of others are shown to those alone who may change them. */
  const onRequest = (request: FastifyRequest<{ Querystring: ListQuery }>, reply: FastifyReply) => {
    const { checkReader, byAdministrator } = operations;
    return request.query.withSecondStep === 'true'
      ? byAdministrator.onRequest(request, reply)
      : checkReader(request, reply);
  };
  const options = { schema, onRequest, validatorCompiler: createQueryValidator };
  app.get<{ Querystring: ListQuery }>(usersPath, options, async (request) => {
    const { limit, cursor, total, withSecondStep } = request.query;
    const filter = readFilter(request.query);
    const place = readPlace(cursor, filter);
    const [{ users, next }, counted] = await Promise.all([
      userLists.list({ ...filter, place, limit }),
      total === 'true' ? userLists.count(filter) : undefined,
    ]);
    return {
      users: users.map((user) => ({
        ...operations.show(request, user),
        ...(withSecondStep === 'true' && user.userType === 'Person' && { secondStep: user.secondStep }),
      })),
      ...(next === undefined ? {} : { nextCursor: formatCursor(next) }),
      ...(counted === undefined ? {} : { total: counted.total, totalIsExact: counted.isExact }),
    };
  });
}

function readFilter(query: ListQuery): UserFilter {
  const { search = '', createdSince } = query;
  const isId = findIdBytes(search.trim()) !== undefined;
  const names = Object.keys(userFacets) as UserFacet[];
  const facets = names.flatMap((name) => {
    const value = query[name];
    return value === undefined ? [] : [userFacets[name](value)];
  });
  return {
    id: isId ? search.trim() : undefined,
    words: isId ? [] : listSearchWords(search),
    facets,
    externalId: query.externalId,
    group: query.group,
    createdSince: parseInstant(createdSince),
  };
}

/** Cursors of the release before are ids. */
const isCursorId = /^[0-9a-f-]{36}$/;
const createdPlace = /^!created!(\d{1,15})!([0-9a-f-]{36})$/;

function formatCursor(place: UserPlace): string {
  return 'createdAt' in place ? `!created!${place.createdAt}!${place.after}` : formatPlace(place);
}

function readPlace(cursor: string | undefined, query: UserFilter): UserPlace | undefined {
  if (cursor === undefined) return undefined;
  const place = parseCursor(cursor);
  if (place !== undefined && isOfList(place, query)) return place;
  throw fieldsProblem([{ field: 'cursor', detail: 'must be the nextCursor of the page before' }]);
}

function parseCursor(cursor: string): UserPlace | undefined {
  const [, createdAt, after] = createdPlace.exec(cursor) ?? [];
  if (createdAt !== undefined && after !== undefined) return { createdAt: Number(createdAt), after };
  return parsePlace(cursor, isCursorId);
}

/** In a group the order is that of ids, and since a time it is that of creations, unless terms are found. */
function isOfList(place: UserPlace, { group, createdSince, ...query }: UserFilter): boolean {
  if ('createdAt' in place)
    return group === undefined && createdSince !== undefined && Number(place.createdAt) >= createdSince;
  if ('word' in place) return group === undefined && isPlaceOf(query, place);
  return group !== undefined || createdSince === undefined || query.words.length + query.facets.length > 0;
}
