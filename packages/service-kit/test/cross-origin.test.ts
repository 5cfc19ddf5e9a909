import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { allowEveryOrigin, registerForEveryOrigin } from '../src/http/cross-origin.ts';
import { createServer } from '../src/http/server.ts';

const page = 'https://page.example.com';

describe('a path that pages of other origins call', () => {
  let app: FastifyInstance;
  let asked: string[];

  beforeAll(async () => {
    app = createServer({ log: pino({ enabled: false }), trustProxy: false, publicUrl: 'http://localhost:9000' });
    const handler = async () => 'here';
    await registerForEveryOrigin(app, (scope) => void scope.get('/constant', handler));
    await app.register(async (scope) => {
      allowEveryOrigin(scope, {
        async mayIncludeCredentials(path, origin) {
          asked.push(`${path} ${origin}`);
          return origin === page;
        },
      });
      scope.get('/here', handler);
      scope.delete('/here', handler);
      scope.route({ method: ['PUT', 'PATCH'], url: '/here', handler });
      scope.delete('/there', handler);
    });
    asked = [];
    await app.ready();
  });
  afterAll(() => app.close());

  const preflight = async (url: string, headers: Record<string, string> = { origin: page }) => {
    asked = [];
    const answer = await app.inject({ method: 'OPTIONS', url, headers });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    return answer.headers;
  };

  it.each([
    ['/constant', 'GET, POST'],
    ['/here', 'GET, POST, DELETE, PUT, PATCH'],
    ['/there', 'GET, POST, DELETE'],
  ])(
    'names to a preflight each method of any of its routes, and those that are always allowed: %s',
    async (url, methods) => {
      expect(await preflight(url)).toMatchObject({
        'access-control-allow-methods': methods,
        'access-control-max-age': '7200',
      });
    },
  );

  it('takes the headers of a trace and of a call beside those of the protocols', async () => {
    expect((await preflight('/here'))['access-control-allow-headers']).toBe(
      'Authorization, Content-Type, DPoP, If-None-Match, MCP-Protocol-Version, Prefer, traceparent, tracestate, X-Request-Id, X-Requested-With',
    );
  });

  it('is asked for with credentials by the origins of its rules alone', async () => {
    const credentials = 'access-control-allow-credentials';
    expect(await preflight('/here')).toMatchObject({ 'access-control-allow-origin': page, [credentials]: 'true' });
    expect(asked).toEqual([`/here ${page}`]);
    const foreign = await preflight('/here', { origin: 'https://evil.example.com' });
    expect([foreign['access-control-allow-origin'], foreign[credentials]]).toEqual(['*', undefined]);
    const unsaid = await preflight('/here', {});
    expect([asked, unsaid['access-control-allow-origin'], unsaid[credentials]]).toEqual([[], '*', undefined]);
    const constant = await preflight('/constant');
    expect([asked, constant['access-control-allow-origin'], constant[credentials]]).toEqual([[], '*', undefined]);
  });

  it.each([
    ['/here', 'Origin'],
    ['/constant', undefined],
  ])('says whether its answers depend on the origin: %s', async (url, vary) => {
    for (const headers of [await preflight(url), (await app.inject(url)).headers]) expect(headers.vary).toBe(vary);
  });
});
