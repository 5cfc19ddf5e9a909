import { ProblemError } from '@gatehouse/shared';
import { type CallOptions, callWithProof, createClientKey } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toOAuthError } from '../../src/http/error-handlers.ts';
import { administrator, passwordOf, type Realm, startRealm, type TokenAnswer, webClient } from '../support/realm.ts';

const publicClient = {
  ...webClient,
  client_id: 'public',
  client_secret: undefined,
  authorized_grant_types: ['authorization_code'],
};
const basic: [string, string] = ['web', 'web-secret'];

describe('an error text says what is at fault and what to do', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
    for (const client of [webClient, publicClient]) await realm.register(client);
  });
  afterAll(() => realm.close());

  it.each<[string, string, CallOptions, RegExp]>([
    [
      'a scope beyond the client',
      '/oauth/token',
      { basic, form: { ...passwordOf('user'), scope: 'openid other' } },
      /^the scope must be part of what this client may request: openid /,
    ],
    [
      'another resource',
      '/oauth/token',
      { basic, form: { ...passwordOf('user'), resource: 'https://elsewhere.example.com' } },
      /; send that resource or none$/,
    ],
    [
      'a client that authenticates twice',
      '/oauth/token',
      { basic, form: { ...passwordOf('user'), client_secret: 'web-secret' } },
      /^the client must authenticate in one way: by the Authorization header, client_secret or client_assertion$/,
    ],
    [
      'a public client that introspects',
      '/oauth/introspect',
      { form: { client_id: 'public', token: 'any' } },
      /; authenticate as a client with a secret or a key$/,
    ],
    [
      'request_uri in a pushed request',
      '/oauth/par',
      { basic, form: { request_uri: 'urn:any' } },
      /^a pushed request must not hold request_uri; send the parameters themselves$/,
    ],
    ['no access token', '/oauth/userinfo', {}, /^an access token is required; send it in the Authorization header$/],
  ])('at an OAuth endpoint: %s', async (_what, path, options, text) => {
    const answer = await realm.send(path, options);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.json()).toMatchObject({ error_description: expect.stringMatching(text) });
    expect(answer.headers).not.toHaveProperty('retry-after');
  });

  it('at userinfo: a token that is bound to no key comes with the scheme DPoP', async () => {
    const { access_token } = await realm.tokens(webClient, { ...passwordOf('user'), scope: 'openid' });
    const answer = await realm.send('/oauth/userinfo', { headers: { authorization: `DPoP ${access_token}` } });
    const text = 'the access token is bound to no key; send it with the scheme Bearer';
    expect([answer.status, answer.json()]).toEqual([401, { error: 'invalid_token', error_description: text }]);
  });

  it('at userinfo: a token that is bound to a key comes with the scheme Bearer', async () => {
    const issued = await callWithProof(`${realm.url}/oauth/token`, createClientKey(), {
      basic,
      form: { ...passwordOf('user'), scope: 'openid' },
    });
    const answer = await realm.send('/oauth/userinfo', { bearer: issued.json<TokenAnswer>().access_token });
    const text = 'the access token is bound to a key; send it with the scheme DPoP';
    expect([answer.status, answer.json()]).toEqual([401, { error: 'invalid_token', error_description: text }]);
  });

  it.each<[string, string, CallOptions, number, string]>([
    ['nobody', '/clients', {}, 401, 'credentials are required; send them by Basic, Bearer or DPoP'],
    [
      'a client with its secret',
      '/clients',
      { basic },
      401,
      'this client is not of the service-account kind; only such a client may call with its secret',
    ],
    ['an unknown client_id', '/clients/unknown', { basic: administrator }, 404, 'no client has this client_id'],
    [
      'a new secret for a public client',
      '/clients/public/secret',
      { basic: administrator, json: {} },
      400,
      'the client has no secret, so there is none to replace',
    ],
  ])('at client administration: %s', async (_what, path, options, status, detail) => {
    expect((await realm.send(path, options)).json()).toMatchObject({ status, detail });
  });
});

describe('a failure of the service', () => {
  it.each<[status: number, retryAfter: number | undefined, code: string, answered: number]>([
    [503, 7, 'temporarily_unavailable', 503],
    [503, undefined, 'temporarily_unavailable', 503],
    [500, undefined, 'server_error', 500],
    [405, undefined, 'invalid_request', 405],
    [415, undefined, 'invalid_request', 400],
  ])('of status %i, with %s seconds to wait, is the OAuth error %s', (status, seconds, code, answered) => {
    const cause = new Error('inside');
    const problem = new ProblemError(status, 'what happened', {
      cause,
      ...(seconds === undefined ? {} : { retryAfter: seconds }),
    });
    const error = toOAuthError(problem, 'request-1');
    expect([error.code, error.status, error.message, error.retryAfter]).toEqual([
      code,
      answered,
      'what happened',
      seconds,
    ]);
    expect(error.cause).toBe(status >= 500 ? cause : undefined);
  });
});
