import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { fastify } from 'fastify';
import { resourceServer as expressServer } from '../src/express.ts';
import { resourceServer as fastifyServer } from '../src/fastify.ts';
import type { VerifierOptions } from '../src/index.ts';
import { audience, type Issuer, startIssuer } from './support/issuer.ts';
import { createHolder } from './support/proofs.ts';

interface Api {
  url: string;
  close(): Promise<void>;
}

const ofStaff = { groups: ['staff/it', 'Board'] };
const ofPayments = { scope: ['orders:read'], acr: ['urn:gatehouse:acr:mfa', 'phr'], maxAge: 300 };

async function startFastify(options: VerifierOptions): Promise<Api> {
  const app = fastify();
  await app.register(fastifyServer, options);
  app.get('/', () => ({ open: true }));
  app.get('/api/who', { onRequest: app.requireToken }, (request) => ({ subject: request.accessToken?.subject }));
  app.get('/api/orders', { onRequest: app.requireScope('orders:read') }, (request) => ({
    subject: request.accessToken?.subject,
  }));
  app.get('/api/admin', { onRequest: app.requireScope('orders:read', 'admin') }, () => ({}));
  app.get('/api/payments', { onRequest: app.requireAuthentication(ofPayments) }, () => ({}));
  app.get('/api/staff', { onRequest: app.requireAuthentication(ofStaff) }, () => ({}));
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

async function startExpress(options: VerifierOptions): Promise<Api> {
  const app = express();
  const api = expressServer(options);
  app.use(api);
  app.get('/', (_request, response) => void response.json({ open: true }));
  // A router of its own, so that Express takes the mount path off request.url.
  const routes = express.Router();
  routes.get(
    '/who',
    api.requireToken,
    (request, response) => void response.json({ subject: request.accessToken?.subject }),
  );
  routes.get('/orders', api.requireScope('orders:read'), (request, response) => {
    response.json({ subject: request.accessToken?.subject });
  });
  routes.get('/admin', api.requireScope('orders:read', 'admin'), (_request, response) => void response.json({}));
  routes.get('/payments', api.requireAuthentication(ofPayments), (_request, response) => void response.json({}));
  routes.get('/staff', api.requireAuthentication(ofStaff), (_request, response) => void response.json({}));
  app.use('/api', routes);
  const server = await new Promise<Server>((resolve) => {
    const listening: Server = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      api.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each([
  ['Fastify', startFastify],
  ['Express', startExpress],
])('an API of %s', (_name, start) => {
  let issuer: Issuer;
  let api: Api;
  const metadataPath = '/.well-known/oauth-protected-resource/api';

  beforeAll(async () => {
    issuer = await startIssuer();
    api = await start({
      issuer: issuer.url,
      audience,
      realm: 'orders',
      metadata: { resource_name: 'Orders', scopes_supported: ['orders:read'] },
    });
  });
  afterAll(async () => {
    await api.close();
    await issuer.close();
  });
  const get = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });
  const getWith = async (path: string, claims: Record<string, unknown> = {}) =>
    get(path, { authorization: `Bearer ${await issuer.token(claims)}` });

  it('gives the token of a good request to its handler', async () => {
    for (const path of ['/api/who', '/api/orders']) {
      const answer = await getWith(path, { sub: 'somebody' });
      expect([answer.status, await answer.json()]).toEqual([200, { subject: 'somebody' }]);
    }
  });

  it('publishes no metadata for an audience that is no URL, and serves all else', async () => {
    const named = await start({ issuer: issuer.url, audience: 'orders' });
    const statusOf = async (path: string) => (await fetch(named.url + path)).status;
    const statuses = [await statusOf('/'), await statusOf('/.well-known/oauth-protected-resource')];
    await named.close();
    expect(statuses).toEqual([200, 404]);
  });

  it('leaves routes open that require nothing', async () => {
    expect(await (await get('/')).json()).toEqual({ open: true });
  });

  it('answers 401 with a challenge that names the metadata where there is no token', async () => {
    const answer = await get('/api/orders');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(
        /^Bearer realm="orders", scope="orders:read", resource_metadata="https:\/\/orders\.example\.com\/\.well-known/,
      ),
    ]);
  });

  it('answers 401 invalid_token for a token of another API', async () => {
    const answer = await getWith('/api/who', { aud: 'https://other.example' });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    expect(await answer.text()).not.toContain('not a token of this issuer');
  });

  it('answers 403 insufficient_scope for a token without the scopes', async () => {
    const answer = await getWith('/api/admin');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringMatching(/error="insufficient_scope".*scope="orders:read admin"/),
    ]);
  });

  it('answers 403 insufficient_scope for a token without the groups, or with more than it carries', async () => {
    const groups = ['board', 'staff/IT', 'other'];
    expect((await getWith('/api/staff', { groups })).status).toBe(200);
    for (const claims of [{ groups: ['board'] }, {}, { groups, groups_omitted: true }]) {
      const answer = await getWith('/api/staff', claims);
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        403,
        expect.stringContaining('error="insufficient_scope"'),
      ]);
    }
  });

  it('answers 401 insufficient_user_authentication for a sign-in that does not do (RFC 9470 3)', async () => {
    const authTime = Math.floor(Date.now() / 1000) - 10;
    expect((await getWith('/api/payments', { acr: 'phr', auth_time: authTime })).status).toBe(200);
    const answer = await getWith('/api/payments', { acr: 'urn:gatehouse:acr:password', auth_time: authTime });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(
        /^Bearer realm="orders", error="insufficient_user_authentication", error_description="[^"]+", acr_values="urn:gatehouse:acr:mfa phr", max_age="300"/,
      ),
    ]);
  });

  it('takes a bound token with a proof for its public URL', async () => {
    const { prove, jkt } = await createHolder();
    const token = await issuer.token({ cnf: { jkt } });
    const dpop = await prove('GET', 'https://orders.example.com/api/who', token);
    expect((await get('/api/who?x=1', { authorization: `DPoP ${token}`, dpop })).status).toBe(200);
    const again = await get('/api/who', { authorization: `DPoP ${token}`, dpop });
    expect([again.status, again.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^DPoP /)]);
  });

  it('publishes its metadata to those who read, and to nobody who writes', async () => {
    const statusOf = async (method: string) => (await fetch(api.url + metadataPath, { method })).status;
    expect([await statusOf('HEAD'), await statusOf('POST'), await statusOf('DELETE')]).toEqual([200, 404, 404]);
  });

  it('publishes its metadata for everybody (RFC 9728 3)', async () => {
    const answer = await get(metadataPath);
    expect([
      answer.status,
      answer.headers.get('content-type'),
      answer.headers.get('access-control-allow-origin'),
    ]).toEqual([200, expect.stringMatching(/^application\/json/), '*']);
    expect(await answer.json()).toEqual({
      resource: audience,
      authorization_servers: [issuer.url],
      resource_name: 'Orders',
      scopes_supported: ['orders:read'],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']),
    });
    expect((await get('/.well-known/oauth-protected-resource')).status).toBe(404);
  });

  it('lets clients in browsers read its metadata, also with a header of their own: it answers the preflight', async () => {
    const preflight = {
      origin: 'https://inspector.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'mcp-protocol-version',
    };
    const answer = await fetch(api.url + metadataPath, { method: 'OPTIONS', headers: preflight });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': '*, Authorization',
    });
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    const elsewhere = await fetch(`${api.url}/api/who`, { method: 'OPTIONS', headers: preflight });
    expect(elsewhere.headers.has('access-control-allow-origin')).toBe(false);
  });

  it('answers 503 with Retry-After where the keys cannot be had, and says so in the log that it is given', async () => {
    const other = await startIssuer();
    other.routes.clear();
    const warnings: string[] = [];
    const log = { warn: (_details: object, message: string) => void warnings.push(message) };
    const lost = await start({ issuer: other.url, audience, log });
    const answer = await fetch(`${lost.url}/api/who`, { headers: { authorization: `Bearer ${await other.token()}` } });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(warnings).toEqual(['the keys of the issuer could not be read']);
    await lost.close();
    await other.close();
  });
});

describe('an API tells its log why it refused a request, by one line at info with the id of the request,', () => {
  let issuer: Issuer;
  beforeAll(async () => {
    issuer = await startIssuer();
  });
  afterAll(() => issuer.close());

  const collect = () => {
    const lines: [object, string][] = [];
    const info = (...line: [object, string]) => void lines.push(line);
    return { lines, log: { warn: () => undefined, info } };
  };
  const refused = 'a request was refused';

  it.each([
    ['Fastify', startFastify, 'req-1'],
    ['Express', startExpress, 'id-of-the-proxy'],
  ] as const)('%s', async (_name, start, requestId) => {
    const { lines, log } = collect();
    const api = await start({ issuer: issuer.url, audience, log });
    const other = await issuer.token({ aud: 'https://other.example' });
    const ask = (path: string, authorization?: string) =>
      fetch(api.url + path, {
        headers: { 'x-request-id': 'id-of-the-proxy', ...(authorization && { authorization }) },
      });
    await ask('/api/who', `Bearer ${other}`);
    expect(lines).toEqual([
      [
        ...[
          {
            requestId,
            status: 401,
            refusal: 'not_valid',
            reason: `meant for https://other.example, not for ${audience}`,
          },
        ],
        refused,
      ],
    ]);
    await ask('/api/who');
    await ask('/api/admin', `Bearer ${await issuer.token()}`);
    expect((await ask('/api/who', `Bearer ${await issuer.token()}`)).status).toBe(200);
    await api.close();
    expect(lines.slice(1)).toEqual([
      [
        expect.objectContaining({ status: 401, refusal: 'missing', reason: expect.stringContaining('is required') }),
        refused,
      ],
      [expect.objectContaining({ status: 403, refusal: 'scope', reason: expect.stringContaining('admin') }), refused],
    ]);
    expect(JSON.stringify(lines)).not.toContain('eyJ');
  });

  it('Express with the id that other middleware gave it, and none where it has none', async () => {
    const { lines, log } = collect();
    const app = express();
    const api = expressServer({ issuer: issuer.url, audience, log });
    app.get(
      '/given',
      (request, _response, next) => void next(Object.assign(request, { id: 7 }) && undefined),
      api.requireToken,
    );
    app.get('/none', api.requireToken);
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await fetch(`${url}/given`, { headers: { 'x-request-id': 'other' } });
    await fetch(`${url}/none`, { headers: { 'x-request-id': 'a b' } });
    api.close();
    server.closeAllConnections();
    server.close();
    const details = { status: 401, refusal: 'missing', reason: expect.any(String) };
    expect(lines).toEqual([
      [{ requestId: '7', ...details }, refused],
      [details, refused],
    ]);
  });

  it('Fastify in the log of the request where no other is given', async () => {
    const lines: string[] = [];
    const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
    await app.register(fastifyServer, { issuer: issuer.url, audience });
    app.get('/', { onRequest: app.requireToken }, () => ({}));
    await app.inject('/');
    await app.close();
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === refused);
    expect(told).toEqual([
      expect.objectContaining({ level: 30, reqId: 'req-1', requestId: 'req-1', refusal: 'missing' }),
    ]);
  });
});

it('an API of Express answers a refusal by itself, as RFC 6749 5.2 has it', async () => {
  const issuer = await startIssuer();
  const api = await startExpress({ issuer: issuer.url, audience });
  const answer = await fetch(`${api.url}/api/who`, { headers: { authorization: 'Bearer nonsense' } });
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    ...[401, 'application/json', 'no-store'],
  ]);
  expect(await answer.json()).toEqual({ error: 'invalid_token', error_description: expect.any(String) });
  await api.close();
  await issuer.close();
});

describe('an API of Fastify', () => {
  let issuer: Issuer;
  beforeAll(async () => {
    issuer = await startIssuer();
  });
  afterAll(() => issuer.close());

  it('has the challenge also where it answers errors in its own way', async () => {
    const app = fastify();
    app.setErrorHandler((_error, _request, reply) => void reply.code(401).send({ own: true }));
    await app.register(fastifyServer, { issuer: issuer.url, audience });
    app.get('/', { onRequest: app.requireToken }, () => ({}));
    const answer = await app.inject('/');
    expect([answer.json(), answer.headers['www-authenticate']]).toEqual([
      { own: true },
      expect.stringMatching(/^Bearer /),
    ]);
    await app.close();
  });

  it('may answer preflights for its metadata itself', async () => {
    const app = fastify();
    const url = '/.well-known/oauth-protected-resource/api';
    app.options(url, (_request, reply) => void reply.code(299).send());
    await app.register(fastifyServer, { issuer: issuer.url, audience });
    expect((await app.inject({ method: 'OPTIONS', url })).statusCode).toBe(299);
    expect((await app.inject(url)).statusCode).toBe(200);
    await app.close();
  });

  it('says in its own log that keys cannot be read, unless another one is given', async () => {
    const lines: string[] = [];
    const warnings: string[] = [];
    const other = { warn: (_details: object, message: string) => void warnings.push(message) };
    for (const log of [undefined, other]) {
      const app = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
      await app.register(fastifyServer, { issuer: 'http://127.0.0.1:1', audience, ...(log && { log }) });
      app.get('/', { onRequest: app.requireToken }, () => ({}));
      const authorization = `Bearer ${await issuer.token()}`;
      expect((await app.inject({ url: '/', headers: { authorization } })).statusCode).toBe(503);
      await app.close();
    }
    expect(lines.filter((line) => line.includes('could not be read'))).toHaveLength(1);
    expect(warnings).toEqual(['the keys of the issuer could not be read']);
  });
});
