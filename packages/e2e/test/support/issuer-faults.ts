import type { TlsOptions } from 'node:tls';
import { deflateSync } from 'node:zlib';
import type { RightDeployment } from './right-deployment.ts';
import {
  type IssuerOptions,
  type IssuerRequest,
  json,
  makeTestKey,
  page,
  type Reply,
  type RightIssuer,
  redirect,
  rightClient,
  testKeys,
} from './right-issuer.ts';

/** One thing that is wrong with an issuer. */
export interface IssuerFault extends IssuerOptions {
  /** The findings; its name where left out. */
  finds?: string[];
  certificates?: 'right' | 'expired' | 'short' | 'misnamed' | 'unknown';
  withClient?: boolean;
  byHttp?: boolean;
  args?: string[];
  /** It is a Gatehouse, with this wrong. */
  deployment?: (deployment: RightDeployment) => void;
}

type Members = Record<string, unknown>;

const metadata = (change: (members: Members, issuer: RightIssuer) => void): IssuerFault => ({
  spoil: (issuer) => {
    change(issuer.metadata, issuer);
    change(issuer.oauthMetadata, issuer);
  },
});
const keys = (change: (list: Members[], issuer: RightIssuer) => void): IssuerFault => ({
  spoil: (issuer) => change(issuer.keys, issuer),
});
const replies = (pattern: RegExp, change: (reply: Reply, request: IssuerRequest) => Reply): IssuerFault => ({
  spoil: (issuer) => {
    issuer.change = (request, reply) =>
      pattern.test(`${request.method} ${request.path}`) ? change(reply, request) : reply;
  },
});
const headers = (pattern: RegExp, changed: Reply['headers']): IssuerFault =>
  replies(pattern, (reply) => ({ ...reply, headers: { ...reply.headers, ...changed } }));
const signInPage = (changed: Reply['headers']): IssuerFault =>
  replies(/^GET \/authorize$/, (reply) =>
    reply.status === 200 ? { ...reply, headers: { ...reply.headers, ...changed } } : reply,
  );
const token = (change: (header: Members, claims: Members) => void): IssuerFault => ({
  spoil: (issuer) => {
    issuer.token = change;
  },
});
const cookie = (value: string): IssuerFault => signInPage({ 'set-cookie': value });
const deployment = (change: (deployment: RightDeployment) => void): IssuerFault => ({
  deployment: change,
  withClient: false,
});

/** An answer of the authorization endpoint that leads to whichever address came. */
const led = (query: URLSearchParams, error: string, iss: string): Reply =>
  redirect(query.get('redirect_uri') ?? '', { error, iss, state: query.get('state') ?? '' });
const authorization = (answer: (query: URLSearchParams, reply: Reply) => Reply): IssuerFault =>
  replies(/^GET \/authorize$/, (reply, { query }) => (query.has('redirect_uri') ? answer(query, reply) : reply));
/** An answer by redirect to the client, with these parameters changed. */
const answered = (changed: Record<string, string | undefined>, when = (_query: URLSearchParams) => true): IssuerFault =>
  authorization((query, reply) => {
    if (reply.status !== 302 || !when(query)) return reply;
    const url = new URL(String(reply.headers.location));
    for (const [name, value] of Object.entries(changed)) {
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    return { ...reply, headers: { ...reply.headers, location: url.href } };
  });

const oldTls: TlsOptions = { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' };
const html = { 'content-type': 'text/html' };
const strange = 'https://gatehouse-verify.invalid';
const encryptionKey = { ...makeTestKey('enc', 'RS256').jwk, use: 'enc', alg: 'RSA-OAEP' };
const ours = /^Basic YXBw/;
const isOurs = ({ headers: { authorization: value = '' } }: IssuerRequest) => ours.test(value);

/** Issuers with one fault each, by the finding that says it, or by a name where another fault has the same finding. */
export const faults = new Map<string, IssuerFault>(
  Object.entries<IssuerFault>({
    'tls.https': { byHttp: true, host: '127.0.0.2', args: ['--insecure-http'] },
    'tls.loopback': { byHttp: true },
    'tls.chain': { certificates: 'unknown' },
    'tls.name': { certificates: 'misnamed' },
    'tls.validity': { certificates: 'expired' },
    'tls.days': { certificates: 'short' },
    'tls.version': { tls: oldTls },
    'TLS 1.1 alone': { tls: { ...oldTls, maxVersion: 'TLSv1.1' }, finds: ['tls.version'] },
    'tls.http': { alsoHttp: true },
    'tls.hsts': headers(/./, { 'strict-transport-security': undefined }),

    'discovery.document': replies(/well-known/, () => ({ status: 404, headers: {}, body: '' })),
    'metadata behind a redirect': {
      ...replies(/well-known/, () => redirect('https://auth.example.com', {})),
      finds: ['discovery.document'],
    },
    'metadata that is a page': { ...replies(/well-known/, () => page(200)), finds: ['discovery.document'] },
    'discovery.content_type': headers(/openid-configuration/, { 'content-type': 'text/plain' }),
    'discovery.issuer': metadata((members) => {
      members.issuer += '/';
    }),
    'discovery.other_form': {
      spoil: ({ oauthMetadata }) => {
        oauthMetadata.issuer = 'https://other.example.com';
      },
    },
    'discovery.forms_agree': {
      spoil: ({ oauthMetadata, issuer }) => {
        oauthMetadata.token_endpoint = `${issuer}/other-token`;
      },
    },
    'discovery.members': metadata((members) => {
      delete members.subject_types_supported;
    }),
    'no jwks_uri': {
      ...metadata((members) => {
        delete members.jwks_uri;
      }),
      finds: ['discovery.members'],
    },
    'discovery.types': metadata((members) => {
      members.scopes_supported = 'openid';
    }),
    'discovery.https': metadata((members, { issuer }) => {
      members.userinfo_endpoint = `${issuer.replace('https', 'http')}/userinfo`;
    }),
    'discovery.host': metadata((members, { otherOrigin }) => {
      members.userinfo_endpoint = `${otherOrigin}/userinfo`;
    }),
    'discovery.endpoint': metadata((members, { issuer }) => {
      members.device_authorization_endpoint = `${issuer}/device`;
    }),
    'discovery.contradiction': metadata((members) => {
      members.require_pushed_authorization_requests = true;
    }),
    'a grant type that is not named': {
      ...metadata((members) => {
        members.grant_types_supported = ['authorization_code'];
      }),
      finds: ['discovery.contradiction'],
    },
    'discovery.assertion_algorithms': metadata((members) => {
      members.token_endpoint_auth_methods_supported = ['client_secret_basic', 'private_key_jwt'];
    }),
    'discovery.pkce': metadata((members) => {
      delete members.code_challenge_methods_supported;
    }),
    'discovery.pkce_plain': metadata((members) => {
      members.code_challenge_methods_supported = ['plain', 'S256'];
    }),
    'discovery.rs256': metadata((members) => {
      members.id_token_signing_alg_values_supported = ['ES256'];
    }),
    'discovery.cache': headers(/openid-configuration/, { 'cache-control': 'public, max-age=604800' }),
    'metadata without Cache-Control': {
      ...headers(/openid-configuration/, { 'cache-control': undefined }),
      finds: ['discovery.cache'],
    },

    'keys.document': replies(/jwks/, () => json(500, {})),
    'keys.usable': {
      spoil: ({ metadata: members, keys: list }) => {
        members.id_token_signing_alg_values_supported = ['RS256'];
        list.shift();
      },
    },
    'keys.algorithms': metadata((members) => {
      members.id_token_signing_alg_values_supported = ['RS256', 'ES256', 'PS256'];
    }),
    'keys.kid_unique': keys((list) => list.push({ ...testKeys.three.jwk, kid: 'two' })),
    'keys.kid': keys((list) => list.push({ ...testKeys.three.jwk, kid: undefined })),
    'keys.use': keys((list) => list.push(encryptionKey, { ...testKeys.three.jwk, use: undefined })),
    'keys.readable': keys((list) => list.push({ ...testKeys.three.jwk, y: undefined })),
    'keys.rsa_size': keys((list) => list.push(makeTestKey('short', 'RS256', 1024).jwk)),
    'keys.private': keys(([key]) => Object.assign(key ?? {}, { d: 'private' })),
    'keys.symmetric': keys((list) => list.push({ kty: 'oct', k: 'c2VjcmV0', kid: 's', use: 'sig', alg: 'HS256' })),
    'keys.none': metadata((members) => {
      members.dpop_signing_alg_values_supported = ['ES256', 'none'];
    }),
    'keys.id_token_none': metadata((members) => {
      members.id_token_signing_alg_values_supported = ['RS256', 'ES256', 'none'];
    }),
    'keys.steady': {
      spoil: (issuer) => {
        let reads = 0;
        issuer.answers['GET /jwks'] = () => {
          reads += 1;
          return json(200, { keys: reads % 2 === 0 ? issuer.keys : [...issuer.keys, testKeys.three.jwk] });
        };
      },
    },
    'keys.published_first': {
      args: ['--watch', '4s'],
      spoil: (issuer) => {
        let tokens = 0;
        issuer.token = () => {
          tokens += 1;
          if (tokens === 2) issuer.signer = testKeys.three;
          if (tokens === 3) issuer.keys.push(testKeys.three.jwk);
        };
      },
    },
    'keys.stays': {
      args: ['--watch', '6s'],
      spoil: (issuer) => {
        let tokens = 0;
        issuer.token = () => {
          tokens += 1;
          if (tokens !== 3) return;
          issuer.signer = testKeys.one;
          issuer.keys = issuer.keys.filter(({ kid }) => kid !== 'two');
        };
      },
    },

    'clock.date': replies(/^GET \/$/, (reply) => ({
      ...reply,
      headers: { ...reply.headers, date: new Date(Date.now() - 60_000).toUTCString() },
    })),
    'clock.iat': token((_header, claims) => {
      claims.iat = Number(claims.iat) - 60;
    }),

    'pages.unknown_client': authorization((query, reply) =>
      query.get('client_id') === rightClient.id ? reply : led(query, 'unauthorized_client', ''),
    ),
    'pages.redirect_uri': authorization((query, reply) =>
      query.get('client_id') === rightClient.id && query.get('redirect_uri')?.startsWith(strange)
        ? led(query, 'invalid_request', '')
        : reply,
    ),
    'pages.cors': headers(/^GET \/authorize$/, { 'access-control-allow-origin': '*' }),
    'pages.csp': signInPage({ 'content-security-policy': "script-src 'self' 'unsafe-inline'; frame-ancestors 'none'" }),
    'pages.frames': signInPage({ 'content-security-policy': "default-src 'self'" }),
    'frames of every site': {
      ...signInPage({ 'content-security-policy': "default-src 'self'; frame-ancestors *", 'x-frame-options': 'DENY' }),
      finds: ['pages.frames'],
    },
    'pages.no_store': signInPage({ 'cache-control': 'private' }),
    'pages.referrer': signInPage({ 'referrer-policy': 'unsafe-url' }),
    'pages.cookie_http_only': cookie('__Host-session=1; Path=/; Secure; SameSite=Lax'),
    'pages.cookie_secure': cookie('__Host-session=1; Path=/; HttpOnly; SameSite=Lax'),
    'pages.cookie_same_site': cookie('__Host-session=1; Path=/; Secure; HttpOnly'),
    'pages.cookie_prefix': cookie('session=1; Path=/; Secure; HttpOnly; SameSite=Lax'),

    'token.get': replies(/^GET \/token$/, () => json(200, {})),
    'token.json': replies(/^POST \/token$/, (reply) =>
      reply.status === 415 ? json(401, { error: 'invalid_client' }) : reply,
    ),
    'token.unknown_client': replies(/^POST \/token$/, (reply) =>
      reply.status === 401 ? json(400, { error: 'invalid_client' }) : reply,
    ),
    'token.challenge': replies(/^POST \/token$/, (reply) => ({
      ...reply,
      headers: { ...reply.headers, 'www-authenticate': undefined },
    })),
    'token.no_store': replies(/^POST \/token$/, (reply) =>
      reply.status === 401 ? { ...reply, headers: { ...reply.headers, 'cache-control': undefined } } : reply,
    ),
    'token.error_form': replies(/^POST \/token$/, (reply) =>
      reply.status === 401 ? { ...reply, headers: { ...reply.headers, ...html }, body: '<p>401</p>' } : reply,
    ),
    'token.cors': replies(/^OPTIONS \/token$/, (reply, request) => ({
      ...reply,
      headers: {
        'access-control-allow-origin': request.headers.origin,
        'access-control-allow-credentials': 'true',
        'strict-transport-security': 'max-age=1',
      },
    })),
    'token.introspection_open': replies(/^POST \/introspect$/, (reply, request) =>
      isOurs(request) ? reply : json(200, { active: false }),
    ),

    'client.authentication': replies(/^POST \/token$/, (reply, request) =>
      isOurs(request) ? json(401, { error: 'invalid_client' }) : reply,
    ),
    'client.token': replies(/^POST \/token$/, (reply) => {
      if (reply.status !== 200) return reply;
      const { token_type: _type, ...members } = JSON.parse(reply.body) as Members;
      return { ...reply, body: JSON.stringify(members) };
    }),
    'client.no_store': replies(/^POST \/token$/, (reply) =>
      reply.status === 200 ? { ...reply, headers: { ...reply.headers, 'cache-control': 'private' } } : reply,
    ),
    'client.signature': {
      spoil: (issuer) => {
        issuer.signer = testKeys.three;
      },
    },
    'a key of the same kid': {
      ...{ finds: ['client.signature'] },
      spoil: (issuer) => {
        issuer.signer = { ...testKeys.three, kid: 'two' };
      },
    },
    'client.claims': token((_header, claims) => {
      delete claims.jti;
    }),
    'a token of another issuer': {
      ...token((_header, claims) => {
        claims.iss = 'https://other.example.com';
      }),
      finds: ['client.claims'],
    },
    'client.typ': token((header) => {
      header.typ = 'JWT';
    }),
    'client.aud': {
      ...token((header, claims) => {
        delete header.typ;
        delete claims.aud;
      }),
      finds: ['client.typ', 'client.aud'],
    },
    'client.introspection': replies(/^POST \/introspect$/, (reply) => (reply.status === 200 ? json(200, {}) : reply)),
    'client.revocation': replies(/^POST \/revoke$/, (reply) =>
      reply.status === 200 ? json(400, { error: 'invalid_grant' }) : reply,
    ),
    'client.revoked': replies(/^POST \/introspect$/, (reply) =>
      reply.status === 200 ? json(200, { active: true }) : reply,
    ),
    'client.status_list': replies(/^GET \/statuses$/, (reply) => {
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
      const lst = deflateSync(Buffer.alloc(64)).toString('base64url');
      return { ...reply, body: `${encode({})}.${encode({ status_list: { bits: 1, lst } })}.` };
    }),
    'client.iss': answered({ iss: undefined }),
    'iss of another': { ...answered({ iss: 'https://other.example.com' }), finds: ['client.iss'] },
    'client.iss_missing': {
      spoil: (issuer) => {
        delete issuer.metadata.authorization_response_iss_parameter_supported;
        answered({ iss: undefined }).spoil?.(issuer);
      },
    },
    'client.pkce': answered({ error: 'invalid_request' }),
    'client.pkce_required': answered({ error: 'login_required' }, (query) => !query.has('code_challenge')),
    'client.pkce_plain': answered(
      { error: 'login_required' },
      (query) => query.get('code_challenge_method') === 'plain',
    ),
    'client.redirect_match': {
      spoil: (issuer) => {
        issuer.change = ({ path, query }, reply) =>
          path === '/authorize' &&
          query.get('redirect_uri')?.startsWith(rightClient.redirectUri) &&
          reply.status === 400
            ? led(query, 'login_required', issuer.issuer)
            : reply;
      },
    },
    'client.logout': metadata((members) => {
      delete members.end_session_endpoint;
    }),
    'client.logout_redirect': replies(/^GET \/logout$/, (reply, { query }) =>
      query.has('post_logout_redirect_uri') ? redirect(query.get('post_logout_redirect_uri') ?? '', {}) : reply,
    ),

    'deployment.ready': {
      ...deployment(() => undefined),
      ...replies(/^GET \/health\/ready$/, () =>
        json(503, { checks: { database: 'out of reach' } }, { 'retry-after': '0' }),
      ),
    },
    'deployment.schema': {
      ...deployment(() => undefined),
      ...replies(/^GET \/health\/ready$/, () =>
        json(
          503,
          { checks: { database: 'the schema is older than the code; run migrate.js' } },
          { 'retry-after': '0' },
        ),
      ),
    },
    'deployment.release': deployment(({ orgApi }) => {
      orgApi.version = '1.2.0';
    }),
    'deployment.base_url': deployment(({ orgApi }) => {
      orgApi.variables.BASE_URL = 'https://api.example.com';
    }),
    'deployment.forwarded_for': deployment((all) => {
      all.network = '192.0.2.77';
    }),
    'deployment.private_paths': {
      ...deployment(() => undefined),
      ...replies(/^GET \/metrics$/, () => ({
        status: 200,
        headers: { 'x-request-id': '1', 'strict-transport-security': 'max-age=1' },
        body: '',
      })),
    },
    'deployment.key_age': deployment(({ findings }) =>
      findings.push({ kind: 'key_old', weight: 'look', text: 'A key has signed for 90 days.' }),
    ),
    'deployment.rotation': deployment(({ findings }) =>
      findings.push({ kind: 'key_ending', weight: 'act', text: 'A key ends, and none follows.' }),
    ),
    'deployment.findings': deployment(({ findings }) =>
      findings.push(
        { kind: 'demo_data', weight: 'act', text: 'There are demo users.' },
        { kind: 'unverified_addresses', weight: 'know', text: 'Nobody mails them.' },
      ),
    ),
    'deployment.clocks': deployment(({ orgApi }) => {
      orgApi.time = () => Date.now() + 20_000;
    }),
    'deployment.org_api_certificate': deployment(({ authServer }) => {
      const { BASE_URL: url = '' } = authServer.variables;
      authServer.variables.ORG_API_URL = url.replace('localhost', '127.0.0.1');
    }),
  }),
);
