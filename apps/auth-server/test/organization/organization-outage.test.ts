import type { Answer } from '@gatehouse/test-kit';
import { createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { authorizePath, codeRequest, obtainCode, readRedirect, signIn, userForm } from '../support/browser.ts';
import {
  administrator,
  callback,
  passwordOf,
  type Realm,
  startRealm,
  type TokenAnswer,
  webClient,
} from '../support/realm.ts';

const robotClient = {
  client_id: 'robot-client',
  client_secret: 'robot-secret',
  scope: ['roles'],
  authorized_grant_types: ['service_account'],
  srvc_ac_user_name: 'robot@example.com',
};
const machine = {
  ...webClient,
  client_id: 'machine',
  authorized_grant_types: ['client_credentials', 'authorization_code'],
};

describe('while org-api is out of reach', () => {
  let realm: Realm;
  let before: TokenAnswer;
  let code: string;
  const [browser, signedIn] = [createTestBrowser(), createTestBrowser()];
  const authorizeUrl = () => realm.url + authorizePath({ ...codeRequest, state: 's' });
  let signInPage: Answer;

  beforeAll(async () => {
    realm = await startRealm();
    for (const client of [webClient, robotClient, machine]) await realm.register(client);
    before = await realm.tokens(webClient, passwordOf('admin'));
    code = await obtainCode(realm);
    signInPage = await browser.get(authorizeUrl());
    await signIn(realm, codeRequest, { browser: signedIn });
    await realm.stopOrganization();
  });
  afterAll(() => realm.close());

  const tellsNothingInside = (answer: Answer) => {
    expect(answer.text).not.toMatch(
      /ECONN|undici|fetch|stack|node_modules|\.ts\b|\.js\b|127\.0\.0\.1|localhost:\d|\bat \w+ \(/,
    );
  };

  it.each<[string, () => Record<string, string>]>([
    ['password', () => passwordOf('user')],
    ['authorization_code', () => ({ grant_type: 'authorization_code', code, redirect_uri: callback })],
    ['refresh_token', () => ({ grant_type: 'refresh_token', refresh_token: before.refresh_token ?? '' })],
  ])('POST /oauth/token by %s answers 503 temporarily_unavailable with Retry-After', async (_grant, form) => {
    const answer = await realm.tokenRequest(webClient, form());
    expect([answer.status, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['cache-control']).toBe('no-store');
    tellsNothingInside(answer);
  });

  it('a service-account client is answered 503, one that acts for itself gets its token', async () => {
    const form = { grant_type: 'client_credentials' };
    expect((await realm.tokenRequest(robotClient, form)).status).toBe(503);
    expect((await realm.tokenRequest(machine, form)).status).toBe(200);
  });

  it('POST /clients answers 500 with the request id and nothing of the inside', async () => {
    const headers = { 'x-request-id': 'request-of-mine-1' };
    const attempts = [
      await realm.send('/clients', { basic: administrator, json: { ...webClient, client_id: 'new' }, headers }),
      await realm.send('/clients', { bearer: before.access_token, json: { ...webClient, client_id: 'new' }, headers }),
    ];
    for (const answer of attempts) {
      expect([answer.status, answer.headers['content-type']]).toEqual([500, 'text/plain; charset=utf-8']);
      expect(answer.text).toBe('creation of client new failed: internal server error, request id request-of-mine-1');
      expect(answer.headers['x-request-id']).toBe('request-of-mine-1');
      tellsNothingInside(answer);
    }
  });

  it('POST /clients without credentials still answers 401', async () => {
    expect((await realm.send('/clients', { json: webClient })).status).toBe(401);
  });

  it('client administration answers 500 as a problem document', async () => {
    const answer = await realm.send('/clients', { basic: administrator });
    expect([answer.status, answer.headers['content-type']]).toEqual([
      500,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
    expect(answer.json()).toMatchObject({ status: 500, detail: 'the organization is out of reach' });
    tellsNothingInside(answer);
  });

  it('introspection and userinfo answer 503 rather than to call a token inactive', async () => {
    const introspected = await realm.send('/oauth/introspect', {
      basic: ['web', 'web-secret'],
      form: { token: before.access_token },
    });
    const userinfo = await realm.send('/oauth/userinfo', { bearer: before.access_token });
    for (const answer of [introspected, userinfo]) {
      expect([answer.status, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.headers).not.toHaveProperty('www-authenticate');
      tellsNothingInside(answer);
    }
  });

  it('the sign-in page stays, says so and keeps the username', async () => {
    const answer = await browser.submit(signInPage, authorizeUrl(), userForm);
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('<form');
    expect(answer.text).toContain('value="user@example.com"');
    expect(answer.text).toContain(en.signIn.unavailable);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.text).not.toContain('user-password');
    tellsNothingInside(answer);
  });

  it('a page about a user who is signed in says when to try again', async () => {
    const answer = await signedIn.get(`${realm.url}/oauth/consents`);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(answer.text).toContain(en.error.oursTitle);
    tellsNothingInside(answer);
  });

  it('the JWKS, discovery and health go on', async () => {
    for (const path of ['/oauth/jwks', '/.well-known/openid-configuration', '/health/live', '/health/ready']) {
      expect([path, (await realm.send(path)).status]).toEqual([path, 200]);
    }
  });

  it('everything works again once it is back, without a restart, and no token was lost', async () => {
    await realm.startOrganization();
    expect((await realm.tokenRequest(webClient, passwordOf('user'))).status).toBe(200);
    const form = { grant_type: 'refresh_token', refresh_token: before.refresh_token ?? '' };
    expect((await realm.tokenRequest(webClient, form)).status).toBe(200);
    expect((await realm.tokenRequest(robotClient, { grant_type: 'client_credentials' })).status).toBe(200);
    const answer = await browser.submit(signInPage, authorizeUrl(), userForm);
    expect(readRedirect(answer).parameters).toMatchObject({ code: expect.any(String), state: 's' });
    expect(
      (await realm.send('/clients', { basic: administrator, json: { ...webClient, client_id: 'new' } })).status,
    ).toBe(200);
  });
});
