import { assertionType, createClientKey, readHiddenFields } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { callback, type Realm, startRealm, webClient } from '../support/realm.ts';

describe('the endpoint for pushed requests (RFC 9126)', () => {
  let realm: Realm;
  let url: string;
  const basic: [string, string] = [webClient.client_id, webClient.client_secret];
  const key = createClientKey();
  beforeAll(async () => {
    realm = await startRealm();
    url = `${realm.url}/oauth/par`;
    await realm.register(webClient);
    await realm.register({ ...webClient, client_id: 'pushing', ...{ require_pushed_authorization_requests: true } });
    const { client_secret: _, ...unkeyed } = webClient;
    const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
    await realm.register({ ...unkeyed, client_id: 'keyed', ...keyed });
  });
  afterAll(() => realm.close());

  const push = (changes: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    realm.send('/oauth/par', { basic, form: { ...codeRequest, ...changes }, headers });
  const pushProven = async (changes: Record<string, string> = {}) => {
    const prove = (nonce?: unknown) => ({ dpop: key.proof({ htm: 'POST', htu: url, nonce }) });
    const { headers } = await push(changes, prove());
    return push(changes, prove(headers['dpop-nonce']));
  };

  it('answers with a name for the request that no cache keeps', async () => {
    const answer = await push();
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    expect(answer.json()).toEqual({ request_uri: expect.stringMatching(/^urn:/), expires_in: 60 });
  });

  it.each<[what: string, changes: Record<string, string>, status: number, error: string]>([
    ['another request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 400, 'invalid_request'],
    ['another address', { redirect_uri: 'https://attacker.example/' }, 400, 'invalid_request'],
    ['an unknown scope', { scope: 'nonsense' }, 400, 'invalid_scope'],
    ['another client', { client_id: 'other' }, 400, 'invalid_request'],
    ['more than 64 KiB', { state: 's'.repeat(70_000) }, 413, 'invalid_request'],
  ])('refuses at once a request with %s', async (_what, changes, status, error) => {
    const answer = await push(changes);
    expect([answer.status, answer.json().error]).toEqual([status, error]);
  });

  it('gave a name that leads nowhere twice: the page says whose fault that is', async () => {
    const form = { client_id: 'web', request_uri: 'urn:ietf:params:oauth:request_uri:used-before' };
    const { status, text } = await realm.send(authorizePath(form));
    expect(status).toBe(400);
    expect(text).toContain('<h1>This sign-in link does not work</h1>');
    expect(text).toContain('request_uri is unknown, expired or was used before; push the request again');
    expect(text).toContain('tell the people who run that application');
  });

  it('takes no body but a form', async () => {
    const answer = await realm.send('/oauth/par', { basic, json: codeRequest });
    expect([answer.status, answer.json().error]).toEqual([415, 'invalid_request']);
  });

  it.each<[what: string, clientId: string, credentials: () => Record<string, string>]>([
    ['secret', 'web', () => ({ client_secret: webClient.client_secret })],
    [
      'assertion',
      'keyed',
      () => ({ client_assertion_type: assertionType, client_assertion: key.assertion('keyed', realm.authUrl) }),
    ],
  ])('keeps no %s of the client with the request, which goes on by the browser', async (_what, client_id, prove) => {
    const pushed = await realm.send('/oauth/par', { form: { ...codeRequest, client_id, ...prove() } });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const page = await realm.send(authorizePath({ client_id, request_uri }));
    const { request } = readHiddenFields(page.text);
    const carried = { ...codeRequest, client_id, pushed_request: request_uri };
    expect(Object.fromEntries(new URLSearchParams(request))).toEqual(carried);
  });

  it('binds the request to the key of a proof, which dpop_jkt may repeat (RFC 9449 10.1)', async () => {
    expect((await pushProven()).status).toBe(201);
    expect((await pushProven({ dpop_jkt: key.jkt })).status).toBe(201);
    const other = await pushProven({ dpop_jkt: createClientKey().jkt });
    expect([other.status, other.json().error]).toEqual([400, 'invalid_dpop_proof']);
  });

  it('binds the code to the key of the proof: no other key gets tokens for it', async () => {
    const { request_uri } = (await pushProven()).json<{ request_uri: string }>();
    const answer = await signIn(realm, { client_id: 'web', request_uri });
    const { code = '' } = readRedirect(answer).parameters;
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const unproven = await realm.tokenRequest(webClient, form);
    expect([unproven.status, unproven.json().error]).toEqual([400, 'invalid_dpop_proof']);
  });

  it('is the only way for a client that is registered so', async () => {
    const asked = { ...codeRequest, client_id: 'pushing' };
    expect(readRedirect(await realm.send(authorizePath(asked))).parameters).toMatchObject({
      error: 'invalid_request',
      error_description: 'this client must push its authorization requests (RFC 9126)',
    });
    const pushed = await realm.send('/oauth/par', { basic: ['pushing', webClient.client_secret], form: asked });
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const page = await realm.send(authorizePath({ client_id: 'pushing', request_uri }));
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('name="password"')]);
  });

  it('keeps a request that was asked for with a parameter too many, for another try', async () => {
    const { request_uri } = (await push()).json<{ request_uri: string }>();
    const once: [string, string][] = Object.entries({ client_id: 'web', request_uri });
    const twice = await realm.send(authorizePath([...once, ['prompt', 'none'], ['prompt', 'login']]));
    expect(readRedirect(twice).parameters.error).toBe('invalid_request');
    expect((await realm.send(authorizePath(once))).status).toBe(200);
  });

  it.each<[what: string, client: Record<string, string>, text: string]>([
    ['without client_id', {}, 'client_id is missing'],
    ['of an unknown client', { client_id: 'nobody' }, 'No application is registered here under this client_id'],
  ])('shows the user what is wrong with a name for a request %s', async (_what, client, text) => {
    const { request_uri } = (await push()).json<{ request_uri: string }>();
    const answer = await realm.send(authorizePath({ ...client, request_uri }));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(text)]);
  });
});
