import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, createPkce, readRedirect, signIn } from '../support/browser.ts';
import { administrator, encodeBasic, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const native = {
  ...webClient,
  client_id: 'native',
  client_secret: undefined,
  authorized_grant_types: ['authorization_code', 'refresh_token'],
  redirect_uri: 'http://127.0.0.1/cb?x=1',
  redirect_uris: ['http://[::1]:8080/cb', 'http://localhost/cb'],
  post_logout_redirect_uris: ['http://127.0.0.1/bye'],
  loopback_ports: 'any',
};
const confidential = { ...native, client_id: 'confidential', client_secret: 'confidential-secret' };
const chosen = 'http://127.0.0.1:51004/cb?x=1';

describe.each(testDialects)('a client with "loopback_ports": "any", on %s', (dialect) => {
  let realm: Realm;
  const pkce = createPkce();
  const request = { response_type: 'code', client_id: 'native', redirect_uri: chosen, scope: 'openid' };
  const asked = { ...request, ...pkce.parameters };

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    for (const client of [native, confidential, { ...webClient, redirect_uri: native.redirect_uri }])
      await realm.register(client);
  });
  afterAll(() => realm.close());

  const exchange = (code = '', redirect_uri = chosen) =>
    realm.tokenRequest(native, {
      ...{ grant_type: 'authorization_code', code, redirect_uri, code_verifier: pkce.verifier },
    });
  const errorOf = (answer: { json(): unknown }) => (answer.json() as { error: string }).error;

  it('gets its answer at the port that it chose, and repeats that very address', async () => {
    for (const redirect_uri of [chosen, 'http://127.0.0.1:1/cb?x=1', 'http://[::1]/cb']) {
      const { target, location, parameters } = readRedirect(await signIn(realm, { ...asked, redirect_uri }));
      expect(location.startsWith(redirect_uri)).toBe(true);
      expect(target).toBe(redirect_uri.split('?')[0]);
      const code = parameters.code ?? new URL(location).searchParams.get('code') ?? '';
      expect((await exchange(code, redirect_uri)).status).toBe(200);
    }
  });

  it('cannot exchange the code with another port, nor with the address as registered', async () => {
    const { location } = readRedirect(await signIn(realm, asked));
    const code = new URL(location).searchParams.get('code') ?? '';
    for (const other of [native.redirect_uri, chosen.replace('51004', '51005')]) {
      const answer = await exchange(code, other);
      expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_grant']);
    }
    expect((await exchange(code)).status).toBe(200);
  });

  it.each([
    'http://localhost:51004/cb',
    'http://127.0.0.1:51004/cb',
    'http://127.0.0.1:65536/cb?x=1',
    `http://127.0.0.1:51004/cb?x=1${'y'.repeat(2048)}`,
  ])('is never redirected to %.60s', async (redirect_uri) => {
    const answer = await realm.send(authorizePath({ ...asked, redirect_uri }));
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    expect(answer.text).toContain('redirect_uri');
  });

  it('pushes a request with the port that it chose', async () => {
    const push = (redirect_uri: string) => realm.send('/oauth/par', { form: { ...asked, redirect_uri } });
    const refused = await push('http://127.0.0.1:51004/cb');
    expect([refused.status, errorOf(refused)]).toEqual([400, 'invalid_request']);
    const pushed = await push(chosen);
    expect([pushed.status, pushed.text]).toEqual([201, expect.any(String)]);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const { location } = readRedirect(await signIn(realm, { client_id: 'native', request_uri }));
    expect(location.startsWith(chosen)).toBe(true);
    expect((await exchange(new URL(location).searchParams.get('code') ?? '')).status).toBe(200);
  });

  it('does not change what others may: their ports, and addresses after a sign-out, match to the letter', async () => {
    const other = await realm.send(authorizePath({ ...asked, client_id: 'web' }));
    expect([other.status, other.headers.location]).toEqual([400, undefined]);
    const leave = (post_logout_redirect_uri: string) =>
      realm.send(`/oauth/logout?${new URLSearchParams({ client_id: 'native', post_logout_redirect_uri })}`);
    expect((await leave('http://127.0.0.1:51004/bye')).status).toBe(400);
    expect((await leave('http://127.0.0.1/bye')).status).not.toBe(400);
  });

  it('must use PKCE, also where it is confidential', async () => {
    for (const client_id of ['native', 'confidential']) {
      const answer = await realm.send(authorizePath({ ...request, client_id }));
      expect(new URL(readRedirect(answer).location).searchParams.get('error')).toBe('invalid_request');
    }
    const headers = { authorization: encodeBasic('confidential', 'confidential-secret') };
    const pushed = await realm.send('/oauth/par', { form: { ...request, client_id: 'confidential' }, headers });
    expect([pushed.status, errorOf(pushed)]).toEqual([400, 'invalid_request']);
  });

  it('shows a signed-in user a page that names it, each time, where it is public (RFC 8252 8.6)', async () => {
    const browser = createTestBrowser();
    const url = realm.url + authorizePath(asked);
    // The sign-in page names it, so nothing else is shown.
    expect((await browser.get(url)).text).toContain('<strong>native</strong>');
    expect(readRedirect(await signIn(realm, asked, { browser })).location).toContain('code=');
    for (const decision of ['allow', 'deny', 'allow']) {
      const page = await browser.get(url);
      expect([page.status, page.headers.location]).toEqual([200, undefined]);
      expect(page.text).toContain('<strong>native</strong>');
      const { location } = readRedirect(await browser.submit(page, url, { decision }));
      const { searchParams } = new URL(location);
      expect([searchParams.has('code'), searchParams.get('error')]).toEqual(
        decision === 'allow' ? [true, null] : [false, 'access_denied'],
      );
    }
    const itself = await browser.get(realm.url + authorizePath({ ...asked, client_id: 'confidential' }));
    expect(readRedirect(itself).location).toContain('code=');
  });

  it('gets interaction_required for prompt=none, where it is public', async () => {
    const browser = createTestBrowser();
    const ask = async (client_id: string) => {
      const answer = await browser.get(realm.url + authorizePath({ ...asked, client_id, prompt: 'none' }));
      return new URL(readRedirect(answer).location).searchParams;
    };
    expect((await ask('native')).get('error')).toBe('interaction_required');
    expect((await ask('confidential')).get('error')).toBe('login_required');
    await signIn(realm, asked, { browser });
    expect((await ask('native')).get('error')).toBe('interaction_required');
    expect((await ask('confidential')).has('code')).toBe(true);
  });

  it('is registered, shown and changed', async () => {
    const path = '/clients/confidential';
    const change = (json: object) => realm.send(path, { basic: administrator, method: 'PATCH', json });
    const read = async () => (await realm.send(path, { basic: administrator })).json<Record<string, unknown>>();
    expect(await read()).toMatchObject({ loopback_ports: 'any' });
    expect((await change({ loopback_ports: null })).status).toBe(200);
    expect(await read()).not.toHaveProperty('loopback_ports');
    const shown = await realm.send(authorizePath({ ...asked, client_id: 'confidential' }));
    expect([shown.status, shown.headers.location]).toEqual([400, undefined]);
    expect((await change({ loopback_ports: 'any' })).status).toBe(200);
    for (const loopback_ports of ['none', true, 8080, ['any'], '']) {
      const answer = await change({ loopback_ports });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('loopback_ports must be any')]);
    }
  });

  it('has no implicit grant, whose tokens any program of the machine could take', async () => {
    const json = { ...native, client_id: 'implicit', authorized_grant_types: ['authorization_code', 'implicit'] };
    const answer = await realm.send('/clients', { basic: administrator, json });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('loopback_ports is not accepted with')]);
  });
});
