import { describeProblems } from '@gatehouse/service-kit/http';
import { ProblemError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { buildEntityTag } from './entity-tag.ts';
import type { StatusLists } from './status-lists.ts';

const Params = Type.Object({ listId: Type.Integer({ minimum: 0, maximum: 2 ** 31 }) });

const schema = {
  tags: ['metadata'],
  summary: 'Status of access tokens',
  description: 'Token Status List: a signed, compressed list with one bit for each access token; 1 is revoked.',
  params: Params,
  response: {
    200: { description: 'The list', content: { 'application/statuslist+jwt': { schema: Type.String() } } },
    304: Type.Null({ description: 'Still the one of `If-None-Match`' }),
    ...describeProblems(404, 503),
  },
};

/** `GET /oauth/status-lists/{listId}` (Token Status List 8.1). */
export function registerStatusList(app: FastifyInstance, { statusLists }: { statusLists: StatusLists }): void {
  app.get<{ Params: { listId: number } }>(
    '/oauth/status-lists/:listId',
    { schema, logLevel: 'warn' },
    async (request, reply) => {
      const list = await statusLists.find(request.params.listId);
      if (list === undefined) throw new ProblemError(404, 'there is no such status list');
      const etag = buildEntityTag(list);
      void reply.headers({ etag, 'cache-control': 'public, max-age=1', 'access-control-allow-origin': '*' });
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('application/statuslist+jwt').send(list);
    },
  );
}
