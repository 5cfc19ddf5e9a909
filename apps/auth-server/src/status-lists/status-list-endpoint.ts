import { networkOf, wideNetworkOf } from '@gatehouse/service-kit/guess-limit';
import { describeProblems, registerForEveryOrigin, requestContextOf } from '@gatehouse/service-kit/http';
import { ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { createEntityTags, isOneOf, parseEntityTags } from './entity-tag.ts';
import type { FindWaitingClient } from './find-waiting-client.ts';
import { parsePreferredWait } from './preferred-wait.ts';
import type { StatusLists } from './status-lists.ts';
import type { StatusListWaits } from './wait-for-change.ts';
import type { Waiting } from './waiting-places.ts';

const Params = Type.Object({ listId: Type.Integer({ minimum: 0, maximum: 2 ** 31 }) });
const Headers = Type.Object({
  prefer: Type.Optional(
    Type.String({ description: '`wait=<seconds>` beside `If-None-Match`: the answer comes when the list changes' }),
  ),
  authorization: Type.Optional(
    Type.String({ description: 'Basic, of a confidential client: half of the places to wait are for those' }),
  ),
  'if-none-match': Type.Optional(Type.String({ description: '`ETag` of the list in hand' })),
});

const schema = {
  tags: ['metadata'],
  operationId: 'getStatusList',
  summary: 'Status of access tokens',
  description:
    'Token Status List: a signed, compressed list with one bit for each access token; 1 is revoked. ' +
    'With `If-None-Match` and `Prefer: wait=<seconds>` (RFC 7240, at most 30) the answer comes when the list changes, or as ' +
    'a 304 when the time is over. `Preference-Applied: wait` says that the answer was allowed to wait.',
  params: Params,
  headers: Headers,
  response: {
    200: { description: 'The list', content: { 'application/statuslist+jwt': { schema: Type.String() } } },
    304: Type.Null({ description: 'Still the one of `If-None-Match`' }),
    ...describeProblems(401, 404, 429),
  },
};

interface Dependencies {
  statusLists: StatusLists;
  waits: StatusListWaits;
  findWaitingClient: FindWaitingClient;
}

type ListRequest = FastifyRequest<{ Params: { listId: number } }>;

/** `GET /oauth/status-lists/{listId}` (Token Status List 8.1), for pages of any origin. */
export async function registerStatusList(app: FastifyInstance, deps: Dependencies): Promise<void> {
  const { statusLists } = deps;
  const entityTagOf = createEntityTags();
  const answer = async (request: ListRequest, reply: FastifyReply) => {
    const { listId } = request.params;
    const tags = parseEntityTags(request.headers['if-none-match']);
    const seconds = parsePreferredWait(request.headers.prefer);
    void reply.header('vary', 'Prefer');
    if (seconds !== undefined) void reply.header('cache-control', 'no-store');
    if (seconds !== undefined && tags !== undefined) await wait(deps, { listId, tags, seconds }, request, reply);

    const list = await statusLists.find(listId);
    if (list === undefined) throw new ProblemError(404, 'there is no such status list');
    const etag = entityTagOf(list);
    void reply.header('etag', etag);
    if (seconds === undefined) void reply.header('cache-control', 'public, max-age=1');
    if (tags !== undefined && isOneOf(tags, etag)) return reply.code(304).send();
    return reply.type('application/statuslist+jwt').send(list);
  };
  await registerForEveryOrigin(app, (scope) => {
    scope.get('/oauth/status-lists/:listId', { schema, logLevel: 'warn' }, answer);
  });
}

/** Waits where the caller may, and says so (RFC 7240 3). */
async function wait(
  { waits, findWaitingClient }: Dependencies,
  wanted: { listId: number; tags: string[]; seconds: number },
  request: ListRequest,
  reply: FastifyReply,
): Promise<void> {
  const { socket } = reply.raw;
  // A request that was sent behind another on one connection has no connection yet, and would wait in vain.
  if (socket === null || socket.destroyed) return;
  const context = requestContextOf(request);
  const clientId = await findWaitingClient(request.headers.authorization, context);
  const network = wideNetworkOf(networkOf(context.address));
  const caller: Waiting = clientId === undefined ? { by: 'network', name: network } : { by: 'client', name: clientId };
  const outcome = await waits.wait({ ...wanted, caller, whenGone: (leave) => reply.raw.once('close', leave) });
  if (outcome === 'changed' || outcome === 'over') void reply.header('preference-applied', 'wait');
  // RFC 9112 9.6: the next request goes to a process that does not stop.
  if (outcome === 'stopped') void reply.header('connection', 'close');
}
