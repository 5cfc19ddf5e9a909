import {
  type Answer,
  assertionType,
  createClientKey,
  createTestBrowser,
  readHiddenFields,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { authorizePath, codeRequest, createPkce, readRedirect, signIn, userForm } from '../support/browser.ts';
import { administrator, callback, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

type Form = Record<string, string>;

describe.each(testDialects)('signed authorization requests (RFC 9101), on %s', (dialect) => {
  let realm: Realm;
  const [key, other] = [createClientKey(), createClientKey()];
  const jwks = { keys: [key.jwk] };
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register({ ...webClient, ...{ jwks } });
    const more = { redirect_uris: ['https://app.example.com/second'] };
    await realm.register({
      ...webClient,
      client_id: 'signing',
      ...{ jwks, require_signed_request_object: true, ...more },
    });
    await realm.register({
      ...webClient,
      client_id: 'pushing',
      ...{ jwks, require_pushed_authorization_requests: true },
    });
    await realm.register({ ...webClient, client_id: 'keyless' });
    await realm.register({
      ...{ client_id: 'page', client_secret: undefined, scope: ['openid'], jwks },
      ...{ authorized_grant_types: ['authorization_code'], redirect_uri: callback },
    });
    const { client_secret: _, ...keyed } = { ...webClient, authorized_grant_types: ['authorization_code'] };
    const profile = { profile: 'fapi2_message_signing', jwks };
    await realm.register({ ...keyed, client_id: 'bank', ...profile });
  });
  afterAll(() => realm.close());

  const sign = (claims: object, by = key, header: object = {}) =>
    new SignJWT({ ...codeRequest, ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(by.privateKey);
  const ask = async (outside: Form, claims: object = {}, by = key) =>
    realm.send(authorizePath({ ...outside, request: await sign(claims, by) }));
  const push = async (form: Form, clientId = 'web') =>
    realm.send('/oauth/par', { basic: [clientId, webClient.client_secret], form });
  const outcomeOf = ({ status, json }: Answer) => [status, json().error];
  const carriedBy = ({ text }: Answer) => Object.fromEntries(new URLSearchParams(readHiddenFields(text).request));

  describe('at the authorization endpoint', () => {
    it('count as what stands in the object, and the page carries that onward', async () => {
      const state = 'inside';
      const answer = await ask({ client_id: 'web', state: 'outside', scope: 'roles', nonce: 'n' }, { state });
      expect([answer.status, carriedBy(answer)]).toEqual([200, { ...codeRequest, state }]);
      expect(answer.text).not.toContain(await sign({ state }));
    });

    it('lead to a code by the sign-in', async () => {
      const request = await sign({ client_id: 'signing', state: 's', iss: 'signing', aud: realm.authUrl });
      const answer = await signIn(realm, { client_id: 'signing', request });
      const { target, parameters } = readRedirect(answer);
      expect([target, parameters.state]).toEqual([callback, 's']);
      const form = { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: callback };
      const tokens = await realm.tokens({ ...webClient, client_id: 'signing' }, form);
      expect(tokens.id_token).toBeDefined();
    });

    it('may come twice, and are demanded where the client says so', async () => {
      for (const _ of [1, 2]) {
        expect((await ask({ client_id: 'signing' }, { client_id: 'signing' })).status).toBe(200);
      }
      const { parameters } = readRedirect(await realm.send(authorizePath({ ...codeRequest, client_id: 'signing' })));
      expect(parameters).toMatchObject({
        error: 'invalid_request',
        error_description: 'this client must sign its authorization requests (RFC 9101)',
      });
    });

    it('are pushed where the client must push, signed or not', async () => {
      const { parameters } = readRedirect(await ask({ client_id: 'pushing' }, { client_id: 'pushing', state: 's' }));
      expect(parameters).toMatchObject({ error: 'invalid_request', state: 's' });
      expect(parameters.error_description).toContain('must push');
    });

    it('go back to the address in the object with an error, in the mode that stands there', async () => {
      const inside = { scope: 'nonsense', state: 's', response_mode: 'fragment' };
      const answer = await ask({ client_id: 'web', response_mode: 'query', state: 'outside' }, inside);
      const { target, inFragment, parameters } = readRedirect(answer);
      expect([target, inFragment]).toEqual([callback, true]);
      expect(parameters).toMatchObject({ error: 'invalid_scope', state: 's' });
    });

    it('have one response_type, whatever stands outside', async () => {
      expect((await ask({ client_id: 'web', response_type: 'code' })).status).toBe(200);
      const { parameters } = readRedirect(await ask({ client_id: 'web', response_type: 'token' }, { state: 's' }));
      expect(parameters).toMatchObject({ error: 'invalid_request', state: 's' });
    });

    it('go back to a registered address outside where the object is bad, without the state there', async () => {
      const outside = { ...codeRequest, state: 'outside', response_mode: 'fragment' };
      const answer = await ask(outside, { redirect_uri: 'https://attacker.example.com/' }, other);
      const { target, inFragment, parameters } = readRedirect(answer);
      expect([answer.status, target, inFragment]).toEqual([302, callback, false]);
      expect(parameters).toEqual({
        ...{ error: 'invalid_request_object', iss: realm.authUrl },
        error_description: 'the request object is not valid: signature verification failed',
      });
      const asked = { ...outside, response_type: 'id_token' };
      expect(readRedirect(await ask(asked, {}, other))).toMatchObject({ target: callback, inFragment: true });
    });

    it.each<[string, Form]>([
      ['no address', { client_id: 'web' }],
      ['an address of nobody', { client_id: 'web', redirect_uri: 'https://attacker.example.com/' }],
    ])('are answered by a page where the object is bad and %s stands outside', async (_what, outside) => {
      const answer = await ask(outside, {}, other);
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      expect(answer.text).toContain('the request object is not valid: signature verification failed');
    });

    it('are answered by a page where the address in a good object is not registered', async () => {
      const answer = await ask(codeRequest, { redirect_uri: 'https://attacker.example.com/' });
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      expect(answer.text).toContain('https://attacker.example.com/');
    });

    it('need a client_id outside that is the one inside', async () => {
      const request = await sign({});
      expect((await realm.send(authorizePath({ request }))).text).toContain('client_id is missing');
      const [none, another] = [{ client_id: undefined }, { client_id: 'signing' }];
      for (const inside of [none, another]) {
        const { parameters } = readRedirect(await ask(codeRequest, inside));
        expect(parameters.error).toBe('invalid_request_object');
      }
    });

    it('need keys', async () => {
      const { parameters } = readRedirect(
        await ask({ ...codeRequest, client_id: 'keyless' }, { client_id: 'keyless' }),
      );
      expect(parameters).toMatchObject({
        error: 'invalid_request_object',
        error_description: 'this client registered no keys',
      });
    });

    it('hold each parameter once', async () => {
      const url = `${authorizePath({ ...codeRequest, request: await sign({}) })}&request=x`;
      expect(readRedirect(await realm.send(url)).parameters.error).toBe('invalid_request');
    });

    it('do not stand for an assertion, nor an assertion for them', async () => {
      const { parameters } = readRedirect(await ask(codeRequest, { iss: 'web', sub: 'web', aud: realm.authUrl }));
      expect(parameters.error).toBe('invalid_request_object');
      const claims = { iss: 'bank', sub: 'bank', aud: realm.authUrl, exp: Math.floor(realm.clock() / 1000) + 60 };
      const prove = async (header: object) => {
        const client_assertion = await sign({ ...claims, jti: crypto.randomUUID() }, key, header);
        const form = { token: 'x', client_assertion, client_assertion_type: assertionType };
        return outcomeOf(await realm.send('/oauth/introspect', { form }));
      };
      expect(await prove({})).toEqual([200, undefined]);
      for (const typ of ['oauth-authz-req+jwt', 'application/OAuth-Authz-Req+JWT']) {
        expect(await prove({ typ })).toEqual([401, 'invalid_client']);
      }
    });

    it('may hold max_age, and go on in a session', async () => {
      const browser = createTestBrowser();
      const request = await sign({ max_age: 600 });
      expect((await signIn(realm, { client_id: 'web', request }, { browser })).status).toBe(303);
      const again = await browser.get(
        realm.url + authorizePath({ client_id: 'web', request: await sign({ max_age: 600 }) }),
      );
      expect(readRedirect(again).parameters.code).toBeDefined();
    });
  });

  describe('by POST to the authorization endpoint', () => {
    const post = async (form: Form) => realm.send('/oauth/authorize', { form });
    const long = { claims: { id_token: { name: { value: 'n'.repeat(6_500) } } } };

    it('go on by GET with the object, where a URL has room for it', async () => {
      const request = await sign({});
      const { location } = (await post({ client_id: 'web', request })).headers;
      expect(location).toBe(`authorize?${new URLSearchParams({ client_id: 'web', request })}`);
    });

    it('are kept like a pushed one where they are too long for a URL', async () => {
      const answer = await post({ client_id: 'web', request: await sign({ ...long, state: 's' }) });
      const { location = '' } = answer.headers as Record<string, string>;
      expect([answer.status, location]).toEqual([303, expect.stringContaining('request_uri=urn%3A')]);
      const page = await realm.send(`/oauth/${location}`);
      expect([page.status, carriedBy(page)]).toEqual([200, expect.objectContaining({ ...codeRequest, state: 's' })]);
      expect((await realm.send(`/oauth/${location}`)).status).toBe(200);
    });

    it('have room for an object of 16 KiB', async () => {
      const request = await sign({
        ...{ claims: { id_token: { name: { value: 'n'.repeat(7_900) } } } },
        state: 's'.repeat(3_900),
      });
      expect(request.length > 16_000 && request.length <= 16_384).toBe(true);
      const { location = '' } = (await post({ client_id: 'web', request })).headers as Record<string, string>;
      expect(location).toContain('request_uri=urn%3A');
      expect((await realm.send(`/oauth/${location}`)).status).toBe(200);
      expect((await push({ request })).status).toBe(201);
    });

    it('are checked before they are kept', async () => {
      const bad = await post({ ...codeRequest, request: await sign(long, other) });
      expect([bad.status, readRedirect(bad).parameters.error]).toEqual([303, 'invalid_request_object']);
      const unpushed = await post({ client_id: 'pushing', request: await sign({ ...long, client_id: 'pushing' }) });
      expect(readRedirect(unpushed).parameters.error).toBe('invalid_request');
      const unsigned = await post({ ...codeRequest, state: 's'.repeat(6_500) });
      expect(unsigned.headers.location).toContain('state=sss');
    });

    it('are kept 60 times a minute for a client and a network', async () => {
      const form = { client_id: 'signing', request: await sign({ ...long, client_id: 'signing' }) };
      const send = (address: string) =>
        realm.send('/oauth/authorize', { form, headers: { 'x-forwarded-for': address } });
      realm.advance(60_000 - (realm.clock() % 60_000));
      const answers = await Promise.all(Array.from({ length: 70 }, () => send('192.0.2.7')));
      const errors = answers.map((answer) => readRedirect(answer).parameters.error);
      expect(errors.filter((error) => error === 'temporarily_unavailable')).toHaveLength(10);
      expect(errors.filter((error) => error === undefined)).toHaveLength(60);
      expect(readRedirect(await send('198.51.100.7')).parameters.request_uri).toBeDefined();
    });
  });

  describe('that are pushed', () => {
    it('are the object alone, next to the authentication', async () => {
      const pushed = await push({ request: await sign({ state: 's' }), state: 'outside', scope: 'roles' });
      expect(pushed.status).toBe(201);
      const { request_uri } = pushed.json<{ request_uri: string }>();
      const page = await realm.send(authorizePath({ client_id: 'web', request_uri }));
      expect(carriedBy(page)).toEqual({ ...codeRequest, state: 's', pushed_request: request_uri });
    });

    it.each<[string, object, Form, string]>([
      ['of another client', { client_id: 'signing' }, {}, 'invalid_request_object'],
      ['with request_uri in the object', { request_uri: 'urn:x' }, {}, 'invalid_request_object'],
      ['with request_uri beside the object', {}, { request_uri: 'urn:x' }, 'invalid_request'],
      ['with another response_type beside the object', {}, { response_type: 'token' }, 'invalid_request'],
      ['to an address of nobody', { redirect_uri: 'https://attacker.example.com/' }, {}, 'invalid_request'],
      ['with an unknown scope', { scope: 'nonsense' }, {}, 'invalid_scope'],
      ['without a response_type in the object', { response_type: undefined }, codeRequest, 'invalid_request'],
    ])('are refused %s', async (_what, inside, outside, error) => {
      expect(outcomeOf(await push({ ...outside, request: await sign(inside) }))).toEqual([400, error]);
    });

    it('are refused where another key signed them', async () => {
      expect(outcomeOf(await push({ request: await sign({}, other) }))).toEqual([400, 'invalid_request_object']);
    });

    it('are demanded where the client says so', async () => {
      const unsigned = await push({ ...codeRequest, client_id: 'signing' }, 'signing');
      expect(outcomeOf(unsigned)).toEqual([400, 'invalid_request']);
      const request = await sign({ client_id: 'signing', redirect_uri: 'https://app.example.com/second' });
      expect((await push({ request }, 'signing')).status).toBe(201);
    });

    it('carry no secret of the client, and are as long as those of a confidential client', async () => {
      const state = 's'.repeat(5_000);
      const request = await sign({ client_id: 'page', client_secret: 'no secret', ...createPkce().parameters, state });
      const pushed = await realm.send('/oauth/par', { form: { client_id: 'page', request } });
      expect(pushed.status).toBe(201);
      const { request_uri } = pushed.json<{ request_uri: string }>();
      const page = await realm.send(authorizePath({ client_id: 'page', request_uri }));
      expect(Object.keys(carriedBy(page))).not.toContain('client_secret');
      const unsigned = { ...codeRequest, client_id: 'page', ...createPkce().parameters, state };
      expect((await realm.send('/oauth/par', { form: unsigned })).status).toBe(413);
    });
  });

  describe('of a client with the profile fapi2_message_signing', () => {
    const { verifier, parameters } = createPkce();
    const now = () => Math.floor(realm.clock() / 1000);
    const pushAsBank = async (form: Form) => {
      const client_assertion = key.assertion('bank', realm.authUrl, { exp: now() + 60, iat: now() });
      return realm.send('/oauth/par', { form: { ...form, client_assertion, client_assertion_type: assertionType } });
    };
    const inside = (changes: object = {}) => ({
      ...{ client_id: 'bank', iss: 'bank', aud: realm.authUrl, nbf: now(), exp: now() + 300, ...parameters },
      ...changes,
    });

    it('are the object and the authentication alone, and lead to a code', async () => {
      const pushed = await pushAsBank({ request: await sign(inside({ state: 'inside' })), state: 'outside' });
      expect([pushed.status, pushed.text]).toEqual([201, expect.any(String)]);
      const { request_uri } = pushed.json<{ request_uri: string }>();
      const answer = await signIn(realm, { client_id: 'bank', request_uri, state: 'outside' }, { user: userForm });
      expect(readRedirect(answer).parameters).toMatchObject({ code: expect.any(String), state: 'inside' });
      expect(verifier).toBeDefined();
    });

    it('are refused unsigned, and without the times of the object', async () => {
      const unsigned = { ...codeRequest, client_id: 'bank', ...parameters } as Form;
      expect(outcomeOf(await pushAsBank(unsigned))).toEqual([400, 'invalid_request']);
      const undated = await sign(inside({ nbf: undefined }));
      expect(outcomeOf(await pushAsBank({ request: undated }))).toEqual([400, 'invalid_request_object']);
    });
  });

  describe('by keys that stand beside a secret', () => {
    it('are all that the keys serve: the client proves itself by its secret', async () => {
      const prove = (credentials: Form) =>
        realm.send('/oauth/introspect', { form: { token: 'x', client_id: 'web', ...credentials } });
      const client_assertion = key.assertion('web', realm.authUrl, { exp: Math.floor(realm.clock() / 1000) + 60 });
      const byKey = await prove({ client_assertion, client_assertion_type: assertionType });
      expect(outcomeOf(byKey)).toEqual([401, 'invalid_client']);
      expect((await prove({ client_secret: webClient.client_secret })).status).toBe(200);
      const { public: isPublic } = (await realm.send('/clients/page', { basic: administrator })).json();
      expect(isPublic).toBe(true);
    });
  });
});
