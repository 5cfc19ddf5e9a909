import { createClientKey, readHiddenFields, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deviceGrant, useDevices } from '../support/device.ts';
import {
  accessTokenType,
  createExchanges,
  type ExchangedClaims,
  type Secretive,
  scopesOf,
  tokenExchange,
} from '../support/exchanges.ts';
import { passwordOf, type Realm, readClaims, type TokenAnswer } from '../support/realm.ts';
import type { RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const invalidRequest = [400, 'invalid_request'];
const invalidScope = [400, 'invalid_scope'];

describe.each(testDialects)('token exchange (RFC 8693), on %s', (dialect) => {
  let realm: Realm;
  let exchanges: ReturnType<typeof createExchanges>;
  let orders: RegisteredResource;
  let bills: RegisteredResource;
  let read: string;
  let write: string;
  let pay: string;
  let refund: string;
  /** Through which users sign in, and the API of `orders` that exchanges its tokens for ones of `bills` or org-api. */
  let app: Secretive;
  let api: Secretive;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    exchanges = createExchanges(realm);
    [orders, bills] = [await exchanges.resources.create(), await exchanges.resources.create()];
    [read = '', write = '', pay = '', refund = ''] = scopesOf([orders, bills]);
    app = await exchanges.registerApp([orders, bills]);
    api = await exchanges.registerApi([app], orders, [orders, bills]);
  });
  afterAll(() => realm?.close());

  const uriOf = ({ resource }: RegisteredResource) => resource;
  const all = () => [uriOf(orders), uriOf(bills), realm.orgUrl];
  const both = () => [orders, bills];
  /** The access token for `orders` of a user whose grant has more. */
  const subjectOf = async (scope = `openid profile roles ${read} ${pay}`, user = 'user') =>
    (await exchanges.signIn(app, scope, all(), { user, form: { resource: uriOf(orders) } })).access_token;
  let subject: string;
  beforeEach(async () => {
    subject = await subjectOf();
  });
  const forBills = () => ({ resource: uriOf(bills) });
  const forOrgApi = () => ({ resource: realm.orgUrl });

  describe('gives a token', () => {
    it('for the next API, for the same user, with whom it acts through', async () => {
      const before = readClaims<ExchangedClaims>(subject);
      const answer = await exchanges.exchange(api, subject, forBills());
      expect(answer).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        issued_token_type: accessTokenType,
        expires_in: expect.any(Number),
        scope: pay,
      });
      const claims = readClaims<ExchangedClaims>(answer.access_token);
      const { sub, sub_type, username, auth_time, password_changed_at, grant_id } = before;
      expect([sub_type, username, auth_time]).toEqual(['user', 'user@example.com', expect.any(Number)]);
      expect(claims).toEqual({
        ...{ iss: realm.authUrl, sub, sub_type, username, auth_time, password_changed_at, grant_id },
        ...{ aud: uriOf(bills), scope: pay, client_id: api.client_id, act: { sub: api.client_id } },
        ...{ grant_client: app.client_id, jti: expect.any(String), status: expect.any(Object) },
        ...{ iat: expect.any(Number), exp: expect.any(Number), acr: 'urn:gatehouse:acr:password', amr: ['pwd'] },
      });
      expect(claims.jti).not.toBe(before.jti);
    });

    it('that is of the type which is asked for, where one is', async () => {
      const form = { ...forBills(), requested_token_type: accessTokenType };
      expect((await exchanges.exchange(api, subject, form)).issued_token_type).toBe(accessTokenType);
    });

    it('without an ID token and a refresh token, also with scope openid and offline_access', async () => {
      const changes = { scope: ['openid', 'offline_access'], exchange_audiences: [realm.orgUrl] };
      const client = await exchanges.registerApi([app], realm.orgUrl, [], changes);
      const tokens = await exchanges.signIn(app, 'openid offline_access', []);
      const answer = await exchanges.exchange(client, tokens.access_token);
      expect(answer.scope).toBe('openid offline_access');
      expect(Object.keys(answer)).not.toEqual(expect.arrayContaining(['id_token']));
      expect(Object.keys(answer)).not.toEqual(expect.arrayContaining(['refresh_token']));
    });

    it('that lives at most as long as the subject token, the client and the resource let it', async () => {
      const short = await exchanges.resources.create({ access_token_validity: 60 });
      const shortLived = await exchanges.registerApp([orders], { access_token_validity: 100 });
      const client = await exchanges.registerApi([app, shortLived], orders, [...both(), short]);
      const lifetime = async (token: string, form: Record<string, string>) => {
        const answer = await exchanges.exchange(client, token, form);
        const { exp, iat } = readClaims<ExchangedClaims>(answer.access_token);
        expect(Math.abs(answer.expires_in - (exp - iat))).toBeLessThanOrEqual(1);
        expect(exp).toBeLessThanOrEqual(readClaims<ExchangedClaims>(token).exp);
        return exp - iat;
      };
      expect(await lifetime(subject, forBills())).toBeGreaterThan(1_700);
      const [scope] = scopesOf([short]);
      const wide = await exchanges.registerApp([...both(), short]);
      await exchanges.change(client, { exchange_from: [wide.client_id, shortLived.client_id] });
      const resources = [uriOf(orders), short.resource];
      const form = { resource: uriOf(orders) };
      const tokens = await exchanges.signIn(wide, `openid ${read} ${scope}`, resources, { form });
      expect(await lifetime(tokens.access_token, { resource: short.resource })).toBe(60);
      const brief = await exchanges.signIn(shortLived, `openid ${read}`, [uriOf(orders)]);
      expect(await lifetime(brief.access_token, { resource: uriOf(orders) })).toBeLessThanOrEqual(100);
      await exchanges.change(client, { access_token_validity: 30 });
      expect(await lifetime(brief.access_token, { resource: uriOf(orders) })).toBe(30);
    });

    it('for a client that acts for itself: it stays the one that the token stands for', async () => {
      const form = { grant_type: 'client_credentials', resource: uriOf(orders), scope: read };
      const own = await realm.tokens(app, form as Record<string, string>);
      const claims = await exchanges.claims(api, own.access_token, forBills());
      expect(claims).toMatchObject({
        ...{ sub: app.client_id, sub_type: 'client', client_id: api.client_id, act: { sub: api.client_id } },
        ...{ aud: uriOf(bills), scope: `${pay} ${refund}` },
      });
      for (const name of ['username', 'auth_time', 'password_changed_at']) expect(claims).not.toHaveProperty(name);
      const refused = await realm.send('/oauth/userinfo', {
        bearer: (await exchanges.exchange(api, own.access_token, forOrgApi())).access_token,
      });
      expect([refused.status, refused.json().error]).toEqual([401, 'invalid_token']);
    });

    it('for a Robot, within the scope that its client has now', async () => {
      const robot = await exchanges.registerApp(both(), {
        ...{ authorized_grant_types: ['service_account'], srvc_ac_user_name: 'robot@example.com' },
        redirect_uri: undefined,
      });
      const client = await exchanges.registerApi([robot], orders, both());
      const own = await realm.tokens(robot, { grant_type: 'client_credentials', ...{ resource: uriOf(orders) } });
      const { sub } = readClaims<ExchangedClaims>(own.access_token);
      expect(await exchanges.claims(client, own.access_token, forBills())).toMatchObject({
        ...{ sub, sub_type: 'user', username: 'robot@example.com', scope: `${pay} ${refund}` },
      });
      await exchanges.change(robot, { scope: [read, refund] });
      expect(await exchanges.claims(client, own.access_token, forBills())).toMatchObject({ scope: refund });
    });

    it('to a client whose own it is, where it names no others', async () => {
      const own = await exchanges.registerApi([], orders, both());
      const form = { grant_type: 'client_credentials', resource: uriOf(orders) };
      const { access_token: token } = await realm.tokens(own, form);
      expect(await exchanges.claims(own, token, forBills())).toMatchObject({
        ...{ sub: own.client_id, act: { sub: own.client_id }, aud: uriOf(bills) },
      });
      expect(await exchanges.fault(own, subject, forBills())).toEqual(invalidRequest);
    });

    it('of its default resource where it names none', async () => {
      expect(await exchanges.claims(api, subject)).toMatchObject({ aud: realm.orgUrl });
      const client = await exchanges.registerApi([app], orders, both(), {
        default_resource: uriOf(bills),
      });
      expect(await exchanges.claims(client, subject)).toMatchObject({ aud: uriOf(bills) });
    });

    it('that introspection shows with its actors, and without what is of this server alone', async () => {
      const { access_token: token } = await exchanges.exchange(api, subject, forBills());
      const shown = await exchanges.introspect(app, token);
      expect(shown).toMatchObject({ active: true, act: { sub: api.client_id }, aud: uriOf(bills), scope: pay });
      for (const name of ['grant_client', 'grant_id', 'password_changed_at']) expect(shown).not.toHaveProperty(name);
    });
  });

  describe('takes as subject token an access token of this server that is in force', () => {
    it.each<[string, (token: string) => string]>([
      ['no token', () => 'no-token'],
      ['cut', (token) => token.slice(0, -4)],
      ['with another signature', (token) => `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`],
      ['very long', () => 'x'.repeat(50_000)],
      ['hostile', () => '{"alg":"none"}.\u0000.\uffff'],
    ])('none that is %s', async (_what, forge) => {
      expect(await exchanges.fault(api, forge(subject), forBills())).toEqual(invalidRequest);
    });

    it('no ID token, no refresh token, none that expired, none that was revoked', async () => {
      const tokens = await exchanges.signIn(app, `openid offline_access ${read} ${pay}`, all());
      for (const other of [tokens.id_token, tokens.refresh_token]) {
        expect(await exchanges.fault(api, other ?? '', forBills())).toEqual(invalidRequest);
      }
      await exchanges.revoke(app, subject);
      expect(await exchanges.fault(api, subject, forBills())).toEqual(invalidRequest);
    });

    it('none of a client that exchange_from does not name', async () => {
      const other = await exchanges.registerApp(both());
      const { access_token: token } = await exchanges.signIn(other, `openid ${read}`, [uriOf(orders)]);
      const answer = await exchanges.request(api, token, forBills());
      expect([answer.status, answer.json()]).toEqual([
        400,
        { error: 'invalid_request', error_description: expect.stringContaining('exchange_from') },
      ]);
    });

    it('none for a resource that exchange_audiences does not name', async () => {
      const form = { resource: uriOf(bills) };
      const { access_token: token } = await exchanges.signIn(app, `openid ${read} ${pay}`, all(), { form });
      const answer = await exchanges.request(api, token, forOrgApi());
      expect([answer.status, answer.json()]).toEqual([
        400,
        { error: 'invalid_request', error_description: expect.stringContaining('exchange_audiences') },
      ]);
    });

    it.each([
      ['subject_token_type', 'urn:ietf:params:oauth:token-type:refresh_token'],
      ['subject_token_type', 'urn:ietf:params:oauth:token-type:jwt'],
      ['subject_token_type', ''],
      ['subject_token', ''],
      ['requested_token_type', 'urn:ietf:params:oauth:token-type:id_token'],
      ['requested_token_type', 'access_token'],
      ['actor_token', 'a-token'],
      ['actor_token_type', accessTokenType],
      ['audience', 'https://orders.example.com'],
    ])('refuses a request with %s %s', async (name, value) => {
      const answer = await exchanges.request(api, subject, { ...forBills(), [name]: value });
      expect([answer.status, answer.json().error]).toEqual(invalidRequest);
      expect(answer.json().error_description).toContain(name);
    });
  });

  describe('has a scope', () => {
    it('within the grant behind the subject token, the exchanger’s scope and the target resource', async () => {
      expect(await exchanges.claims(api, subject, forBills())).toMatchObject({ scope: pay });
      expect(await exchanges.claims(api, subject, { ...forBills(), scope: pay })).toMatchObject({ scope: pay });
      // What the client may request and the user did not grant is left out.
      expect(await exchanges.claims(api, subject, { ...forBills(), scope: `${pay} ${refund}` })).toMatchObject({
        scope: pay,
      });
      expect(await exchanges.claims(api, subject, forOrgApi())).toMatchObject({ scope: 'openid profile roles' });
      const narrow = await exchanges.registerApi([app], orders, both(), { scope: ['openid'] });
      expect(await exchanges.claims(narrow, subject, forOrgApi())).toMatchObject({ scope: 'openid' });
      expect(await exchanges.fault(narrow, subject, forBills())).toEqual(invalidScope);
    });

    it('or is refused where nothing is left', async () => {
      expect(await exchanges.fault(api, subject, { ...forBills(), scope: refund })).toEqual(invalidScope);
      expect(await exchanges.fault(api, subject, { ...forBills(), scope: read })).toEqual(invalidScope);
      expect(await exchanges.fault(api, subject, { ...forBills(), scope: 'openid' })).toEqual(invalidScope);
      expect(await exchanges.fault(api, subject, { ...forOrgApi(), scope: 'email' })).toEqual(invalidScope);
      const { access_token: token } = await exchanges.signIn(app, `openid ${read}`, [uriOf(orders)]);
      expect(await exchanges.fault(api, token, forBills())).toEqual(invalidScope);
      // The user granted scope openid, but not org-api.
      expect(await exchanges.fault(api, token, forOrgApi())).toEqual(invalidScope);
    });

    it('less what the client of the grant was since denied', async () => {
      const client = await exchanges.registerApp(both());
      const exchanger = await exchanges.registerApi([client], orders, both());
      const scope = `openid ${read} ${pay} ${refund}`;
      const form = { resource: uriOf(orders) };
      const { access_token: token } = await exchanges.signIn(client, scope, all(), { form });
      expect(await exchanges.claims(exchanger, token, forBills())).toMatchObject({ scope: `${pay} ${refund}` });
      await exchanges.change(client, { scope: ['openid', read, refund] });
      expect(await exchanges.claims(exchanger, token, forBills())).toMatchObject({ scope: refund });
      await exchanges.change(client, { resources: [realm.orgUrl, uriOf(orders)] });
      expect(await exchanges.fault(exchanger, token, forBills())).toEqual(invalidScope);
    });

    it('by the ids of what was granted: a scope made again, or a resource, is not granted', async () => {
      const again = await exchanges.resources.create();
      const [one = '', other = ''] = scopesOf([again]);
      const client = await exchanges.registerApp([orders, again]);
      const exchanger = await exchanges.registerApi([client], orders, [again]);
      const form = { resource: uriOf(orders) };
      const resources = [uriOf(orders), again.resource];
      const { access_token: token } = await exchanges.signIn(client, `${read} ${one} ${other}`, resources, { form });
      const target = { resource: again.resource };
      await exchanges.resources.change(again.id, { scopes: [{ name: one }] });
      await exchanges.resources.change(again.id, { scopes: [{ name: one }, { name: other }] });
      expect(await exchanges.claims(exchanger, token, target)).toMatchObject({ scope: one });
      await exchanges.resources.delete(again.id);
      expect(await exchanges.fault(exchanger, token, target)).toEqual([400, 'invalid_target']);
      await exchanges.resources.create({ resource: again.resource, scopes: [{ name: one }] });
      expect(await exchanges.fault(exchanger, token, target)).toEqual(invalidScope);
    });

    it('of the grant by a password, which has a row or is known by the subject token alone', async () => {
      const withRow = await exchanges.byPassword(app, 'user', { resource: uriOf(orders), scope: `openid ${read}` });
      expect(await exchanges.claims(api, withRow.access_token, { resource: uriOf(orders) })).toMatchObject({
        scope: read,
      });
      const rowless = await exchanges.registerApp(both(), { authorized_grant_types: ['password'] });
      const client = await exchanges.registerApi([rowless], orders, both());
      const plain = await exchanges.byPassword(rowless, 'user', { resource: uriOf(orders), scope: `openid ${read}` });
      expect(plain.refresh_token).toBeUndefined();
      expect(await exchanges.claims(client, plain.access_token, { resource: uriOf(orders) })).toMatchObject({
        scope: read,
      });
      expect(await exchanges.fault(client, plain.access_token, forBills())).toEqual(invalidScope);
      expect(await exchanges.fault(client, plain.access_token, forOrgApi())).toEqual(invalidScope);
    });

    it('of the grant by a code, where there is no refresh token', async () => {
      const client = await exchanges.registerApp(both(), { authorized_grant_types: ['authorization_code'] });
      const exchanger = await exchanges.registerApi([client], orders, both());
      const form = { resource: uriOf(orders) };
      const tokens = await exchanges.signIn(client, `openid ${read} ${pay}`, all(), { form });
      expect(tokens.refresh_token).toBeUndefined();
      expect(await exchanges.claims(exchanger, tokens.access_token, forBills())).toMatchObject({ scope: pay });
      expect(await exchanges.claims(exchanger, tokens.access_token, forOrgApi())).toMatchObject({ scope: 'openid' });
      expect(await exchanges.fault(exchanger, tokens.access_token, { ...forBills(), scope: refund })).toEqual(
        invalidScope,
      );
    });

    describe('of the grant by a device, where there is no refresh token', () => {
      /** An access token for `orders` of a device whose user allowed more. */
      const connect = async (changes: object = {}, user: 'user' | 'admin' = 'user') => {
        const devices = useDevices(realm);
        const device = await exchanges.registerApp(both(), { authorized_grant_types: [deviceGrant], ...changes });
        const exchanger = await exchanges.registerApi([device], orders, both());
        const form = new URLSearchParams({ scope: `openid profile ${read} ${pay}` });
        for (const uri of all()) form.append('resource', uri);
        const started = await devices.start(device, form.toString());
        await devices.decide(started, { user: passwordOf(user) });
        const tokens = (await devices.poll(device, started, { resource: uriOf(orders) })).json<TokenAnswer>();
        expect(tokens.refresh_token).toBeUndefined();
        return { device, exchanger, token: tokens.access_token };
      };

      it('within what the user allowed on the page of the device, and without roles', async () => {
        const { exchanger, token } = await connect({}, 'admin');
        expect(await exchanges.claims(exchanger, token, forBills())).toMatchObject({ scope: pay });
        const forUser = await exchanges.exchange(exchanger, token, forOrgApi());
        expect(readClaims(forUser.access_token)).toMatchObject({ scope: 'openid profile', ceiling: [] });
        for (const form of [
          { ...forBills(), scope: refund },
          { ...forOrgApi(), scope: 'roles' },
        ]) {
          expect(await exchanges.fault(exchanger, token, form)).toEqual(invalidScope);
        }
      });

      it('less what its client was since denied', async () => {
        const { device, exchanger, token } = await connect();
        await exchanges.change(device, { scope: ['openid', read] });
        expect(await exchanges.fault(exchanger, token, forBills())).toEqual(invalidScope);
        expect(await exchanges.claims(exchanger, token, forOrgApi())).toMatchObject({ scope: 'openid' });
      });

      it('of a third-party client as long as its user allows it, and ends with the consent', async () => {
        const { exchanger, token } = await connect({ require_consent: true });
        const { access_token: exchanged } = await exchanges.exchange(exchanger, token, forBills());
        expect(readClaims(exchanged)).toMatchObject({ third_party: true, scope: pay });
        const browser = await useDevices(realm).signIn();
        const url = `${realm.url}/oauth/consents`;
        await browser.post(url, readHiddenFields((await browser.get(url)).text));
        expect(await exchanges.introspect(exchanger, exchanged)).toEqual({ active: false });
        expect(await exchanges.isRevokedInList(exchanged)).toBe(true);
        expect(await exchanges.fault(exchanger, token, forBills())).toEqual(invalidRequest);
      });
    });

    it('of a resource of the exchanger, or is refused by invalid_target', async () => {
      const form = { resource: 'https://unknown.example.com/' };
      expect(await exchanges.fault(api, subject, form)).toEqual([400, 'invalid_target']);
      const narrow = await exchanges.registerApi([app], orders, [], { scope: ['openid'] });
      expect(await exchanges.fault(narrow, subject, forBills())).toEqual([400, 'invalid_target']);
    });
  });

  describe('is no way up', () => {
    const administrate = (bearer: string) => realm.send('/clients', { bearer });
    const createUser = async (token: string, username: string) => {
      const body = JSON.stringify({ username, userType: 'Robot' });
      const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
      return (await exchanges.askOrgApi('user', token, init)).status;
    };

    it('roles can be used only where scope roles was granted', async () => {
      const scope = `openid profile ${read} ${pay}`;
      const [without, withRoles] = await Promise.all([subjectOf(scope, 'admin'), subjectOf(`${scope} roles`, 'admin')]);
      const plain = await exchanges.exchange(api, without, forOrgApi());
      const claims = readClaims<ExchangedClaims>(plain.access_token);
      expect(claims).toMatchObject({ aud: realm.orgUrl, ceiling: [] });
      expect(claims).not.toHaveProperty('roles');
      expect((await administrate(plain.access_token)).status).toBe(403);
      expect(await createUser(plain.access_token, 'way-up@example.com')).toBe(403);
      expect((await realm.send('/oauth/userinfo', { bearer: plain.access_token })).json()).not.toHaveProperty('roles');

      const full = await exchanges.exchange(api, withRoles, forOrgApi());
      expect(readClaims(full.access_token)).toMatchObject({ roles: ['SystemAdministrator'] });
      expect(readClaims(full.access_token)).not.toHaveProperty('ceiling');
      expect((await administrate(full.access_token)).status).toBe(200);
      // What was granted is narrowed: the token of less scope has no roles again.
      const narrowed = await exchanges.exchange(api, withRoles, { ...forOrgApi(), scope: 'openid' });
      expect((await administrate(narrowed.access_token)).status).toBe(403);
    });

    it('the smaller ceiling stays, through every exchange', async () => {
      const idp: [string, string] = ['idp.admin@example.com', 'idp-password'];
      const registerAs = async (basic: [string, string], json: object) => {
        const answer = await realm.send('/clients', { basic, json });
        expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      };
      const lowApp = exchanges.createCredentials('low-app');
      const lowApi = exchanges.createCredentials('low-api');
      const common = { scope: ['openid', 'roles', read, pay], resources: all() };
      await registerAs(idp, {
        ...{ ...lowApp, ...common, authorized_grant_types: ['password', 'refresh_token'] },
      });
      await registerAs(idp, {
        ...{ ...lowApi, ...common, authorized_grant_types: [tokenExchange] },
        ...{ exchange_from: [lowApp.client_id], exchange_audiences: [uriOf(orders)] },
      });
      // The other client may use more roles: a SystemAdministrator alone names it, which raises no ceiling.
      await exchanges.change(lowApi, { exchange_from: [lowApp.client_id, app.client_id] });
      const high = await exchanges.registerApi([app, lowApp, lowApi, api], orders, both());
      await exchanges.change(high, { exchange_audiences: [uriOf(orders), uriOf(bills), realm.orgUrl] });
      const ceiling = ['IdpAdministrator', 'DirectoryReader'];

      // Of the client that the subject token was issued to: by itself, and by way of a token for another API.
      const changed = await exchanges.signIn(app, `roles ${read} ${pay}`, all(), {
        ...{ user: 'admin', form: { resource: uriOf(orders) } },
      });
      const viaLow = await exchanges.exchange(lowApi, changed.access_token, { resource: uriOf(bills) });
      expect(readClaims(viaLow.access_token)).toMatchObject({ ceiling });
      const up = await exchanges.exchange(high, viaLow.access_token, { ...forOrgApi(), scope: 'roles' });
      expect(readClaims(up.access_token)).toMatchObject({ ceiling, roles: [] });
      expect((await administrate(up.access_token)).status).toBe(403);
      expect(await createUser(up.access_token, 'way-up@example.com')).toBe(403);

      const low = await exchanges.byPassword(lowApp, 'admin', { resource: realm.orgUrl, scope: 'openid roles' });
      const fromLow = await exchanges.exchange(high, low.access_token, { ...forOrgApi(), scope: 'roles' });
      expect(readClaims(fromLow.access_token)).toMatchObject({ ceiling, roles: [] });
      expect((await administrate(fromLow.access_token)).status).toBe(403);
    });

    it('a token that cannot use roles gives none that can', async () => {
      const high = await exchanges.registerApi([api], realm.orgUrl, both());
      const withRoles = await subjectOf(`openid roles ${read}`, 'admin');
      const none = await exchanges.exchange(api, withRoles, { ...forOrgApi(), scope: 'openid' });
      const again = await exchanges.exchange(high, none.access_token, { ...forOrgApi(), scope: 'openid roles' });
      expect(readClaims(again.access_token)).toMatchObject({ ceiling: [], roles: [] });
      expect((await administrate(again.access_token)).status).toBe(403);
    });

    it('what the user of a third-party client allowed stays the limit', async () => {
      const asking = await exchanges.registerApp(both(), {
        ...{ require_consent: true, authorized_grant_types: ['authorization_code', 'refresh_token'] },
      });
      const exchanger = await exchanges.registerApi([asking], orders, both());
      const options = { allow: true, user: 'admin', form: { resource: uriOf(orders) } };
      const tokens = await exchanges.signIn(asking, `openid ${read} ${pay}`, all(), options);
      const claims = await exchanges.claims(exchanger, tokens.access_token, forBills());
      expect(claims).toMatchObject({ third_party: true, scope: pay });
      expect(claims).not.toHaveProperty('username');
      const forUser = await exchanges.exchange(exchanger, tokens.access_token, forOrgApi());
      expect(readClaims(forUser.access_token)).toMatchObject({ third_party: true, scope: 'openid' });
      const details = await exchanges.askOrgApi('user/allDetails/userId/admin@example.com', forUser.access_token);
      expect(Object.keys((await details.json()) as object).sort()).toEqual(['enabled', 'id', 'userType']);
      expect((await administrate(forUser.access_token)).status).toBe(403);
      const userinfo = await realm.send('/oauth/userinfo', { bearer: forUser.access_token });
      expect(Object.keys(userinfo.json())).toEqual(['sub']);
      expect(await exchanges.fault(exchanger, tokens.access_token, { ...forOrgApi(), scope: 'profile' })).toEqual(
        invalidScope,
      );
      const again = await exchanges.registerApi([exchanger], uriOf(bills), both());
      const { access_token: chained } = await exchanges.exchange(exchanger, tokens.access_token, forBills());
      expect(await exchanges.claims(again, chained, forOrgApi())).toMatchObject({ third_party: true, scope: 'openid' });
    });

    it('RFC 9449: a bound token gives a bound one only, to a key of the exchanger', async () => {
      const [holder, own] = [createClientKey(), createClientKey()];
      const htu = `${realm.authUrl}/oauth/token`;
      const nonce = async () => {
        const form = { grant_type: 'client_credentials' };
        const headers = { dpop: own.proof({ htm: 'POST', htu }) };
        return String((await realm.tokenRequest(app, form, headers)).headers['dpop-nonce']);
      };
      const proofOf = async (key: typeof own) => ({ dpop: key.proof({ htm: 'POST', htu, nonce: await nonce() }) });
      const form = { grant_type: 'client_credentials', resource: uriOf(orders) };
      const bound = await realm.tokens(app, form, await proofOf(holder));
      expect(bound.token_type).toBe('DPoP');
      expect(await exchanges.fault(api, bound.access_token, forBills())).toEqual([400, 'invalid_dpop_proof']);
      const answer = await exchanges.exchange(api, bound.access_token, forBills(), await proofOf(own));
      expect(answer.token_type).toBe('DPoP');
      const { cnf } = readClaims<{ cnf: { jkt: string } }>(answer.access_token);
      expect(cnf.jkt).not.toBe(readClaims<{ cnf: { jkt: string } }>(bound.access_token).cnf.jkt);
      // A bearer token may become a bound one.
      expect((await exchanges.exchange(api, subject, forBills(), await proofOf(own))).token_type).toBe('DPoP');
    });

    it('no client without the grant type, and no public client, exchanges a token', async () => {
      expect(await exchanges.fault(app, subject)).toEqual([400, 'unauthorized_client']);
      const form = { grant_type: tokenExchange, subject_token: subject, subject_token_type: accessTokenType };
      const anonymous = await realm.send('/oauth/token', { form: { ...form, client_id: api.client_id } });
      expect([anonymous.status, anonymous.json().error]).toEqual([401, 'invalid_client']);
    });
  });

  describe('names who acts', () => {
    it('each exchanger with those before, at most five deep', async () => {
      const chain = await exchanges.registerApi([app, api], orders, both());
      await exchanges.change(chain, {
        ...{ exchange_from: [app.client_id, api.client_id, chain.client_id] },
        ...{ exchange_audiences: [uriOf(orders), uriOf(bills)] },
      });
      let token = (await exchanges.exchange(api, subject, forBills())).access_token;
      let act: object = { sub: api.client_id };
      for (let depth = 2; depth <= 5; depth += 1) {
        token = (await exchanges.exchange(chain, token, forBills())).access_token;
        act = { sub: chain.client_id, act };
        expect(readClaims(token)).toMatchObject({ act, client_id: chain.client_id, scope: pay });
        expect(readClaims(token).sub).toBe(readClaims(subject).sub);
      }
      expect((await exchanges.introspect(app, token)).act).toEqual(act);
      const sixth = await exchanges.request(chain, token, forBills());
      expect([sixth.status, sixth.json().error]).toEqual(invalidRequest);
      expect(sixth.json().error_description).toContain('5');
    });

    it('a token of a client itself stays that client’s through the chain', async () => {
      const chain = await exchanges.registerApi([api], bills, both());
      const own = await realm.tokens(app, { grant_type: 'client_credentials', ...{ resource: uriOf(orders) } });
      const first = await exchanges.exchange(api, own.access_token, { ...forBills(), scope: pay });
      const claims = await exchanges.claims(chain, first.access_token, { resource: uriOf(orders) });
      expect(claims).toMatchObject({ sub: app.client_id, sub_type: 'client', scope: `${read} ${write}` });
    });
  });

  it('is counted by its grant type', async () => {
    await exchanges.exchange(api, subject, forBills());
    await exchanges.fault(api, 'no-token');
    const text = await realm.deps.metrics.print();
    expect(text).toContain(`gatehouse_token_requests_total{grant_type="${tokenExchange}",outcome="issued"}`);
    expect(text).toContain(`gatehouse_token_requests_total{grant_type="${tokenExchange}",outcome="invalid_request"}`);
  });

  it('stands in the metadata', async () => {
    const metadata = (await realm.send('/.well-known/openid-configuration')).json<{
      grant_types_supported: string[];
    }>();
    expect(metadata.grant_types_supported).toContain(tokenExchange);
  });

  it('keeps no token in the database', async () => {
    await exchanges.exchange(api, subject, forBills());
    const rows = await realm.deps.database.query('SELECT * FROM grant_statuses');
    expect(JSON.stringify(rows)).not.toContain('eyJ');
    expect(rows.length).toBeGreaterThan(0);
  });
});
