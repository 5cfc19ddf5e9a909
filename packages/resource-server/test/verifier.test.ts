import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { type CryptoKey, exportSPKI, importJWK, type JWTPayload, UnsecuredJWT } from 'jose';
import {
  type AccessToken,
  createDpopNonces,
  type RouteNeeds,
  TokenError,
  type Verifier,
  type VerifierOptions,
  verifier,
} from '../src/index.ts';
import { audience, createSigningKey, type Issuer, signJwt, startIssuer } from './support/issuer.ts';
import { createHolder, createRsaHolder } from './support/proofs.ts';

let issuer: Issuer;
let api: Verifier;
const made: Verifier[] = [];

const create = (options: Partial<VerifierOptions> = {}) => {
  const one = verifier({ issuer: issuer.url, audience, ...options });
  made.push(one);
  return one;
};

beforeEach(async () => {
  issuer = await startIssuer();
  api = create();
});
afterEach(async () => {
  for (const one of made.splice(0)) one.close();
  await issuer.close();
});

const request = (token: string, scheme = 'Bearer') => ({
  method: 'GET',
  url: '/api/orders?page=2',
  headers: { authorization: `${scheme} ${token}` },
});
const verify = (token: string, scope?: string[]): Promise<AccessToken> => api.verify(request(token), { scope });
const refusalOf = async (verified: Promise<unknown>): Promise<TokenError> => {
  const error = await verified.then(
    () => new Error('the token was taken'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof TokenError)) throw error;
  return error;
};
const summaryOf = async (verified: Promise<unknown>) => {
  const { status, code, refusal } = await refusalOf(verified);
  return [status, code, refusal];
};
const notValid = [401, 'invalid_token', 'not_valid'];
const unavailable = [503, 'temporarily_unavailable', 'unavailable'];

describe('an access token (RFC 9068)', () => {
  it('gives who it stands for, for which client, and with which scope', async () => {
    const exp = Math.floor(Date.now() / 1000) + 77;
    const token = await issuer.token({ sub: 'u', client_id: 'c', scope: 'a b', sub_type: 'user', extra: 1, exp });
    expect(await verify(token)).toMatchObject({
      expiresAt: exp * 1000,
      ...{ subject: 'u', subjectType: 'user', clientId: 'c', scope: ['a', 'b'], dpopJkt: undefined, status: undefined },
      claims: { extra: 1 },
    });
  });

  it.each<[string, JWTPayload]>([
    ['user', { sub_type: 'user', sub: 'c', client_id: 'c' }],
    ['client', { sub_type: 'client', username: 'robot' }],
    ['user', { username: 'somebody', sub: 'c', client_id: 'c' }],
    ['user', { sub: 'u', client_id: 'c' }],
    ['client', { sub: 'c', client_id: 'c' }],
  ])('stands for a %s by %j', async (type, claims) => {
    expect((await verify(await issuer.token(claims))).subjectType).toBe(type);
  });

  it.each<[string, JWTPayload, unknown]>([
    ['a client', { act: { sub: 'orders-api' } }, { sub: 'orders-api' }],
    ['a chain of them', { act: { sub: 'b', act: { sub: 'a' } } }, { sub: 'b', act: { sub: 'a' } }],
    ['nobody', {}, undefined],
    ['nobody who can be read', { act: 'orders-api' }, undefined],
    ['nobody whose chain can be read', { act: { sub: 'b', act: { sub: 1 } } }, undefined],
    ['nobody of too long a name', { act: { sub: 'x'.repeat(256) } }, undefined],
  ])('names as actor (RFC 8693 4.1) %s', async (_whom, claims, actor) => {
    expect((await verify(await issuer.token(claims))).actor).toEqual(actor);
  });

  it.each([{ typ: 'JWT' }, { typ: undefined }, { typ: 'id_token+jwt' }, { alg: 'none' }, { kid: 'another' }])(
    'is refused with %j in its header',
    async (header) => {
      const token = await issuer.token();
      const [, claims, signature] = token.split('.');
      const text = JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: issuer.key.kid, ...header });
      const forged = `${Buffer.from(text).toString('base64url')}.${claims}.${signature}`;
      expect(await summaryOf(verify(forged))).toEqual(notValid);
      if (header.alg === undefined) expect(await summaryOf(verify(await issuer.token({}, header)))).toEqual(notValid);
    },
  );

  it('may have the whole media type for a typ', async () => {
    expect((await verify(await issuer.token({}, { typ: 'application/at+jwt' }))).subject).toBe('user-1');
  });

  it.each<JWTPayload>([
    { iss: 'https://other.example' },
    { aud: 'https://other.example' },
    { aud: [] },
    { exp: 1 },
    { nbf: Math.floor(Date.now() / 1000) + 60 },
    { sub: undefined },
    { jti: undefined },
    { client_id: undefined },
    { cnf: { 'x5t#S256': 'a-certificate' } },
    { cnf: { jkt: 'x'.repeat(256) } },
    { cnf: null as never },
    { cnf: 'a thumbprint' as never },
    { status: { status_list: { idx: -1, uri: 'https://x.example' } } },
    { status: 'revoked' },
  ])('is refused with %j', async (claims) => {
    expect(await summaryOf(verify(await issuer.token(claims)))).toEqual(notValid);
  });

  it('is taken with several audiences, and with an nbf that is a few seconds ahead', async () => {
    const nbf = Math.floor(Date.now() / 1000) + 8;
    expect((await verify(await issuer.token({ aud: ['https://other.example', audience], nbf }))).subject).toBe(
      'user-1',
    );
  });

  it('is never taken unsigned, nor by a symmetric signature made of the public key (RFC 8725 2.1)', async () => {
    const claims = JSON.parse(Buffer.from((await issuer.token()).split('.')[1] ?? '', 'base64url').toString());
    const pem = await exportSPKI((await importJWK(issuer.key.jwk, 'ES256', { extractable: true })) as CryptoKey);
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid: issuer.key.kid })).toString(
      'base64url',
    );
    const input = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const forged = `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
    for (const token of [forged, new UnsecuredJWT(claims).encode()]) {
      expect(await summaryOf(verify(token))).toEqual(notValid);
    }
  });

  it.each([
    ['sub', 2_048],
    ['jti', 512],
    ['nonce', 512],
    ['sid', 255],
    ['htm', 32],
    ['htu', 4_096],
    ['ath', 128],
  ])('is taken with a %s of %i characters, and refused with one of more', async (claim, longest) => {
    const tokenWith = (length: number) => issuer.token({ [claim]: 'x'.repeat(length) });
    expect((await verify(await tokenWith(longest))).clientId).toBe('client-1');
    expect(await summaryOf(verify(await tokenWith(longest + 1)))).toEqual(notValid);
  });

  it('is taken for 16 audiences, and refused for more, or for a longer one', async () => {
    const others = (count: number, length = 10) =>
      Array.from({ length: count }, (_, index) => `${index}`.repeat(length));
    const tokenFor = (...rest: string[]) => issuer.token({ aud: [audience, ...rest] });
    expect((await verify(await tokenFor(...others(15)))).subject).toBe('user-1');
    expect((await verify(await tokenFor(...others(1, 2_048)))).subject).toBe('user-1');
    expect(await summaryOf(verify(await tokenFor(...others(16))))).toEqual(notValid);
    expect(await summaryOf(verify(await tokenFor(...others(1, 2_049))))).toEqual(notValid);
  });

  it('is refused where it has more than 16,384 characters', async () => {
    const tokenOf = async (padding: number, least: number, most: number) => {
      const token = await issuer.token({ padding: 'x'.repeat(padding) });
      expect(token.length).toBeGreaterThan(least);
      expect(token.length).toBeLessThanOrEqual(most);
      return token;
    };
    expect((await verify(await tokenOf(11_800, 16_000, 16_384))).subject).toBe('user-1');
    expect(await summaryOf(verify(await tokenOf(11_960, 16_384, 16_600)))).toEqual(notValid);
  });

  it('of typ JWT is taken only where that is asked for', async () => {
    const token = await issuer.token({ client_id: undefined, jti: undefined, azp: 'app' }, { typ: 'JWT' });
    expect(await summaryOf(verify(token))).toEqual(notValid);
    const lenient = create({ type: 'jwt' });
    expect((await lenient.verify(request(token))).clientId).toBe('app');
  });

  it.each(['sub', 'aud'])('of typ JWT is refused without %s', async (claim) => {
    const token = await issuer.token({ azp: 'app', [claim]: undefined }, { typ: 'JWT' });
    expect(await summaryOf(create({ type: 'jwt' }).verify(request(token)))).toEqual(notValid);
  });
});

describe('keys', () => {
  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'])(
    'of %s verify tokens, with an alg in the key set and without',
    async (alg) => {
      const other = await startIssuer({ alg });
      const { verify: check } = create({ issuer: other.url });
      expect((await check(request(await other.token()))).subject).toBe('user-1');
      const { alg: _alg, ...jwk } = other.key.jwk;
      other.keys = [jwk];
      expect((await create({ issuer: other.url }).verify(request(await other.token()))).subject).toBe('user-1');
      await other.close();
    },
  );

  it('that the key set has for one algorithm verify no other (RFC 8725 3.1)', async () => {
    const key = await createSigningKey('RS256');
    issuer.keys = [{ ...key.jwk, alg: 'PS256' }];
    const claims = JSON.parse(Buffer.from((await issuer.token()).split('.')[1] ?? '', 'base64url').toString());
    expect(await summaryOf(verify(await signJwt(key, claims, { typ: 'at+jwt' })))).toEqual(notValid);
  });

  it('of an algorithm that the API does not accept verify nothing', async () => {
    const strict = create({ algorithms: ['PS256'] });
    expect(await summaryOf(strict.verify(request(await issuer.token())))).toEqual(notValid);
  });

  it('that are new are found at their first token, one request for all, and at most one a second', async () => {
    expect((await verify(await issuer.token())).subject).toBe('user-1');
    const forged = await Promise.all(
      [1, 2, 3].map(async () => signJwt(await createSigningKey(), {}, { typ: 'at+jwt' })),
    );
    for (const token of forged) expect(await summaryOf(verify(token))).toEqual(notValid);
    expect(issuer.asked.filter((path) => path === '/jwks')).toHaveLength(1);
  });

  it('are asked for once by all who need them', async () => {
    const tokens = await Promise.all([1, 2, 3, 4].map(() => issuer.token()));
    await Promise.all(tokens.map((token) => verify(token)));
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  it('that cannot be had make a 503 with Retry-After, never a 401', async () => {
    issuer.routes.delete('/jwks');
    const error = await refusalOf(verify(await issuer.token()));
    expect([error.status, error.code, error.headers]).toEqual([503, 'temporarily_unavailable', { 'retry-after': '5' }]);
  });

  it('may be named by the API itself', async () => {
    const direct = create({ jwksUri: `${issuer.url}/jwks` });
    await direct.verify(request(await issuer.token()));
    expect(issuer.asked).toEqual(['/jwks']);
  });
});

describe('the metadata of the issuer', () => {
  it.each([
    ['/tenant/.well-known/openid-configuration', 'OpenID Connect Discovery 4'],
    ['/.well-known/oauth-authorization-server/tenant', 'RFC 8414 3.1'],
    ['/.well-known/openid-configuration/tenant', 'RFC 8414 5'],
  ])('may stand at %s (%s)', async (path) => {
    const other = await startIssuer({ path: '/tenant' });
    other.routes.delete('/tenant/.well-known/openid-configuration');
    other.json(path, { issuer: other.url, jwks_uri: `${other.url}/jwks` });
    expect((await create({ issuer: other.url }).verify(request(await other.token()))).subject).toBe('user-1');
    await other.close();
  });

  it.each<[string, (url: string) => object]>([
    ['of another issuer (RFC 8414 3.3)', (url) => ({ issuer: `${url}/`, jwks_uri: `${url}/jwks` })],
    ['without keys', (url) => ({ issuer: url })],
    ['with keys at an address that is none', (url) => ({ issuer: url, jwks_uri: 'file:///etc/passwd' })],
  ])('%s is not believed: 503', async (_title, build) => {
    issuer.json('/.well-known/openid-configuration', build(issuer.url));
    expect(await summaryOf(verify(await issuer.token()))).toEqual(unavailable);
  });

  it('leads to a key set of 256 keys at most', async () => {
    const others = (count: number) => Array.from({ length: count }, () => ({ kty: 'new' }));
    issuer.keys = [...others(256), issuer.key.jwk];
    expect(await summaryOf(verify(await issuer.token()))).toEqual(unavailable);
    issuer.keys = [...others(255), issuer.key.jwk];
    expect((await create().verify(request(await issuer.token()))).subject).toBe('user-1');
  });

  it('is waited for for three seconds, and so is the key set', async () => {
    const paths = ['/.well-known/openid-configuration', '/jwks'];
    const token = await issuer.token();
    const milliseconds = await Promise.all(
      paths.map(async (path) => {
        const other = await startIssuer();
        other.routes.set(path, () => {});
        const startedAt = performance.now();
        expect(await summaryOf(create({ issuer: other.url }).verify(request(token)))).toEqual(unavailable);
        const took = performance.now() - startedAt;
        await other.close();
        return took;
      }),
    );
    expect(Math.min(...milliseconds)).toBeGreaterThan(2_900);
    expect(Math.max(...milliseconds)).toBeLessThan(5_500);
  });

  it('leads nowhere by a redirect', async () => {
    issuer.json('/elsewhere', { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
    issuer.routes.set('/.well-known/openid-configuration', (_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await summaryOf(verify(await issuer.token()))).toEqual(unavailable);
    expect(issuer.asked).not.toContain('/elsewhere');
  });

  it('is read up to a size of 1 MiB', async () => {
    const publish = (size: number) => {
      const named = { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` };
      const filler = 'x'.repeat(size - JSON.stringify({ ...named, filler: '' }).length);
      issuer.json('/.well-known/openid-configuration', { ...named, filler });
    };
    publish(1024 * 1024 + 1);
    expect(await summaryOf(verify(await issuer.token()))).toEqual(unavailable);
    publish(1024 * 1024);
    expect((await create().verify(request(await issuer.token()))).subject).toBe('user-1');
  });

  it('is told to the log where it cannot be had', async () => {
    const told: string[] = [];
    issuer.json('/.well-known/openid-configuration', {});
    const loud = create({
      log: { warn: (details, message) => void told.push(`${message}: ${String(Object.values(details)[0])}`) },
    });
    await summaryOf(loud.verify(request(await issuer.token())));
    expect(told).toEqual([expect.stringMatching(/keys of the issuer could not be read.*another issuer/)]);
  });
});

const metadataUrl = 'https://orders.example.com/.well-known/oauth-protected-resource/api';

describe('challenges (RFC 6750 3, RFC 9449 7.1, RFC 9728 5.1)', () => {
  test('a request without a token is told how to send one, and no error', async () => {
    for (const headers of [{}, { authorization: 'Basic x' }]) {
      const { status, code, headers: answered } = await refusalOf(api.verify({ method: 'GET', url: '/', headers }));
      expect([status, code, answered['www-authenticate']]).toEqual([
        401,
        undefined,
        expect.stringMatching(`^Bearer resource_metadata="${metadataUrl}", DPoP algs="ES256[^"]*", resource_metadata=`),
      ]);
    }
  });

  test('a challenge of an API without a realm and without metadata is the name of its scheme', async () => {
    const refused = create({ audience: 'orders' }).verify({ method: 'GET', url: '/', headers: {} });
    expect((await refusalOf(refused)).headers['www-authenticate']).toMatch(/^Bearer, DPoP algs="ES256[^"]*"$/);
  });

  test('a malformed header is invalid_request: 400', async () => {
    const error = await refusalOf(api.verify({ method: 'GET', url: '/', headers: { authorization: 'Bearer a b' } }));
    expect([error.status, error.headers['www-authenticate']]).toEqual([
      400,
      expect.stringMatching(/^Bearer error="invalid_request", error_description="[^"]+", resource_metadata="[^"]+"$/),
    ]);
  });

  test('a bad token is invalid_token: 401, with the realm, and its fault is for the log alone', async () => {
    const named = create({ realm: 'the "orders"' });
    const error = await refusalOf(named.verify(request('nonsense')));
    expect([error.status, error.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/^Bearer realm="the 'orders'", error="invalid_token", error_description="[^"]+"/),
    ]);
    expect(JSON.parse(JSON.stringify(error))).toEqual({ error: 'invalid_token', error_description: error.message });
    expect(error.reason).toBe('not a JWT');
  });

  test('a token without the scope is insufficient_scope: 403, and the challenge names the scope', async () => {
    const token = await issuer.token({ scope: 'orders:read' });
    expect((await verify(token, ['orders:read'])).scope).toEqual(['orders:read']);
    const error = await refusalOf(verify(token, ['orders:read', 'orders:write']));
    expect([error.status, error.code, error.headers['www-authenticate']]).toEqual([
      403,
      'insufficient_scope',
      expect.stringContaining('scope="orders:read orders:write"'),
    ]);
    expect(await summaryOf(verify(await issuer.token({ scope: undefined }), ['orders:read']))).toEqual([
      403,
      'insufficient_scope',
      'scope',
    ]);
  });
});

describe('the sign-in behind a token (RFC 9470)', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const verifyWith = async (claims: JWTPayload, needs: RouteNeeds) =>
    api.verify(request(await issuer.token(claims)), needs);
  const insufficient = [401, 'insufficient_user_authentication', 'authentication'];

  it('is told by acr, amr and auth_time; a claim of another type counts as missing', async () => {
    const told = { acr: 'phr', amr: ['pop', 'user', 'mfa'], auth_time: seconds() };
    expect(await verifyWith(told, {})).toMatchObject({ acr: 'phr', amr: told.amr, authTime: told.auth_time });
    expect(await verifyWith({ acr: 1, amr: ['pwd', 1] }, {})).toMatchObject({
      ...{ acr: undefined, amr: undefined, authTime: undefined },
    });
  });

  it('does where its acr is one of the list, compared as text', async () => {
    for (const acr of ['gold', 'silver']) await verifyWith({ acr }, { acr: ['gold', 'silver'] });
    for (const acr of ['Gold', 'gold silver', 'bronze', undefined, 7]) {
      expect(await summaryOf(verifyWith({ acr }, { acr: ['gold', 'silver'] }))).toEqual(insufficient);
    }
  });

  it('does as long as it is not older than maxAge', async () => {
    await verifyWith({ auth_time: seconds() - 58 }, { maxAge: 60 });
    for (const authTime of [seconds() - 62, undefined]) {
      expect(await summaryOf(verifyWith({ auth_time: authTime }, { maxAge: 60 }))).toEqual(insufficient);
    }
  });

  it('is judged last: expiry and scope come first', async () => {
    const needs = { acr: ['gold'], scope: ['admin'] };
    expect(await summaryOf(verifyWith({ exp: seconds() - 60 }, needs))).toEqual(notValid);
    expect(await summaryOf(verifyWith({}, needs))).toEqual([403, 'insufficient_scope', 'scope']);
  });

  it('is asked for by a challenge that names what was demanded, and only that', async () => {
    const challengeOf = async (needs: RouteNeeds) =>
      (await refusalOf(verifyWith({}, needs))).headers['www-authenticate'];
    expect(await challengeOf({ acr: ['gold', 'silver'] })).toMatch(/, acr_values="gold silver", resource_metadata=/);
    expect(await challengeOf({ maxAge: 60 })).toMatch(/error_description="[^"]+", max_age="60", resource_metadata=/);
  });
});

describe('groups that a route demands', () => {
  const verifyWith = async (claims: object, groups: string[]) =>
    api.verify(request(await issuer.token(claims as JWTPayload)), { groups });

  it('are all of the token, without regard to case', async () => {
    await verifyWith({ groups: ['Staff/it', 'Stra\u00dfe', 'other'] }, ['staff/IT', 'STRA\u00dfE']);
    await verifyWith({}, []);
  });

  it.each([
    [{}],
    [{ groups: ['staff'] }],
    [{ groups: 'staff law' }],
    [{ groups: [['staff'], 'law'] }],
    [{ groups: ['staff', 'law'], groups_omitted: true }],
    [{ groups_omitted: true }],
    [{ roles: ['staff', 'law'] }],
  ])('are refused by 403 insufficient_scope of a token with %j', async (claims) => {
    expect(await summaryOf(verifyWith(claims, ['staff', 'law']))).toEqual([403, 'insufficient_scope', 'scope']);
  });
});

describe('a token that is bound to a key (RFC 9449)', () => {
  const url = 'https://orders.example.com/api/orders';
  const present = async (
    { proof, token, scheme = 'DPoP' }: { proof?: string | undefined; token: string; scheme?: string },
    options: Partial<VerifierOptions> = {},
  ) => {
    const checked = Object.keys(options).length === 0 ? api : create(options);
    const { headers, ...rest } = request(token, scheme);
    return checked.verify({ ...rest, headers: { ...headers, dpop: proof } });
  };
  const bind = async () => {
    const holder = await createHolder();
    return { ...holder, token: await issuer.token({ cnf: { jkt: holder.jkt } }) };
  };

  it('is taken with a proof of that key, and the proof works once', async () => {
    const { prove, token, jkt } = await bind();
    const proof = await prove('GET', url, token);
    expect((await present({ proof, token })).dpopJkt).toBe(jkt);
    expect(await summaryOf(present({ proof, token }))).toEqual([401, 'invalid_dpop_proof', 'proof']);
  });

  it('is refused as a bearer token, and a token that is not bound is refused as a bound one', async () => {
    const { prove, token } = await bind();
    expect(await summaryOf(verify(token))).toEqual([401, 'invalid_token', 'wrong_scheme']);
    const unbound = await issuer.token();
    const error = await refusalOf(present({ token: unbound, proof: await prove('GET', url, unbound) }));
    expect([error.refusal, error.headers['www-authenticate']]).toEqual([
      'wrong_scheme',
      expect.stringMatching(/^DPoP algs="[^"]+", error="invalid_token"/),
    ]);
  });

  it.each<[string, (holder: Awaited<ReturnType<typeof bind>>) => Promise<string | undefined>]>([
    ['no proof', async () => undefined],
    ['a proof for another method', ({ prove, token }) => prove('POST', url, token)],
    ['a proof for another URL', ({ prove, token }) => prove('GET', `${url}/1`, token)],
    ['a proof for the URL in another case', ({ prove, token }) => prove('GET', url.replace('/api/', '/API/'), token)],
    ['a proof for another token', ({ prove }) => prove('GET', url, 'other')],
    ['an old proof', ({ prove, token }) => prove('GET', url, token, { iat: Math.floor(Date.now() / 1000) - 120 })],
    [
      'a proof from the future',
      ({ prove, token }) => prove('GET', url, token, { iat: Math.floor(Date.now() / 1000) + 30 }),
    ],
    ['a proof without jti', ({ prove, token }) => prove('GET', url, token, { jti: undefined })],
    ['a proof of another key', async ({ token }) => (await createHolder()).prove('GET', url, token)],
    ['nonsense', async () => 'nonsense'],
  ])('is refused with %s', async (_title, prepare) => {
    const holder = await bind();
    const error = await refusalOf(present({ token: holder.token, proof: await prepare(holder) }));
    expect([error.status, error.code, error.headers['www-authenticate']]).toEqual([
      401,
      'invalid_dpop_proof',
      expect.stringMatching(/^DPoP algs="[^"]+", error="invalid_dpop_proof", error_description="[^"\\]+"/),
    ]);
  });

  describe('by an RSA key, which signs by PS256 and by RS256', () => {
    let holder: Awaited<ReturnType<typeof createRsaHolder>>;
    beforeAll(async () => {
      holder = await createRsaHolder();
    });
    const bindRsa = async (claims: JWTPayload) => {
      const { jkt, prove } = holder;
      const token = await issuer.token({ cnf: { jkt }, ...claims });
      return async (alg: 'PS256' | 'RS256') => present({ token, proof: await prove(alg, 'GET', url, token) });
    };

    it('takes both where the token limits neither', async () => {
      const presentBy = await bindRsa({});
      for (const alg of ['PS256', 'RS256'] as const) expect((await presentBy(alg)).proofAlgorithms).toBeUndefined();
    });

    it('takes only what the token limits proofs to, and says so (FAPI 2.0 5.4.1)', async () => {
      const presentBy = await bindRsa({ dpop_signing_alg_values: ['ES256', 'PS256', 'EdDSA', 'of tomorrow'] });
      expect((await presentBy('PS256')).proofAlgorithms).toEqual(['ES256', 'EdDSA', 'PS256']);
      const error = await refusalOf(presentBy('RS256'));
      expect([error.status, error.code, error.headers['www-authenticate']]).toEqual([
        401,
        'invalid_dpop_proof',
        expect.stringMatching(/^DPoP algs="ES256 EdDSA PS256", error="invalid_dpop_proof", error_description="[^"]+"/),
      ]);
    });

    it.each([[[]], [['HS256', 'none']]])('takes no proof where the token limits them to %j', async (names) => {
      const presentBy = await bindRsa({ dpop_signing_alg_values: names });
      for (const alg of ['PS256', 'RS256'] as const) {
        expect(await summaryOf(presentBy(alg))).toEqual([401, 'invalid_dpop_proof', 'proof']);
      }
    });

    it('takes a limit of 16 names', async () => {
      const presentBy = await bindRsa({ dpop_signing_alg_values: Array.from({ length: 16 }, () => 'PS256') });
      expect((await presentBy('PS256')).proofAlgorithms).toEqual(['PS256']);
    });

    it.each([['RS256'], [null], [{}], [[7]], [['a'.repeat(33)]], [Array.from({ length: 17 }, () => 'PS256')]])(
      'refuses a token whose limit cannot be read: %j',
      async (names) => {
        const presentBy = await bindRsa({ dpop_signing_alg_values: names });
        expect(await summaryOf(presentBy('PS256'))).toEqual(notValid);
      },
    );
  });

  it('is asked for a nonce where the API demands one, on good answers too (RFC 9449 9)', async () => {
    const nonces = createDpopNonces({ getKey: () => Buffer.alloc(32, 1), clock: () => 0 });
    const { prove, token } = await bind();
    const demanding = create({ dpop: { nonces } });
    const told: string[] = [];
    const ask = (proof: string) => {
      const { headers, ...rest } = request(token, 'DPoP');
      const setHeader = (name: string, value: string) => void told.push(name, value);
      return demanding.verify({ ...rest, headers: { ...headers, dpop: proof } }, { setHeader });
    };
    const error = await refusalOf(ask(await prove('GET', url, token)));
    expect([error.status, error.code, error.headers['dpop-nonce']]).toEqual([401, 'use_dpop_nonce', nonces.current()]);
    await ask(await prove('GET', url, token, { nonce: nonces.current() }));
    expect(told).toEqual(['dpop-nonce', nonces.current(), 'dpop-nonce', nonces.current()]);
    // An API that sets no header gets the token all the same.
    const { headers, ...rest } = request(token, 'DPoP');
    const proof = await prove('GET', url, token, { nonce: nonces.current() });
    expect((await demanding.verify({ ...rest, headers: { ...headers, dpop: proof } })).subject).toBe('user-1');
  });

  it('is refused by another scheme, with the reason for the log', async () => {
    const { token } = await bind();
    const error = await refusalOf(present({ token, scheme: 'Bearer' }));
    expect([error.status, error.refusal, error.reason]).toEqual([
      ...[401, 'wrong_scheme', 'presented by another scheme than its own'],
    ]);
  });

  it('says that a proof is missing, and leaves the faults of a store of proofs to the API', async () => {
    const { prove, token } = await bind();
    const error = await refusalOf(present({ token }));
    expect([error.status, error.code]).toEqual([401, 'invalid_dpop_proof']);
    expect(error.message).toBe('the access token is bound to a key; send a DPoP proof of that key');
    const fault = new Error('the store is away');
    const usedIdentifiers = { use: () => Promise.reject(fault) };
    const refused = present({ token, proof: await prove('GET', url, token) }, { dpop: { usedIdentifiers } });
    await expect(refused).rejects.toBe(fault);
  });

  it('is never taken where the public URL of the API is not known', async () => {
    const { prove, jkt } = await createHolder();
    const token = await issuer.token({ cnf: { jkt }, aud: 'orders' });
    for (const htu of ['/api/orders', 'nonsense']) {
      const refused = present({ token, proof: await prove('GET', htu, token) }, { audience: 'orders' });
      expect(await summaryOf(refused)).toEqual([401, 'invalid_dpop_proof', 'proof']);
    }
  });

  it('is for the public URL, which a proxy may have changed', async () => {
    const { prove, token } = await bind();
    const proof = await prove('GET', 'https://gate.example/v2/api/orders', token);
    expect((await present({ proof, token }, { baseUrl: 'https://gate.example/v2/' })).subject).toBe('user-1');
  });
});
