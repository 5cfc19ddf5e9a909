import { createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, obtainCode, readRedirect, userForm } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { withinOneSecond } from '../support/organization.ts';
import { administrator, callback, passwordOf, type Realm, startRealm, type TokenAnswer } from '../support/realm.ts';

const hour = 3_600_000;

describe('the grants of a client that has to ask its users since', () => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  beforeAll(async () => {
    realm = await startRealm();
    devices = useDevices(realm);
  });
  afterAll(() => realm.close());

  let number = 0;
  const register = (authorized_grant_types: string[]) => {
    number += 1;
    return realm.register({
      client_id: `client-${number}`,
      client_secret: 'client-secret',
      scope: ['openid', 'profile', 'email', 'offline_access'],
      redirect_uri: callback,
      authorized_grant_types,
    });
  };
  type Registered = Awaited<ReturnType<typeof register>>;
  const change = async ({ client_id }: Registered, json: object) => {
    const answer = await realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json });
    expect(answer.status).toBe(200);
  };
  const askItsUsers = (client: Registered) => change(client, { require_consent: true });
  /** Signs the user in and allows what is asked for; gives the code. */
  const allow = async ({ client_id }: Registered, scope: string) => {
    const browser = createTestBrowser();
    const url = realm.url + authorizePath({ ...codeRequest, client_id, scope });
    const page = await browser.submit(await browser.get(url), url, userForm);
    expect(page.text).toContain('Allow access?');
    return readRedirect(await browser.submit(page, url, { decision: 'allow' })).parameters.code ?? '';
  };
  const exchange = (client: Registered, code: string) =>
    realm.tokenRequest(client, { grant_type: 'authorization_code', code, redirect_uri: callback });
  const refresh = (client: Registered, { refresh_token = '' }: TokenAnswer, form: Record<string, string> = {}) =>
    realm.tokenRequest(client, { grant_type: 'refresh_token', refresh_token, ...form });
  const faultOf = (answer: { status: number; json(): { error?: string } }) => [answer.status, answer.json().error];
  const invalid = [400, 'invalid_grant'];
  const code = ['authorization_code', 'refresh_token'];

  it('are told of to the client itself, and to no other that asks its users', async () => {
    const [client, outsider] = [await register(code), await register(code)];
    for (const one of [client, outsider]) await askItsUsers(one);
    const { access_token: token } = (await exchange(client, await allow(client, 'openid'))).json<TokenAnswer>();
    const introspect = async ({ client_id, client_secret }: Registered) =>
      (await realm.send('/oauth/introspect', { basic: [client_id, client_secret], form: { token } })).json();
    expect(await introspect(client)).toMatchObject({ active: true, client_id: client.client_id });
    expect(await introspect(outsider)).toEqual({ active: false });
  });

  it('are told of with what the user allows afterwards, and until then as not in force', async () => {
    const client = await register(code);
    const scope = 'openid profile email';
    const old = await obtainCode(realm, { client_id: client.client_id, scope });
    const { refresh_token: token = '' } = (await exchange(client, old)).json<TokenAnswer>();
    const introspect = async () =>
      (
        await realm.send('/oauth/introspect', { basic: [client.client_id, client.client_secret], form: { token } })
      ).json();
    expect(await introspect()).toMatchObject({ active: true, scope });
    await askItsUsers(client);
    expect(await introspect()).toEqual({ active: false });
    await allow(client, 'openid profile');
    expect(await introspect()).toMatchObject({ active: true, scope: 'openid profile' });
  });

  it('end with a code from before, also where the user allows something afterwards', async () => {
    const client = await register(code);
    const before = await obtainCode(realm, { client_id: client.client_id });
    await askItsUsers(client);
    expect(faultOf(await exchange(client, before))).toEqual(invalid);
    const after = await allow(client, 'openid');
    expect(faultOf(await exchange(client, before))).toEqual(invalid);
    expect((await exchange(client, after)).status).toBe(200);
  });

  it('end with a refresh token from before, also where the user allows something afterwards', async () => {
    const client = await register(code);
    const tokens = (
      await exchange(client, await obtainCode(realm, { client_id: client.client_id }))
    ).json<TokenAnswer>();
    await askItsUsers(client);
    expect(faultOf(await refresh(client, tokens))).toEqual(invalid);
    await allow(client, 'openid');
    expect(faultOf(await refresh(client, tokens))).toEqual(invalid);
  });

  it('end with a device that was allowed before, also where the user allows something afterwards', async () => {
    const client = await register([deviceGrant, ...code]);
    const started = await devices.start(client, { scope: 'openid' });
    await devices.decide(started);
    await askItsUsers(client);
    expect(faultOf(await devices.poll(client, started))).toEqual(invalid);
    await allow(client, 'openid');
    expect(faultOf(await devices.poll(client, started))).toEqual(invalid);
  });

  it('have what the user allows afterwards, and no token for the rest', async () => {
    const client = await register(code);
    const scope = 'openid profile email';
    const old = await obtainCode(realm, { client_id: client.client_id, scope });
    const first = (await exchange(client, old)).json<TokenAnswer>();
    await askItsUsers(client);
    await allow(client, 'openid profile');
    expect(faultOf(await refresh(client, first, { scope: 'email' }))).toEqual([400, 'invalid_scope']);
    const second = (await refresh(client, first)).json<TokenAnswer>();
    expect(second.scope).toBe('openid profile');
    expect((await refresh(client, second, { scope: 'openid email' })).json<TokenAnswer>().scope).toBe('openid');
  });

  it('give no token where the client may not have what the user allows', async () => {
    const client = await register(code);
    const old = await obtainCode(realm, { client_id: client.client_id, scope: 'openid email' });
    const tokens = (await exchange(client, old)).json<TokenAnswer>();
    await askItsUsers(client);
    await allow(client, 'openid');
    await change(client, { scope: ['email'] });
    expect(faultOf(await refresh(client, tokens))).toEqual([400, 'invalid_scope']);
  });

  it.each([
    ['end 12 hours after the sign-in where the user does not allow offline access', 'openid', 400],
    ['go on where the user allows offline access too', 'openid offline_access', 200],
  ])('%s', async (_title, allowed, status) => {
    const client = await register(code);
    const old = await obtainCode(realm, { client_id: client.client_id, scope: 'openid offline_access' });
    const first = (await exchange(client, old)).json<TokenAnswer>();
    await askItsUsers(client);
    await allow(client, allowed);
    const second = (await refresh(client, first)).json<TokenAnswer>();
    expect(second.refresh_token).toEqual(expect.any(String));
    realm.advance(12 * hour + 1_000);
    expect((await refresh(client, second)).status).toBe(status);
  });

  it('are none by password, also of a client that an older release registered for both', async () => {
    const client = await register(['password']);
    const form = { ...passwordOf('user'), scope: 'openid' };
    expect((await realm.tokenRequest(client, form)).status).toBe(200);
    const sql = 'UPDATE clients SET metadata = ? WHERE client_id = ?';
    await realm.deps.database.execute(sql, [JSON.stringify({ require_consent: true }), client.client_id]);
    await withinOneSecond(async () =>
      expect(faultOf(await realm.tokenRequest(client, form))).toEqual([400, 'unauthorized_client']),
    );
  });
});
