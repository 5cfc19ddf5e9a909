import { callWithProof, createClientKey, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, createPkce, readRedirect, signIn } from '../support/browser.ts';
import { adminForm } from '../support/console.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { administrator, type Realm, readClaims, startRealm, type TokenAnswer, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const clientId = 'gatehouse-cli';
const path = `/clients/${clientId}`;
const refused = { status: 409, detail: 'belongs to the configuration' };

/** Signs in as the command line does: at a loopback port, by code, PKCE and DPoP. */
async function signInAtCommandLine(realm: Realm, redirectUri: string) {
  const key = createClientKey();
  const { verifier, parameters } = createPkce();
  const request = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, dpop_jkt: key.jkt };
  const answer = await signIn(
    realm,
    { ...request, scope: 'openid profile roles', ...parameters },
    { browser: createTestBrowser(), user: adminForm },
  );
  const { code = '' } = readRedirect(answer).parameters;
  const form = { client_id: clientId, grant_type: 'authorization_code', code, redirect_uri: redirectUri };
  const tokens = await callWithProof(`${realm.url}/oauth/token`, key, { form: { ...form, code_verifier: verifier } });
  return { key, answer: tokens, tokens: tokens.json<TokenAnswer>() };
}

describe.each(testDialects)('the client of the command line, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect, { CLI_CLIENT: 'on' });
  });
  afterAll(() => realm.close());

  it('signs an administrator in at any loopback port, for both services, bound to a key', async () => {
    const { key, tokens } = await signInAtCommandLine(realm, 'http://127.0.0.1:51234/callback');
    expect(tokens).toMatchObject({ token_type: 'DPoP', expires_in: 300, refresh_token: expect.any(String) });
    const claims = readClaims(tokens.access_token);
    expect(claims).toMatchObject({ client_id: clientId, aud: realm.orgUrl, administration_max_age: 900 });
    expect([claims.roles, claims.ceiling, claims.cnf]).toEqual([['SystemAdministrator'], undefined, { jkt: key.jkt }]);
    const clients = await callWithProof(`${realm.url}/clients`, key, { accessToken: tokens.access_token });
    expect(clients.status).toBe(200);
  });

  it.each([
    [{ code_challenge: '' }, /error=invalid_request/],
    [{ redirect_uri: 'http://127.0.0.1:51234/other' }, /^undefined$/],
    [{ redirect_uri: 'https://evil.example/callback' }, /^undefined$/],
    [{ scope: 'openid offline_access' }, /error=invalid_scope/],
  ])('takes no request with %j', async (changed, location) => {
    const parameters = {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: 'http://127.0.0.1:51234/callback' },
      ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256', ...changed },
    };
    const answer = await realm.send(authorizePath(parameters));
    expect(String(answer.headers.location)).toMatch(location);
    expect(answer.status).not.toBe(200);
  });

  it('asks for no device code', async () => {
    const answer = await useDevices(realm).authorize({ client_id: clientId }, { scope: 'roles' });
    expect([answer.status, answer.json().error]).toEqual([400, 'unauthorized_client']);
  });

  it('is read, and kept by nobody but the configuration', async () => {
    const shown = await realm.send(path, { basic: administrator });
    expect(shown.json()).toMatchObject({
      ...{ client_id: clientId, managed_by: 'configuration', public: true, loopback_ports: 'any' },
      ...{ scope: ['openid', 'profile', 'roles'], authorized_grant_types: ['authorization_code', 'refresh_token'] },
      ...{ require_pkce: true, dpop_bound_access_tokens: true, administration_max_age: 900 },
      ceiling: ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'],
    });
    const headers = { accept: 'application/problem+json' };
    for (const [method, target, json] of [
      ['POST', '/clients', { ...webClient, client_id: clientId }],
      ['PATCH', path, { enabled: false }],
      ['POST', `${path}/secret`, {}],
      ['DELETE', path, undefined],
    ] as const) {
      const answer = await realm.send(target, { method, basic: administrator, headers, ...(json && { json }) });
      expect([method, answer.status, answer.json()]).toMatchObject([method, 409, refused]);
    }
  });

  it('has no pages that could call with credentials', async () => {
    const headers = { origin: 'http://127.0.0.1', 'access-control-request-method': 'POST' };
    const preflight = await realm.send('/oauth/token', { method: 'OPTIONS', headers });
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials');
  });
});

describe('the client of the command line', () => {
  it('is not there unless CLI_CLIENT says so', async () => {
    const realm = await startRealm({});
    try {
      expect((await realm.send(path, { basic: administrator })).status).toBe(404);
    } finally {
      await realm.close();
    }
  });

  it('takes device codes where CLI_CLIENT is device, and their page warns whom it makes an administrator', async () => {
    const realm = await startRealm({ CLI_CLIENT: 'device' });
    try {
      const devices = useDevices(realm);
      const shown = await realm.send(path, { basic: administrator });
      expect(shown.json().authorized_grant_types).toContain(deviceGrant);
      const pageFor = async (scope: string, user?: Record<string, string>) => {
        const started = await devices.start({ client_id: clientId }, { scope });
        return (await devices.open(await devices.signIn(user), started.user_code)).text;
      };
      const warning = 'that person would administer here as you';
      expect(await pageFor('openid roles', adminForm)).toContain(warning);
      expect(await pageFor('openid profile', adminForm)).not.toContain(warning);
      expect(await pageFor('openid roles')).not.toContain(warning);
    } finally {
      await realm.close();
    }
  });
});
