import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TlsOptions } from 'node:tls';
import { deflateSync } from 'node:zlib';
import type { Certificates } from '@gatehouse/test-kit';

export interface IssuerRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  form: URLSearchParams;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

type Answer = (request: IssuerRequest) => Reply;
type Members = Record<string, unknown>;

/** An issuer of which nothing is wrong until a test changes it. */
export interface RightIssuer {
  issuer: string;
  /** The same server at another port. */
  otherOrigin: string;
  metadata: Members;
  /** The document in the form of RFC 8414. */
  oauthMetadata: Members;
  keys: Members[];
  /** The key that signs tokens. */
  signer: TestKey;
  /** Changes the header and the claims of each token. */
  token(header: Members, claims: Members): void;
  /** By method and path. */
  answers: Record<string, Answer>;
  /** Has the last word about each answer. */
  change(request: IssuerRequest, reply: Reply): Reply;
}

export interface TestKey {
  kid: string;
  alg: 'RS256' | 'ES256';
  privateKey: KeyObject;
  jwk: Members;
}

export function makeTestKey(kid: string, alg: TestKey['alg'], modulusLength = 2048): TestKey {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** Made once for all tests. */
export const testKeys = {
  one: makeTestKey('one', 'RS256'),
  two: makeTestKey('two', 'ES256'),
  three: makeTestKey('three', 'ES256'),
};

export const rightClient = { id: 'app', secret: 'the secret of app', redirectUri: 'https://app.example.com/callback' };
const basic = `Basic ${Buffer.from([rightClient.id, rightClient.secret].map(encodeURIComponent).join(':')).toString('base64')}`;

export const json = (status: number, body: unknown, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});
export const page = (status: number, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; script-src 'nonce-x' 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...headers,
  },
  body: '<!doctype html><title>Page</title>',
});
export const redirect = (address: string, parameters: Record<string, string>): Reply => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' };
};
export const refused = (): Reply => json(401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic' });

export interface IssuerOptions {
  /** Changes what is right. */
  spoil?: (issuer: RightIssuer) => void;
  /** Of TLS; http where there are no certificates. */
  tls?: TlsOptions;
  host?: string;
  /** Answers http at the port of https too. */
  alsoHttp?: boolean;
}

/** Starts it with a certificate of `certificates`, by http without. */
export async function startRightIssuer(
  certificates: Certificates | undefined,
  { spoil, tls, host = '127.0.0.1', alsoHttp = false }: IssuerOptions = {},
) {
  let issuer: RightIssuer | undefined;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (issuer === undefined) return;
    const asked = await readRequest(request);
    const { status, headers, body } = issuer.change(asked, answer(issuer, asked));
    const known = Object.entries(headers).filter(([, value]) => value !== undefined) as [string, string | string[]][];
    response.writeHead(status, Object.fromEntries(known)).end(body);
  };
  const scheme = certificates === undefined ? 'http' : 'https';
  const create = (): Server => {
    if (certificates === undefined) return createHttpServer(handle);
    const options = { cert: readFileSync(certificates.certificate), key: readFileSync(certificates.key), ...tls };
    const secure = createServer(options, handle).on('tlsClientError', (_error, socket) => socket.destroy());
    return alsoHttp ? createBoth(createHttpServer(handle), secure) : secure;
  };
  const servers = [create(), create()];
  const sockets = new Set<Socket>();
  const origins: string[] = [];
  for (const server of servers) {
    server.on('connection', (socket: Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const name = certificates === undefined ? host : 'localhost';
    origins.push(`${scheme}://${name}:${(server.address() as AddressInfo).port}`);
  }
  issuer = createIssuer(origins[0] ?? '', origins[1] ?? '');
  spoil?.(issuer);
  return {
    issuer: issuer.issuer,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** The first byte tells which of both a client speaks (RFC 8446 5.1). */
function createBoth(plain: Server, secure: Server): Server {
  return createTcpServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      socket.unshift(chunk);
      (chunk[0] === 22 ? secure : plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  });
}

async function readRequest(request: IncomingMessage): Promise<IssuerRequest> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
  const { method = 'GET', headers } = request;
  return { method, path, query, headers, form: new URLSearchParams(await text(request)) };
}

function answer({ answers }: RightIssuer, request: IssuerRequest): Reply {
  const reply = answers[`${request.method} ${request.path}`]?.(request) ?? { status: 404, headers: {}, body: '' };
  return { ...reply, headers: { 'strict-transport-security': 'max-age=31536000', ...reply.headers } };
}

function createIssuer(origin: string, otherOrigin: string): RightIssuer {
  const revoked = new Set<string>();
  const statuses: number[] = [];
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    userinfo_endpoint: `${origin}/userinfo`,
    jwks_uri: `${origin}/jwks`,
    introspection_endpoint: `${origin}/introspect`,
    revocation_endpoint: `${origin}/revoke`,
    end_session_endpoint: `${origin}/logout`,
    scopes_supported: ['openid'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'client_credentials'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    protected_resources: [origin],
  };
  const signJwt = (key: TestKey, header: Members, claims: Members) => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const signed = `${encode({ alg: key.alg, kid: key.kid, ...header })}.${encode(claims)}`;
    const input = {
      key: createPrivateKey(key.privateKey.export({ format: 'pem', type: 'pkcs8' })),
      dsaEncoding: 'ieee-p1363',
    } as const;
    return `${signed}.${sign('sha256', Buffer.from(signed), input).toString('base64url')}`;
  };
  const whenAuthenticated =
    (answerTo: Answer): Answer =>
    (request) =>
      request.headers.authorization === basic ? answerTo(request) : refused();
  const issuer: RightIssuer = {
    ...{ issuer: origin, otherOrigin, metadata, oauthMetadata: structuredClone(metadata) },
    keys: [testKeys.one.jwk, testKeys.two.jwk].map((key) => structuredClone(key)),
    signer: testKeys.two,
    token: () => undefined,
    change: (_request, reply) => reply,
    answers: {
      'GET /': () => page(200),
      'GET /.well-known/openid-configuration': () => json(200, issuer.metadata, { 'cache-control': 'max-age=300' }),
      'GET /.well-known/oauth-authorization-server': () => json(200, issuer.oauthMetadata),
      'GET /jwks': () => json(200, { keys: issuer.keys }),
      'GET /authorize': ({ query }) => authorize(issuer, query),
      'GET /token': () => json(405, { error: 'invalid_request' }, { allow: 'POST' }),
      'OPTIONS /token': () => ({ status: 204, headers: {}, body: '' }),
      'POST /token': (request) => {
        if (request.headers['content-type'] === 'application/json') return json(415, { error: 'invalid_request' });
        return whenAuthenticated(() => {
          const now = Math.floor(Date.now() / 1000);
          const idx = statuses.push(0) - 1;
          const header = { typ: 'at+jwt' };
          const claims = {
            ...{
              iss: origin,
              sub: 'app',
              client_id: 'app',
              aud: 'https://api.example.com',
              jti: randomUUID(),
              iat: now,
            },
            ...{ exp: now + 3600, status: { status_list: { idx, uri: `${origin}/statuses` } } },
          };
          issuer.token(header, claims);
          const token = signJwt(issuer.signer, header, claims);
          return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
        })(request);
      },
      'POST /introspect': whenAuthenticated(({ form }) => json(200, { active: !revoked.has(form.get('token') ?? '') })),
      'POST /revoke': whenAuthenticated(({ form }) => {
        const token = form.get('token') ?? '';
        revoked.add(token);
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}');
        const { idx } = claims.status?.status_list ?? {};
        if (idx !== undefined) statuses[idx] = 1;
        return json(200, {});
      }),
      'GET /statuses': () => {
        const bits = Buffer.alloc(Math.ceil(statuses.length / 8) + 1);
        statuses.forEach((status, index) => {
          bits[index >> 3] = (bits[index >> 3] ?? 0) | (status << (index & 7));
        });
        const lst = deflateSync(bits).toString('base64url');
        const list = signJwt(testKeys.two, { typ: 'statuslist+jwt' }, { status_list: { bits: 1, lst } });
        return { status: 200, headers: { 'content-type': 'application/statuslist+jwt' }, body: list };
      },
      'GET /userinfo': () => json(401, {}, { 'www-authenticate': 'Bearer' }),
      'GET /logout': ({ query }) => page(query.has('post_logout_redirect_uri') ? 400 : 200),
    },
  };
  return issuer;
}

function authorize({ issuer }: RightIssuer, query: URLSearchParams): Reply {
  const redirectUri = query.get('redirect_uri');
  if (query.get('client_id') !== rightClient.id || redirectUri !== rightClient.redirectUri) return page(400);
  const error = query.get('code_challenge_method') === 'S256' ? 'login_required' : 'invalid_request';
  if (query.get('prompt') === 'none')
    return redirect(redirectUri, { error, iss: issuer, state: query.get('state') ?? '' });
  return page(200, { 'set-cookie': '__Host-session=1; Path=/; Secure; HttpOnly; SameSite=Lax' });
}
