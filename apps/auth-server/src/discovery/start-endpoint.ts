import { acceptsPage } from '@gatehouse/service-kit/html';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { describePage } from '../pages/describe-page.ts';
import { sendStartPage } from './start-page.ts';

interface Dependencies {
  config: { realm: string; authUrl: string };
}

const Start = Type.Object({
  issuer: Type.String(),
  realm: Type.String(),
  discovery: Type.String(),
  documentation: Type.String(),
  openapi: Type.String(),
  consents: Type.String({ description: 'The page of a user’s consents' }),
});

const schema = {
  tags: ['pages'],
  operationId: 'getStart',
  summary: 'What this is, and where to go on',
  description: 'A page; JSON for `Accept: application/json`.',
  response: {
    200: { description: 'Addresses', content: { 'application/json': { schema: Start }, ...describePage('').content } },
  },
};

/** `GET /`. */
export function registerStart(app: FastifyInstance, { config }: Dependencies): void {
  const { realm, authUrl: issuer } = config;
  const start = {
    issuer,
    realm,
    discovery: `${issuer}/.well-known/openid-configuration`,
    documentation: `${issuer}/docs`,
    openapi: `${issuer}/openapi.json`,
    consents: `${issuer}/oauth/consents`,
  };
  app.get('/', { schema }, (request, reply) => {
    void reply.header('vary', 'Accept, Accept-Language');
    const { accept = '' } = request.headers;
    if (acceptsPage(accept) || !/\bapplication\/json\b/i.test(accept)) return sendStartPage(reply, realm);
    return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(start);
  });
}
