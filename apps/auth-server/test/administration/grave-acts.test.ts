import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, type Credentials, useAccounts, type Visitor } from '../support/account.ts';
import { administrator, type Realm, readClaims, startRealm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';

const id = '0192f6a4-0000-7000-8000-000000000000';
/** Each operation, with a body, and an answer that says the caller was let in. */
const grave: [string, string, object | undefined, number][] = [
  ['POST', '/clients', {}, 400],
  ['PATCH', '/clients/nobody', { scope: ['openid'] }, 404],
  ['PATCH', '/clients/nobody', { client_name: 'Shop', redirect_uris: [] }, 404],
  ['PATCH', '/clients/nobody', { nonsense: true }, 400],
  ['DELETE', '/clients/nobody', undefined, 404],
  ['POST', '/clients/nobody/secret', {}, 404],
  ['DELETE', '/clients/nobody/secret/previous', undefined, 404],
  ['DELETE', '/clients/nobody/logo', undefined, 404],
  ['POST', '/resources', {}, 400],
  ['PATCH', `/resources/${id}`, { scopes: [] }, 404],
  ['DELETE', `/resources/${id}`, undefined, 404],
  ['POST', '/issuers', {}, 400],
  ['PATCH', `/issuers/${id}`, { signature_algorithms: ['ES256'] }, 404],
  ['DELETE', `/issuers/${id}`, undefined, 404],
  ['POST', '/upstreams', {}, 400],
  ['PATCH', '/upstreams/nobody', { display_name: 'Company', enabled: false }, 404],
  ['DELETE', '/upstreams/nobody', undefined, 404],
  ['POST', '/registration-tokens', { nonsense: true }, 400],
  ['DELETE', `/registration-tokens/${id}`, undefined, 404],
  ['DELETE', `/sessions/${id}`, undefined, 404],
  ['DELETE', '/sessions?user=nobody@example.com', undefined, 404],
  ['DELETE', `/grants/${id}`, undefined, 404],
  ['DELETE', '/grants?client=nobody', undefined, 404],
  ['DELETE', '/consents?user=nobody@example.com&client=nobody', undefined, 404],
];
const mild: typeof grave = [
  ['GET', '/clients', undefined, 200],
  ['GET', '/audit-events', undefined, 200],
  ['GET', '/keys', undefined, 200],
  ['GET', '/configuration', undefined, 200],
  ['GET', '/grants?client=nobody', undefined, 404],
  ['PATCH', '/clients/nobody', { client_name: 'Shop', tos_uri: null, access_token_validity: 60 }, 404],
  ['PATCH', `/resources/${id}`, { name: 'Orders', access_token_validity: 60 }, 404],
  ['POST', '/clients/nobody/secret-checks', { secret: 'a secret' }, 404],
  ['PATCH', '/upstreams/nobody', { display_name: 'Company' }, 404],
  ['POST', '/upstreams/nobody/secret-checks', { secret: 'a secret' }, 404],
  ['POST', '/clients/nobody/preview', { grant_type: 'client_credentials' }, 404],
];

const roles = { roles: ['SystemAdministrator', 'IdpAdministrator'] };
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

describe('a grave act', () => {
  let realm: Realm;
  let accounts: Accounts;
  let forMfa: Replica;
  let client: Credentials;
  let admin: Visitor;
  let stale: string;
  let unlimited: string;

  beforeAll(async () => {
    realm = await startRealm({ DYNAMIC_REGISTRATION: 'token' });
    accounts = await useAccounts(realm);
    forMfa = await startReplica(realm, { ADMINISTRATION_ACR: 'urn:gatehouse:acr:mfa' });
    client = await register({ administration_max_age: 900, access_token_validity: 3600 });
    admin = await accounts.signIn(roles);
    stale = await tokenOf(client);
    unlimited = await tokenOf(await register({ access_token_validity: 86_400 }));
    realm.advance(901_000);
  });
  afterAll(async () => {
    await forMfa.close();
    await realm.close();
  });

  const register = (fields: object) =>
    accounts.registerClient({
      scope: ['openid', 'roles'],
      authorized_grant_types: ['authorization_code', 'refresh_token'],
      ...fields,
    });
  const tokenOf = async (by: Credentials) => (await accounts.obtainTokens(admin, by)).access_token;
  const signedIn = () => accounts.signIn(roles);
  const call = (
    bearer: string,
    [method, path, json]: (typeof grave)[number],
    { send }: Pick<Replica, 'send'> = realm,
  ) => send(path, { method, bearer, ...(json && { json }) });
  const challengeOf = async (...request: Parameters<typeof call>) => {
    const { status, headers } = await call(...request);
    return [status, headers['www-authenticate']];
  };

  it.each(grave)('takes a fresh sign-in where the client says so, at %s %s %j', async (...act) => {
    const [status, challenge] = await challengeOf(stale, act);
    expect([status, challenge]).toEqual([
      401,
      expect.stringMatching(
        /^Bearer .*error="insufficient_user_authentication".*, max_age="900", DPoP .*max_age="900"$/,
      ),
    ]);
    expect(challenge).not.toContain('acr_values');
  });

  it.each(mild)('is not %s %s %j', async (...act) => {
    expect((await call(stale, act)).status).toBe(act[3]);
  });

  it.each(grave)('is done by who signed in again, at %s %s %j', async (...act) => {
    const again = await accounts.signInAs(admin.user);
    const { access_token: fresh } = await accounts.obtainTokens(again, client);
    expect((await call(fresh, act)).status).toBe(act[3]);
  });

  it('names the level that administration asks for, too', async () => {
    const withApp = await signedIn();
    const { secret } = await accounts.addCodeApp(withApp);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const { access_token: token } = await accounts.obtainTokens(withApp, client);
    realm.advance(901_000);
    expect(await challengeOf(token, ['DELETE', '/clients/nobody', undefined, 0], forMfa)).toEqual([
      401,
      expect.stringMatching(/acr_values="urn:gatehouse:acr:mfa", max_age="900"/),
    ]);
  });

  it('is told after 403, and is no refusal of the audit trail', async () => {
    const [reader, other] = [await accounts.signIn(), await accounts.signIn(roles)];
    const tokens = [await accounts.obtainTokens(reader, client), await accounts.obtainTokens(other, client)];
    realm.advance(901_000);
    const act = ['POST', '/clients', { nonsense: true }, 0] as const;
    expect(await Promise.all(tokens.map(async (one) => (await call(one.access_token, [...act])).status))).toEqual([
      403, 401,
    ]);
    const events = await realm.send('/audit-events?type=administrator.refused', { basic: administrator });
    expect(events.text).toContain(reader.user.username);
    expect(events.text).not.toContain(other.user.username);
  });

  it.each(grave)('is as before by Basic, and by a token of another client, at %s %s %j', async (...act) => {
    const [method, path, json, status] = act;
    const byBasic = await realm.send(path, { method, basic: administrator, ...(json && { json }) });
    expect([byBasic.status, (await call(unlimited, act)).status]).toEqual([status, status]);
  });

  it('is as before by a service account', async () => {
    const robot = await accounts.createPerson({ userType: 'Robot', password: undefined, ...roles });
    const account = await register({
      authorized_grant_types: ['service_account'],
      redirect_uri: undefined,
      srvc_ac_user_name: robot.username,
      administration_max_age: 60,
    });
    const { access_token: token } = await realm.tokens(account, { grant_type: 'service_account' });
    expect(readClaims(token)).toMatchObject({ administration_max_age: 60 });
    expect((await call(token, ['DELETE', '/clients/nobody', undefined, 404])).status).toBe(404);
  });

  describe('administration_max_age', () => {
    const change = (json: object) =>
      realm.send(`/clients/${client.client_id}`, { method: 'PATCH', basic: administrator, json });

    it.each([59, 86_401, 60.5, '60', true])('is refused as %j', async (value) => {
      const { status, text } = await change({ administration_max_age: value });
      expect([status, text]).toEqual([
        400,
        expect.stringContaining('must be an integer number of seconds from 60 to 86400, or null'),
      ]);
    });

    it('is shown, and taken away by null', async () => {
      const own = await register({ administration_max_age: 60 });
      const of = (json: object) =>
        realm.send(`/clients/${own.client_id}`, { method: 'PATCH', basic: administrator, json });
      expect((await of({ administration_max_age: 86_400 })).json()).toMatchObject({ administration_max_age: 86_400 });
      expect((await of({ administration_max_age: null })).json()).not.toHaveProperty('administration_max_age');
      expect(readClaims((await accounts.obtainTokens(await signedIn(), own)).access_token)).not.toHaveProperty(
        'administration_max_age',
      );
    });

    it('stands in tokens for org-api, and in exchanged ones with the stricter limit', async () => {
      const [service, strict] = await Promise.all([
        register({
          authorized_grant_types: [exchange],
          exchange_audiences: [realm.orgUrl],
          exchange_from: [client.client_id],
          redirect_uri: undefined,
        }),
        register({
          authorized_grant_types: [exchange],
          exchange_audiences: [realm.orgUrl],
          exchange_from: [client.client_id],
          redirect_uri: undefined,
          administration_max_age: 60,
        }),
      ]);
      const { access_token: subject } = await accounts.obtainTokens(await signedIn(), client);
      expect(readClaims(subject)).toMatchObject({ administration_max_age: 900 });
      const limitOf = async (by: Credentials) => {
        const form = { grant_type: exchange, subject_token: subject, subject_token_type: accessTokenType };
        return readClaims((await realm.tokens(by, form)).access_token).administration_max_age;
      };
      expect([await limitOf(service), await limitOf(strict)]).toEqual([900, 60]);
    });
  });
});
