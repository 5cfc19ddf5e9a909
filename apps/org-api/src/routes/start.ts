import { createHash } from 'node:crypto';
import { Html, html } from '@gatehouse/service-kit/html';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { buildOwnMetadata } from '../http/own-metadata.ts';

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
type Start = Record<keyof (typeof Start)['properties'], string>;

const schema = {
  tags: ['metadata'],
  summary: 'What this is, and where to go on',
  description: 'A page; JSON for `Accept: application/json`.',
  response: {
    200: {
      description: 'Addresses',
      content: { 'application/json': { schema: Start }, 'text/html': { schema: Type.String() } },
    },
  },
};

const style = `:root { color-scheme: light dark; }
body { max-width: 36rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** `GET /`: says what this API is, to people and to programs. */
export function registerStart(app: FastifyInstance, { config }: Dependencies): void {
  const { authUrl, baseUrl } = config;
  const start = {
    resource: baseUrl,
    authorization_server: authUrl,
    documentation: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    metadata: new URL(baseUrl).origin + buildOwnMetadata(config).path,
  };
  const page = renderPage(start).text;
  app.get('/', { schema }, (request, reply) => {
    void reply.header('vary', 'Accept');
    const { accept = '' } = request.headers;
    if (!/\btext\/html\b/i.test(accept) && /\bapplication\/json\b/i.test(accept)) {
      return reply.type('application/json; charset=utf-8').send(start);
    }
    const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`;
    return reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }).send(page);
  });
}

function renderPage({ authorization_server: authServer, documentation, metadata }: Start): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Organization API</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>Organization API</h1>
<p>This API gives users of the organization to applications that send an access token of <a href="${authServer}/">${authServer}</a>.</p>
<ul>
<li><a href="${documentation}">API reference</a></li>
<li><a href="${metadata}">Metadata of this API (RFC 9728)</a></li>
</ul>
</main>
</body>
</html>
`;
}
