import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { apiReferenceScopes, ProblemDetails } from '@gatehouse/shared';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import { type ApiReferenceOptions, describeSignIn } from '../src/http/api-reference.ts';
import { registerForEveryOrigin } from '../src/http/cross-origin.ts';
import { registerOpenApi } from '../src/http/openapi.ts';
import { createServer } from '../src/http/server.ts';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, unknown>; securitySchemes?: Record<string, unknown> };
}

const reference: ApiReferenceOptions = {
  publicUrl: 'https://api.example.com/base',
  issuer: 'https://auth.example.com/realm',
  demoData: true,
};
const demoCredentials = { scheme: 'password', username: 'admin@example.com', password: 'quoted "password"' };
const securitySchemes = {
  signIn: describeSignIn(reference),
  password: { type: 'http', scheme: 'basic' },
  boundToken: { type: 'http', scheme: 'dpop' },
} as const;

let log = '';
const stream = new Writable({
  write(chunk, _encoding, done) {
    log += String(chunk);
    done();
  },
});

async function start(
  document: Parameters<typeof registerOpenApi>[1],
  options: Partial<ApiReferenceOptions> = {},
): Promise<FastifyInstance> {
  const app = createServer({ log: pino(stream), trustProxy: false, publicUrl: reference.publicUrl });
  app.addSchema(ProblemDetails);
  await registerOpenApi(app, document, { ...reference, ...options });
  return app;
}

describe('the interface of a service', () => {
  let app: FastifyInstance;
  let document: Document;
  beforeAll(async () => {
    app = await start({ info: { title: 'A service', version: '1.2.3' }, components: { securitySchemes } });
    const answer = async () => 'here';
    const describedBy = (...names: (keyof typeof securitySchemes)[]) => ({
      schema: { security: names.map((name) => ({ [name]: [] })), response: { 200: Type.String() } },
    });
    await registerForEveryOrigin(app, (scope) => void scope.get('/for-pages', describedBy(), answer));
    app.get('/undescribed', answer);
    app.get('/open', describedBy(), answer);
    app.get('/by-token', describedBy('signIn', 'boundToken'), answer);
    app.get('/by-password', describedBy('signIn', 'password'), answer);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      app.route({ method, url: '/open', ...describedBy(), handler: answer });
    app.route({ method: ['GET', 'PUT'], url: '/both', ...describedBy(), handler: answer });
    app.get('/own', { schema: { response: { 400: Type.String(), 431: Type.String() } } }, answer);
    document = await read();
  });
  afterAll(() => app.close());

  const read = async (path = '/openapi.json') => (await app.inject(path)).json<Document>();
  const responsesOf = (path: string, method: string) => document.paths[path]?.[method]?.responses ?? {};

  it('is a document of OpenAPI 3.1', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'A service', version: '1.2.3' } });
  });

  const ofAll = [200, 400, 431, 500, 503];
  it.each([
    ['get', '/open', ofAll],
    ['delete', '/open', ofAll],
    ['post', '/open', [...ofAll, 413, 415]],
    ['put', '/open', [...ofAll, 413, 415]],
    ['patch', '/open', [...ofAll, 413, 415]],
    ['put', '/both', [...ofAll, 413, 415]],
    ['get', '/by-token', [...ofAll, 401, 403]],
    ['get', '/by-password', [...ofAll, 401, 403, 429]],
    ['get', '/undescribed', [200]],
  ])('names the failures that an operation shares with others: %s %s', (method, path, statuses) => {
    expect(Object.keys(responsesOf(path, method)).map(Number).sort()).toEqual([...statuses].sort());
  });

  it('describes a failure as the operation does, or as a problem document', () => {
    const own = { content: { 'application/json': { schema: { type: 'string' } } } };
    const schema = { $ref: '#/components/schemas/ProblemDetails' };
    const problem = { content: { 'application/problem+json': { schema } } };
    expect(responsesOf('/own', 'get')).toMatchObject({ 400: own, 431: own, 500: problem });
    expect(Object.keys(document.components.schemas)).toEqual(['ProblemDetails']);
  });

  it('has neither itself, nor its page, nor a preflight among the operations or in the log', async () => {
    const paths = ['/for-pages', '/undescribed', '/open', '/by-token', '/by-password', '/both', '/own'];
    expect([Object.keys(document.paths), Object.keys(document.paths['/for-pages'] ?? {})]).toEqual([paths, ['get']]);
    log = '';
    await read();
    expect((await app.inject('/docs')).statusCode).toBe(200);
    expect((await app.inject({ method: 'OPTIONS', url: '/for-pages' })).statusCode).toBe(204);
    expect(log).toBe('');
  });

  it('says where users sign in, and for which scopes', () => {
    expect(document.components.securitySchemes?.signIn).toMatchObject({
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: 'https://auth.example.com/realm/oauth/authorize',
          tokenUrl: 'https://auth.example.com/realm/oauth/token',
          scopes: apiReferenceScopes,
        },
      },
    });
  });

  it('is shown without the schemes that Swagger UI does not know', async () => {
    const shown = await read('/docs/json');
    expect(Object.keys(shown.components.securitySchemes ?? {})).toEqual(['signIn', 'password']);
    expect((await read()).components.securitySchemes).toHaveProperty('boundToken');
  });
});

describe('the page of an interface', () => {
  it('has a title, an icon, a style and a script of its own', async () => {
    const app = await start({ info: { title: 'A service', version: '1.2.3' } });
    const page = (await app.inject('/docs')).body;
    expect(page).toContain('<title>A service</title>');
    const files = [...page.matchAll(/(?:href|src)="\/base(\/docs\/static\/theme\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(files.map((path) => path.split('/').at(-1))).toEqual(['theme.css', 'icon.svg', 'theme.js']);
    const answers = await Promise.all(files.map((path) => app.inject(path)));
    expect(answers.map(({ statusCode, headers }) => [statusCode, headers['content-type']])).toEqual([
      [200, expect.stringContaining('text/css')],
      [200, expect.stringContaining('image/svg+xml')],
      [200, expect.stringContaining('javascript')],
    ]);
    expect(page).toMatch(/<link rel="icon" type="image\/svg\+xml" .* sizes="any" \/>/);
    await app.close();
  });

  it('leaves the connection to the server: one that is to be closed is', async () => {
    const app = await start({});
    const url = new URL('/docs/json', await app.listen({ port: 0 }));
    const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
    await once(answer.resume(), 'end');
    await app.close();
  });

  it('has a title where the service has none, and nothing to show where the service says nothing', async () => {
    const app = await start({});
    expect((await app.inject('/docs')).body).toContain('<title>API reference</title>');
    expect((await app.inject('/docs/json')).json()).toMatchObject({ openapi: '3.1.0', paths: {} });
    await app.close();
  });

  it.each<[string, Partial<ApiReferenceOptions>]>([
    ['credentials and a client', { demoData: true, demoCredentials }],
    ['a client', { demoData: true }],
    ['nothing', { demoData: false, demoCredentials }],
  ])('starts with %s of the demo data, as these are there', async (_what, options) => {
    const app = await start({}, options);
    const script = (await app.inject('/docs/static/swagger-initializer.js')).body;
    const config = /const config = (.*)$/m.exec(script)?.[1];
    const shown =
      '"deepLinking":true,"tryItOutEnabled":true,"displayRequestDuration":true,"defaultModelsExpandDepth":0';
    const first = ',"onComplete":() => ui.preauthorizeBasic("password", "admin@example.com", "quoted \\"password\\"")';
    expect(config).toBe(`{${shown}${options.demoData && options.demoCredentials !== undefined ? first : ''}}`);
    const signIn = JSON.parse(/ui\.initOAuth\((.*)\)/.exec(script)?.[1] ?? '');
    expect(signIn).toEqual({
      ...(options.demoData ? { clientId: 'api-reference' } : {}),
      scopes: Object.keys(apiReferenceScopes),
      usePkceWithAuthorizationCodeGrant: true,
    });
    await app.close();
  });
});
