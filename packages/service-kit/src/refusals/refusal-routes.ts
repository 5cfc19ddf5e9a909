import { fieldsProblem, namedClientPattern, ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { instantQuery, parseInstant } from '../audit/audit-query.ts';
import { createQueryValidator, pageLength } from '../http/check-query.ts';
import { describeProblems } from '../http/describe-problems.ts';
import { requestIdPattern } from '../http/request-id.ts';
import { idPattern } from '../time-ordered-id.ts';
import { buildRefusalView } from './refusal-view.ts';
import type { Refusals } from './refusals.ts';

export interface RefusalRouteOptions {
  path: string;
  /** How the service calls the cursor of the next page. */
  nextCursor: 'next_cursor' | 'nextCursor';
  security: readonly Record<string, string[]>[];
  /** Throws unless an administrator calls. Sets the header that keeps the answer out of caches. */
  checkAdministrator(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  refusals: Pick<Refusals, 'list' | 'listOfRequest'>;
}

const RefusalsQuery = Type.Object({
  limit: pageLength,
  cursor: Type.Optional(
    Type.String({
      pattern: idPattern,
      description: 'From the page before',
      expected: 'be what the page before gave',
    }),
  ),
  request: Type.Optional(
    Type.String({ pattern: requestIdPattern, description: 'The request id', expected: 'be a request id' }),
  ),
  client: Type.Optional(
    Type.String({ pattern: namedClientPattern, description: 'A client_id', expected: 'be a client_id' }),
  ),
  user: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A username, without regard to case',
      expected: 'be a username of 1 to 255 characters',
    }),
  ),
  status: Type.Optional(
    Type.String({ pattern: '^4[0-9]{2}$', description: 'Of HTTP', expected: 'be a status from 400 to 499' }),
  ),
  code: Type.Optional(
    Type.String({ pattern: '^[a-z_]{1,64}$', description: 'As a refusal has it', expected: 'be a code' }),
  ),
  from: instantQuery('The first instant that counts (ISO 8601; a date is its midnight in UTC)'),
  to: instantQuery('The first instant that does not count any more'),
});
type RefusalsQuery = Static<typeof RefusalsQuery>;

/** The most refusals of one request id. */
const mostOfRequest = 20;
const notKeptText = 'no refusal of this request is kept: it is older than a day, was left out, or succeeded';

/** `GET …/refusals` lists refusals, newest first, a page at a time; `GET …/refusals/{request}` those of one request. */
export function registerRefusals(app: FastifyInstance, options: RefusalRouteOptions): void {
  const { path, nextCursor, security, checkAdministrator, refusals } = options;
  const list = Type.Array(Type.Ref('Refusal'));
  const listSchema = {
    tags: ['refusals'],
    operationId: 'listRefusals',
    summary: 'List refused requests, newest first, a page at a time',
    description: 'Those of the last 24 hours, with the reason that the answer does not tell.',
    security,
    querystring: RefusalsQuery,
    response: { 200: Type.Object({ refusals: list, [nextCursor]: Type.Optional(Type.String()) }) },
  };
  app.get<{ Querystring: RefusalsQuery }>(
    path,
    { schema: listSchema, validatorCompiler: createQueryValidator, onRequest: checkAdministrator },
    async (request) => {
      const { limit } = request.query;
      const found = await refusals.list({ ...parseQuery(request.query), limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.id : undefined;
      return { refusals: page.map(buildRefusalView), ...(next === undefined ? {} : { [nextCursor]: next }) };
    },
  );

  const requestSchema = {
    tags: ['refusals'],
    operationId: 'getRefusals',
    summary: 'Get the refusals of a request',
    description: 'By its id, which callers may choose: the oldest 20, each with the network that it came from.',
    security,
    params: Type.Object({
      request: Type.String({ description: 'The request id', examples: ['0b3a2c9e-4d1f-4e8a-9c55-7f1d2a6b8c90'] }),
    }),
    response: { 200: Type.Object({ refusals: list }), ...describeProblems(404) },
  };
  app.get<{ Params: { request: string } }>(
    `${path}/:request`,
    { schema: requestSchema, onRequest: checkAdministrator },
    async (request) => {
      const { request: id } = request.params;
      // No other text can be one, and the column takes no other.
      const found = isRequestId.test(id) ? await refusals.listOfRequest(id, mostOfRequest) : [];
      if (found.length === 0) throw new ProblemError(404, notKeptText);
      return { refusals: found.map(buildRefusalView) };
    },
  );
}

const isRequestId = new RegExp(requestIdPattern);

function parseQuery({ cursor, request, client, user, status, code, ...query }: RefusalsQuery) {
  const [from, to] = [parseInstant(query.from), parseInstant(query.to)];
  if (from !== undefined && to !== undefined && to < from) {
    throw fieldsProblem([{ field: 'to', detail: 'must not be before from' }]);
  }
  return {
    after: cursor,
    requestId: request,
    clientId: client,
    username: user,
    status: status === undefined ? undefined : Number(status),
    code,
    from,
    to,
  };
}
