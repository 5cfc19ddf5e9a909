import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { buildOwnMetadata } from '../callers/own-metadata.ts';
import { chooseLanguage } from './plain-page.ts';
import { sendStartPage } from './start-page.ts';

interface Dependencies {
  config: { authUrl: string; baseUrl: string };
}

const Start = Type.Object({
  resource: Type.String({ description: 'The `aud` of tokens for this API' }),
  authorization_server: Type.String(),
  documentation: Type.String(),
  openapi: Type.String(),
  metadata: Type.String({ description: 'RFC 9728' }),
});

const schema = {
  tags: ['metadata'],
  operationId: 'getStart',
  summary: 'What this is, and where to go on',
  description: 'A page; JSON for `Accept: application/json`.',
  response: {
    200: {
      description: 'Addresses',
      content: { 'application/json': { schema: Start }, 'text/html': { schema: Type.String() } },
    },
  },
};

/** `GET /`: says what this API is, to people in their language and to programs. */
export function registerStart(app: FastifyInstance, { config }: Dependencies): void {
  const { authUrl, baseUrl } = config;
  const start = {
    resource: baseUrl,
    authorization_server: authUrl,
    documentation: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    metadata: new URL(baseUrl).origin + buildOwnMetadata(config).path,
  };
  app.get('/', { schema }, (request, reply) => {
    void reply.header('vary', 'Accept, Accept-Language');
    const { accept = '' } = request.headers;
    if (!/\btext\/html\b/i.test(accept) && /\bapplication\/json\b/i.test(accept)) {
      return reply.type('application/json; charset=utf-8').send(start);
    }
    return sendStartPage(reply, chooseLanguage(request), start);
  });
}
