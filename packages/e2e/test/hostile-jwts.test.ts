import { createHash, type KeyObject, randomUUID } from 'node:crypto';
import { buildJsonObject, hostileJson, toJsonTexts } from '@gatehouse/fuzz';
import {
  type Answer,
  assertionType,
  type CallOptions,
  call,
  createClientKey,
  type Gatehouse,
  quickestDialect,
  signTexts,
} from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildAuthorizeUrl, getLocation } from './support/authorization.ts';
import { type Credentials, passwordKind, postClient, redirectUri, registerClient } from './support/clients.ts';
import { expectDocumented } from './support/documented.ts';
import { administrator, plainUser } from './support/people.ts';
import { describeGatehouse, elsewhere } from './support/suite.ts';
import { getUserTokens } from './support/tokens.ts';
import { uniqueAddress, uniqueName } from './support/unique.ts';
import { userDetailsUrl } from './support/users.ts';

const kinds = Object.entries(hostileJson);
/** Asks with every kind of JSON at the same moment; gives what `read` says of each answer, by kind. */
async function askWithEach<Said>(ask: (text: string) => Promise<Answer>, read: (answer: Answer) => Said) {
  const said = kinds.map(async ([what, text]): Promise<[string, Said]> => {
    const answer = await ask(text);
    expectDocumented(answer);
    return [what, read(answer)];
  });
  return Object.fromEntries(await Promise.all(said));
}
const statusOf = ({ status }: Answer) => status;
const forEachKind = <Value>(value: Value, others: Record<string, Value> = {}) =>
  Object.fromEntries(kinds.map(([what]) => [what, others[what] ?? value]));
/** Text that is odd, and text for all that. */
const oddTexts = ['a text with a NUL', 'half a character'];
const deepList = 'a list nested 5,000 deep';
const deepObject = 'an object nested 1,600 deep';

describeGatehouse(
  'JWTs and JSON of any content',
  (getGatehouse, dialect) => {
    const describeOnce = dialect === quickestDialect ? describe : elsewhere;
    let gatehouse: Gatehouse;
    /** Clients with a key of their own. */
    let clients: { id: string; key: KeyObject }[];
    let web: Credentials;
    /** Of the administrator: a token costs no slow hash, of which only so many are made at the same moment. */
    let bearer: string;

    const registerWithKey = async () => {
      const { privateKey, jwk: publicJwk } = createClientKey();
      const id = uniqueName('keyed');
      const fields = {
        client_id: id,
        scope: ['profile'],
        authorized_grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [publicJwk] },
      };
      const { status, text } = await postClient(gatehouse, fields);
      if (status !== 200) throw new Error(text);
      return { id, key: privateKey };
    };
    beforeAll(async () => {
      gatehouse = getGatehouse();
      clients = [];
      for (let index = 0; index < 8; index += 1) clients.push(await registerWithKey());
      const grants = ['password', 'authorization_code', 'client_credentials'];
      web = await registerClient(gatehouse, passwordKind({ authorized_grant_types: grants }));
      bearer = (await getUserTokens(gatehouse, web, administrator)).access_token;
    });

    const post = async (path: string, options: CallOptions): Promise<Answer> => {
      const headers = { 'x-forwarded-for': uniqueAddress(), ...options.headers };
      return call(`${gatehouse.authUrl}${path}`, { ...options, headers });
    };
    const inSeconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;
    const assert = ({ id, key }: { id: string; key: KeyObject }, hostile: Record<string, string> = {}) => {
      const claims = { iss: id, sub: id, aud: gatehouse.authUrl, exp: inSeconds(60), jti: randomUUID() };
      return signTexts('{"alg":"ES256"}', buildJsonObject({ ...toJsonTexts(claims), ...hostile }), key);
    };
    const authenticate = (assertion: string) =>
      post('/oauth/token', {
        form: {
          grant_type: 'client_credentials',
          client_assertion_type: assertionType,
          client_assertion: assertion,
        },
      });
    const first = () => clients[0] as (typeof clients)[number];
    const readError = (answer: Answer) => {
      expectDocumented(answer);
      return [answer.status, answer.json().error];
    };

    describe('a client assertion', () => {
      test.each(['sub', 'iss', 'aud', 'exp', 'jti'])('whose %s is none is refused', async (name) => {
        const refused = await askWithEach((text) => authenticate(assert(first(), { [name]: text })), readError);
        const expected = forEachKind<unknown[]>([401, 'invalid_client']);
        // A jti is any text.
        for (const what of oddTexts) if (name === 'jti') expected[what] = [200, undefined];
        expect(refused).toEqual(expected);
      });

      test('may have any claim of its own that is not nested deep', async () => {
        const answers = await askWithEach((text) => authenticate(assert(first(), { custom: text })), statusOf);
        expect(answers).toEqual(forEachKind(200, { [deepList]: 401, [deepObject]: 401 }));
      });

      test.each(['alg', 'kid', 'crit', 'jwk', 'typ'])(
        'is answered below 500 whatever its header has as %s',
        async (name) => {
          const { id, key } = first();
          const claims = () => ({ iss: id, sub: id, aud: gatehouse.authUrl, exp: inSeconds(60), jti: randomUUID() });
          const sign = (header: string) => signTexts(header, JSON.stringify(claims()), key);
          const ask = (text: string) => authenticate(sign(buildJsonObject({ alg: '"ES256"', [name]: text })));
          const { [deepList]: answer } = await askWithEach(ask, statusOf);
          expect(answer).toBe(401);
        },
      );

      test('of more than 16 KiB is refused', async () => {
        const answer = await authenticate(assert(first(), { custom: `"${'x'.repeat(17_000)}"` }));
        expect(readError(answer)).toEqual([401, 'invalid_client']);
      });

      test.each(kinds)('whose sub is %s fails none of 144 good requests of the same moment', async (_what, text) => {
        const ask = async (bad: boolean, index: number) => {
          const client = clients[index % clients.length] ?? first();
          return (await authenticate(assert(client, bad ? { sub: text } : {}))).status;
        };
        const all = await Promise.all(Array.from({ length: 192 }, (_, index) => ask(index % 4 === 0, index)));
        expect(all.filter((status) => status === 200)).toHaveLength(144);
        expect(all.filter((status) => status === 401)).toHaveLength(48);
      });
    });

    describeOnce('a DPoP proof', () => {
      const { privateKey, jwk: publicJwk } = createClientKey();
      let nonce: string;
      const prove = (hostile: Record<string, string> = {}, hostileJwk: Record<string, string> = {}, more = {}) => {
        const htu = `${gatehouse.authUrl}/oauth/token`;
        const claims = { jti: randomUUID(), htm: 'POST', htu, iat: inSeconds(0), nonce, ...more };
        const jwk = buildJsonObject({ ...toJsonTexts(publicJwk), ...hostileJwk });
        const header = buildJsonObject({ alg: '"ES256"', typ: '"dpop+jwt"', jwk });
        return signTexts(header, buildJsonObject({ ...toJsonTexts(claims), ...hostile }), privateKey);
      };
      const [username, password] = plainUser;
      const present = (dpop: string, form: Record<string, string> = { grant_type: 'client_credentials' }) =>
        post('/oauth/token', { basic: web, form, headers: { dpop } });
      beforeAll(async () => {
        nonce = String((await present(prove())).headers['dpop-nonce']);
        expect((await present(prove())).status).toBe(200);
      });

      test.each(['jti', 'htm', 'htu', 'iat', 'nonce'])('whose %s is none is refused', async (name) => {
        const refused = await askWithEach((text) => present(prove({ [name]: text })), statusOf);
        const expected = forEachKind(400);
        for (const what of oddTexts) if (name === 'jti') expected[what] = 200;
        expect(refused).toEqual(expected);
      });

      test.each(['kty', 'crv', 'x', 'y'])('whose key has a %s that is none is refused', async (name) => {
        const refused = await askWithEach((text) => present(prove({}, { [name]: text })), statusOf);
        expect(refused).toEqual(forEachKind(400));
      });

      test('whose key has its coordinate in a list is refused', async () => {
        const x = JSON.stringify([publicJwk.x]);
        expect((await present(prove({}, { x }))).status).toBe(400);
      });

      test.each(['kid', 'alg', 'use', 'key_ops', 'custom'])('whose key has a nested %s is refused', async (name) => {
        const answers = await askWithEach((text) => present(prove({}, { [name]: text })), statusOf);
        expect([answers[deepList], answers[deepObject], answers['a list in a list']]).toEqual([400, 400, 400]);
      });

      test.each(['jti', 'htu', 'ath', 'nonce'])('at org-api, whose %s is none, is refused', async (name) => {
        const asUser = { grant_type: 'password', username, password };
        const token = String((await present(prove(), asUser)).json().access_token);
        const url = userDetailsUrl(gatehouse, username);
        const ask = (dpop: string) => call(url, { headers: { authorization: `DPoP ${token}`, dpop } });
        const good = { htm: 'GET', htu: url, ath: createHash('sha256').update(token).digest('base64url') };
        const { 'dpop-nonce': orgNonce } = (await ask(prove({}, {}, good))).headers;
        const refused = await askWithEach(
          (text) => ask(prove({ [name]: text }, {}, { ...good, nonce: orgNonce })),
          statusOf,
        );
        const expected = forEachKind(401);
        for (const what of oddTexts) if (name === 'jti') expected[what] = 200;
        expect(refused).toEqual(expected);
      });
    });

    describeOnce('the parameter claims', () => {
      const push = (claims: string) => {
        const form = { response_type: 'code', client_id: web[0], redirect_uri: redirectUri, scope: 'openid', claims };
        return post('/oauth/par', { basic: web, form });
      };

      test.each<[string, (text: string) => string]>([
        ['itself', (text) => text],
        ['in its id_token', (text) => `{"id_token":${text}}`],
        ['in its userinfo', (text) => `{"userinfo":${text}}`],
        ['in a member of its own', (text) => `{"custom":${text}}`],
        ['in what it asks of sub', (text) => `{"id_token":{"sub":${text}}}`],
        ['as the value of sub', (text) => `{"id_token":{"sub":{"value":${text}}}}`],
        ['in what it asks of acr', (text) => `{"id_token":{"acr":${text}}}`],
      ])('is refused where something nested deep is %s, and answered below 500 for all else', async (_where, wrap) => {
        const answers = await askWithEach((text) => push(wrap(text)), statusOf);
        expect([answers[deepList], answers[deepObject]]).toEqual([400, 400]);
      });

      test.each([
        ['nested 20 deep', `{"id_token":${'['.repeat(20)}${']'.repeat(20)}}`],
        ['of 9,000 characters', JSON.stringify({ id_token: { acr: { value: 'x'.repeat(9_000) } } })],
        ['with 200 names', `{"userinfo":{${Array.from({ length: 200 }, (_, index) => `"c${index}":null`).join()}}}`],
      ])('is refused %s', async (_what, claims) => {
        expect(readError(await push(claims))).toEqual([400, 'invalid_request']);
      });

      test('is refused at the authorization endpoint where it is nested deep', async () => {
        const claims = `{"id_token":${'['.repeat(500)}${']'.repeat(500)}}`;
        const request = { response_type: 'code', client_id: web[0], redirect_uri: redirectUri, claims };
        const answer = await call(buildAuthorizeUrl(gatehouse, request));
        expect(getLocation(answer).searchParams.get('error')).toBe('invalid_request');
      });
    });

    describeOnce('a JSON body', () => {
      const asJson = { 'content-type': 'application/json' };
      const keyed = (members: Record<string, string>) => {
        const good = {
          client_id: uniqueName('nested'),
          scope: ['profile'],
          authorized_grant_types: ['client_credentials'],
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [createClientKey().jwk] },
        };
        const body = buildJsonObject({ ...toJsonTexts(good), ...members });
        return post('/clients', { bearer, body, headers: asJson });
      };

      test.each(['client_id', 'scope', 'authorized_grant_types', 'redirect_uris', 'client_name', 'jwks', 'custom'])(
        'of POST /clients whose %s is none is a 400',
        async (name) => {
          const refused = await askWithEach((text) => keyed({ [name]: text }), statusOf);
          const isList = name === 'redirect_uris';
          expect(refused).toEqual(forEachKind(400, isList ? { 'an empty list': 200 } : {}));
        },
      );

      test.each(['kty', 'crv', 'x', 'kid', 'use', 'key_ops'])(
        'of POST /clients with a key whose %s is nested is a 400',
        async (name) => {
          const jwk = (text: string) => buildJsonObject({ ...toJsonTexts(createClientKey().jwk), [name]: text });
          const answers = await askWithEach((text) => keyed({ jwks: `{"keys":[${jwk(text)}]}` }), statusOf);
          expect([answers[deepList], answers[deepObject], answers['a list in a list']]).toEqual([400, 400, 400]);
        },
      );

      test.each(['jwks', 'redirect_uris', 'client_name', 'scope', 'custom'])(
        'of PATCH /clients whose %s is nested is a 400',
        async (name) => {
          const path = `/clients/${first().id}`;
          const patch = (body: string) => post(path, { method: 'PATCH', bearer, body, headers: asJson });
          const answers = await askWithEach((text) => patch(`{"${name}":${text}}`), statusOf);
          expect([answers[deepList], answers[deepObject], answers['a list in a list']]).toEqual([400, 400, 400]);
        },
      );

      test.each(['username', 'userType', 'roles', 'email', 'firstName', 'custom'])(
        'of a new user whose %s is nested is a 400',
        async (name) => {
          const create = (text: string) => {
            const good = { username: `${uniqueName('nested')}@example.com`, userType: 'Robot' };
            const body = buildJsonObject({ ...toJsonTexts(good), [name]: text });
            const url = `${gatehouse.baseUrl}/organization/api/organization/user`;
            return call(url, { bearer, method: 'POST', body, headers: asJson });
          };
          const answers = await askWithEach(create, statusOf);
          expect([answers[deepList], answers[deepObject], answers['a list in a list']]).toEqual([400, 400, 400]);
        },
      );
    });
  },
  { 'auth-server': { TRUST_PROXY: '1' }, 'org-api': { TRUST_PROXY: '1' } },
);
