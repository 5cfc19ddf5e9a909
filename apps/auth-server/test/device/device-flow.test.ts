import { createGuessCounts } from '@gatehouse/service-kit/guess-limit';
import { createClientKey, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rowFromDeviceCode } from '../../src/codes/device-code-row.ts';
import { createCodeGuesses } from '../../src/device/code-guesses.ts';
import { buildDeviceCode } from '../support/builders.ts';
import { commandLine, deviceGrant, useDevices } from '../support/device.ts';
import { interruptNext } from '../support/interruption.ts';
import { administrator, type Realm, readClaims, type TokenAnswer } from '../support/realm.ts';
import { administerResources, type RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const machine = {
  client_id: 'television',
  client_secret: 'television-secret',
  scope: ['openid', 'profile', 'email', 'roles', 'offline_access'],
  authorized_grant_types: [deviceGrant, 'refresh_token'],
};
const thirdParty = { ...machine, client_id: 'third-party', require_consent: true };
const adminForm = { username: administrator[0], password: administrator[1] };
const minute = 60_000;

describe.each(testDialects)('device authorization (RFC 8628) on %s', (dialect) => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    devices = useDevices(realm);
    for (const client of [commandLine, machine, thirdParty]) await realm.register(client);
    await realm.register({ ...machine, client_id: 'no-refresh', authorized_grant_types: [deviceGrant] });
    await realm.register({ ...machine, client_id: 'other', authorized_grant_types: ['client_credentials'] });
  });
  /** A minute of the clock and five minutes of guesses to each test. */
  beforeEach(() => realm.advance(6 * minute));
  afterAll(() => realm.close());

  const readError = (answer: { status: number; json(): { error?: string } }) => [answer.status, answer.json().error];
  const pending = [400, 'authorization_pending'];
  const slowDown = [400, 'slow_down'];
  const invalid = [400, 'invalid_grant'];
  const clientsOf = (token: string) => realm.send('/clients', { bearer: token });
  /** The details of another user, which need a role. */
  const detailsOf = async (token: string, username = 'user@example.com') => {
    const path = `/organization/api/organization/user/allDetails/userId/${username}`;
    const answer = await fetch(realm.orgUrl + path, { headers: { authorization: `Bearer ${token}` } });
    return answer.status;
  };
  const refresh = (client: Parameters<typeof realm.tokens>[0], { refresh_token = '' }: TokenAnswer, form = {}) =>
    realm.tokenRequest(client, { grant_type: 'refresh_token', refresh_token, ...form });

  describe('the device', () => {
    it.each([
      ['a public client', commandLine],
      ['a confidential client', machine],
    ])('gets a code, asks, and gets tokens once its user allowed it: %s', async (_kind, client) => {
      const answer = await devices.authorize(client, { scope: 'openid profile' });
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      const started = answer.json<Awaited<ReturnType<typeof devices.start>>>();
      expect(started).toEqual({
        device_code: expect.stringMatching(/^[\w-]{43}$/),
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verification_uri: `${realm.authUrl}/oauth/device`,
        verification_uri_complete: `${realm.authUrl}/oauth/device?user_code=${started.user_code}`,
        expires_in: 600,
        interval: 5,
      });
      expect(readError(await devices.poll(client, started))).toEqual(pending);
      const decided = await devices.decide(started);
      expect([decided.status, decided.text]).toEqual([200, expect.stringContaining('The device is connected')]);
      // The pace does not matter any more.
      const tokens = (await devices.poll(client, started)).json<TokenAnswer>();
      expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid profile' });
      expect([tokens.refresh_token, tokens.id_token]).toEqual([expect.any(String), expect.any(String)]);
      expect(readClaims(tokens.access_token)).toMatchObject({ aud: realm.orgUrl, sub_type: 'user' });
      expect(readError(await devices.poll(client, started))).toEqual(invalid);
      expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(200);
    });

    it('asks every five seconds; who asks sooner waits five seconds more each time, for good', async () => {
      const started = await devices.start(machine);
      const pollAfter = async (milliseconds: number) => {
        realm.advance(milliseconds);
        return readError(await devices.poll(machine, started));
      };
      expect(await pollAfter(0)).toEqual(pending);
      expect(await pollAfter(5_000)).toEqual(pending);
      expect(await pollAfter(3_000)).toEqual(slowDown);
      expect(await pollAfter(6_000)).toEqual(slowDown);
      expect(await pollAfter(15_000)).toEqual(pending);
      expect(await pollAfter(12_000)).toEqual(slowDown);
      expect(await pollAfter(20_000)).toEqual(pending);
    });

    it('is not slowed down by a poll in which its user decides', async () => {
      const started = await devices.start(machine);
      const isMet = interruptNext(realm.deps.database, /^UPDATE device_codes SET polled_at/, {
        before: () => devices.decide(started),
      });
      expect(readError(await devices.poll(machine, started))).toEqual(pending);
      expect([isMet(), (await devices.poll(machine, started)).status]).toEqual([true, 200]);
    });

    it('learns that its user denied it, with 400 as every error of the token endpoint', async () => {
      const started = await devices.start(machine);
      const decided = await devices.decide(started, { decision: 'deny' });
      expect(decided.text).toContain('The device is not connected');
      for (let times = 0; times < 2; times += 1)
        expect(readError(await devices.poll(machine, started))).toEqual([400, 'access_denied']);
    });

    it('learns that its code expired after ten minutes, allowed or not, and later that there is no such code', async () => {
      const [open, allowed] = [await devices.start(machine), await devices.start(machine)];
      await devices.decide(allowed);
      realm.advance(10 * minute - 5_000);
      const late = await devices.start(machine);
      realm.advance(5_000);
      for (const started of [open, allowed])
        expect(readError(await devices.poll(machine, started))).toEqual([400, 'expired_token']);
      expect(readError(await devices.poll(machine, late))).toEqual(pending);
    });

    it.each(['', 'x', 'x'.repeat(43)])('gets nothing for a code that is none: %j', async (code) => {
      const answer = await devices.poll(machine, { device_code: code });
      expect(readError(answer)).toEqual(code === '' ? [400, 'invalid_request'] : invalid);
    });

    it('gets nothing for the code of another client, and that takes nothing from it', async () => {
      const started = await devices.start(machine);
      await devices.decide(started);
      expect(readError(await devices.poll(commandLine, started))).toEqual(invalid);
      expect((await devices.poll(machine, started)).status).toBe(200);
    });

    it('gives tokens once to sixteen polls at the moment of approval, and those tokens work', async () => {
      const started = await devices.start(machine);
      await devices.decide(started);
      const answers = await Promise.all(Array.from({ length: 16 }, () => devices.poll(machine, started)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(400)]);
      const tokens = answers.find(({ status }) => status === 200)?.json<TokenAnswer>();
      expect((await realm.send('/oauth/userinfo', { bearer: tokens?.access_token ?? '' })).status).toBe(200);
      expect((await refresh(machine, tokens as TokenAnswer)).status).toBe(200);
    });

    it('gets no refresh token where its client is not registered for that grant type', async () => {
      const started = await devices.start({ ...machine, client_id: 'no-refresh' }, { scope: 'openid' });
      await devices.decide(started);
      const tokens = (await devices.poll({ ...machine, client_id: 'no-refresh' }, started)).json<TokenAnswer>();
      expect(tokens.refresh_token).toBeUndefined();
    });

    it('gets tokens bound to its key where it proves one, and so is the refresh token of a public client', async () => {
      const started = await devices.start(commandLine, { scope: 'openid' });
      await devices.decide(started);
      const key = createClientKey();
      const prove = (nonce?: string) => {
        const iat = Math.floor(realm.clock() / 1000);
        return key.proof({ htm: 'POST', htu: `${realm.authUrl}/oauth/token`, nonce, iat });
      };
      const form = { grant_type: deviceGrant, device_code: started.device_code };
      const first = await realm.tokenRequest(commandLine, form, { dpop: prove() });
      expect(readError(first)).toEqual([400, 'use_dpop_nonce']);
      const nonce = String(first.headers['dpop-nonce']);
      const tokens = await realm.tokens(commandLine, form, { dpop: prove(nonce) });
      expect(tokens.token_type).toBe('DPoP');
      expect(readError(await refresh(commandLine, tokens))).toEqual([400, 'invalid_dpop_proof']);
    });

    it('does without a scope: it gets all that its client may request', async () => {
      const tokens = await devices.connect(commandLine);
      expect(tokens.scope).toBe(commandLine.scope.join(' '));
    });
  });

  describe('the device authorization endpoint', () => {
    it.each([
      ['a wrong secret', { ...machine, client_secret: 'wrong' }, {}, [401, 'invalid_client']],
      ['no secret of a confidential client', { client_id: 'television' }, {}, [401, 'invalid_client']],
      ['an unknown client', { client_id: 'nobody' }, {}, [401, 'invalid_client']],
      ['a client without the grant type', { ...machine, client_id: 'other' }, {}, [400, 'unauthorized_client']],
      ['a scope that is not the client’s', machine, { scope: 'openid address' }, [400, 'invalid_scope']],
      ['a resource that is not the client’s', machine, { resource: 'https://x.example' }, [400, 'invalid_target']],
      ['a repeated parameter', machine, 'scope=openid&scope=profile', [400, 'invalid_request']],
    ])('refuses %s', async (_what, client, form, error) => {
      const answer = await devices.authorize(client, form);
      expect(readError(answer)).toEqual(error);
    });

    it('answers any origin, and names itself in the metadata', async () => {
      const answer = await devices.authorize(machine);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      for (const name of ['openid-configuration', 'oauth-authorization-server']) {
        const metadata = (await realm.send(`/.well-known/${name}`)).json<Record<string, unknown>>();
        expect(metadata).toMatchObject({
          device_authorization_endpoint: `${realm.authUrl}/oauth/device_authorization`,
          grant_types_supported: expect.arrayContaining([deviceGrant]),
        });
      }
    });

    it('lets a public client ask 30 times a minute from a network, and others go on', async () => {
      const ask = (address: string, client: Parameters<typeof devices.authorize>[0] = commandLine) =>
        devices.authorize(client, {}, { 'x-forwarded-for': address });
      realm.advance(minute - (realm.clock() % minute));
      const answers = await Promise.all(Array.from({ length: 32 }, () => ask('192.0.2.7')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(readError)).toEqual(Array(2).fill([429, 'temporarily_unavailable']));
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
      expect((await ask('192.0.2.8')).status).toBe(200);
      const confidential = await Promise.all(Array.from({ length: 32 }, () => ask('192.0.2.7', machine)));
      expect(confidential.map(({ status }) => status)).toEqual(Array(32).fill(200));
      // Its pushed requests and proofs have a budget of their own.
      const pushed = await realm.send('/oauth/par', {
        form: { client_id: commandLine.client_id },
        headers: { 'x-forwarded-for': '192.0.2.7' },
      });
      expect(pushed.status).toBe(400);
      realm.advance(minute);
      expect((await ask('192.0.2.7')).status).toBe(200);
    });

    it('answers 503 while 10,000 codes are open in the realm, and stores none', async () => {
      realm.advance(20 * minute);
      const { database: rows } = realm.deps;
      const { device_code } = await devices.start(machine);
      await fillWithOpenCodes(realm, 9_998);
      expect((await devices.authorize(machine)).status).toBe(200);
      const refused = await devices.authorize(machine);
      expect(readError(refused)).toEqual([503, 'temporarily_unavailable']);
      expect(refused.headers['retry-after']).toBe('30');
      const countOpen = async () => {
        const sql = 'SELECT COUNT(*) AS codes FROM device_codes WHERE open_until > ?';
        return Number((await rows.query<{ codes: number }>(sql, [realm.clock()]))[0]?.codes);
      };
      expect(await countOpen()).toBe(10_000);
      realm.advance(5_000);
      expect(readError(await devices.poll(machine, { device_code }))).toEqual(pending);
      realm.advance(10 * minute);
      expect((await devices.authorize(machine)).status).toBe(200);
    });
  });

  describe('the page', () => {
    it('asks who signs in before it looks at the code, and shows code, client, scopes and resource', async () => {
      const started = await devices.start(machine, { scope: 'openid profile roles' });
      const browser = createTestBrowser();
      const url = started.verification_uri_complete;
      const [known, unknown] = [await browser.get(url), await browser.get(`${devices.page}?user_code=BBBB-BBBB`)];
      for (const page of [known, unknown]) {
        expect([page.status, page.text]).toEqual([200, expect.stringContaining('to connect a device')]);
        expect(page.text).not.toContain(machine.client_id);
      }
      const page = await browser.submit(known, url, { username: 'user@example.com', password: 'user-password' });
      expect(page.status).toBe(200);
      for (const text of [
        started.user_code,
        machine.client_id,
        'confirm who you are',
        'see your profile',
        'see your roles in the organization, and act with them',
        'Organization API',
        realm.orgUrl,
        'You are signed in as user@example.com',
        'Allow it only if you started this yourself',
      ])
        expect(page.text).toContain(text);
      expect(page.headers['cache-control']).toBe('no-store');
    });

    it('is where somebody comes who returns to the address of its sign-in form', async () => {
      const back = await realm.send('/oauth/device-sign-in');
      expect([back.status, back.headers.location]).toEqual([303, 'device']);
    });

    it('counts no code that another site types: its link fills the form in', async () => {
      const browser = await devices.signIn();
      const cookie = Object.entries(browser.cookies())
        .map(([name, value]) => `${name}=${value}`)
        .join('; ');
      const headers = { cookie, 'sec-fetch-site': 'cross-site' };
      for (let turn = 0; turn < 11; turn += 1) {
        const page = await realm.send('/oauth/device?user_code=BBBB-BBBB', { headers });
        expect([page.status, page.text]).toEqual([200, expect.stringContaining('value="BBBB-BBBB"')]);
      }
      expect((await devices.open(browser, 'BBBB-BBBB')).status).toBe(400);
    });

    it('speaks the language of its user', async () => {
      const { user_code } = await devices.start(machine, { scope: 'openid profile' });
      const browser = await devices.signIn();
      const page = await browser.get(`${realm.url}/oauth/device?user_code=${user_code}&ui_locales=de`);
      expect(page.text).toContain('<html lang="de">');
      expect(page.text).toContain('<h1>Dieses Gerät zulassen?</h1>');
      expect(page.text).toContain('</strong> auf diesem Gerät möchte:');
    });

    it('reads a code that is typed, whatever its case, spaces and hyphens', async () => {
      const started = await devices.start(machine);
      const browser = await devices.signIn();
      const typed = ` ${started.user_code.toLowerCase().replace('-', '')} `;
      const page = await browser.submit(await browser.get(devices.page), devices.page, { user_code: typed });
      expect(page.text).toContain('Allow this device?');
      await browser.submit(page, devices.page, { decision: 'allow' });
      expect((await devices.poll(machine, started)).status).toBe(200);
    });

    it('keeps a code over a wrong password, and looks at it after the right one', async () => {
      const started = await devices.start(machine);
      const browser = createTestBrowser();
      const url = started.verification_uri_complete;
      const wrong = await browser.submit(await browser.get(url), url, { username: 'user@example.com', password: 'no' });
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('is not right')]);
      const page = await browser.submit(wrong, url, { username: 'user@example.com', password: 'user-password' });
      expect(page.text).toContain(started.user_code);
    });

    it('signs in again where the session is older than five minutes, also when the user decides', async () => {
      const started = await devices.start(machine);
      const browser = await devices.signIn();
      realm.advance(5 * minute - 3_000);
      const page = await devices.open(browser, started.user_code);
      expect(page.text).toContain('Allow this device?');
      realm.advance(3_000);
      expect((await devices.open(browser, started.user_code)).text).toContain('to connect a device');
      const again = await browser.submit(page, devices.page, { decision: 'allow' });
      expect(again.text).toContain('to connect a device');
      expect(readError(await devices.poll(machine, started))).toEqual(pending);
      const credentials = { username: 'user@example.com', password: 'user-password' };
      const asked = await browser.submit(again, devices.page, credentials);
      expect(asked.text).toContain('Allow this device?');
      await browser.submit(asked, devices.page, { decision: 'allow' });
      expect((await devices.poll(machine, started)).status).toBe(200);
    });

    it.each([
      ['unknown', 'BBBB-BBBB'],
      ['no code at all', '<script>'],
      ['very long', 'x'.repeat(5_000)],
    ])('says that a code is not right that is %s', async (_what, code) => {
      const page = await devices.open(await devices.signIn(), code);
      expect([page.status, page.text]).toEqual([400, expect.stringContaining('This code is not right')]);
      expect(page.text).not.toContain('<script>');
    });

    it('takes a code once: decided, expired and used ones are not right any more', async () => {
      const browser = await devices.signIn();
      const [allowed, denied] = [await devices.start(machine), await devices.start(machine)];
      await browser.submit(await devices.open(browser, allowed.user_code), devices.page, { decision: 'allow' });
      await browser.submit(await devices.open(browser, denied.user_code), devices.page, { decision: 'deny' });
      for (const { user_code } of [allowed, denied]) expect((await devices.open(browser, user_code)).status).toBe(400);
      const expired = await devices.start(machine);
      const page = await devices.open(browser, expired.user_code);
      realm.advance(10 * minute);
      const fresh = await devices.signIn();
      expect((await devices.open(fresh, expired.user_code)).status).toBe(400);
      expect((await browser.submit(page, devices.page, { decision: 'allow' })).text).toContain('to connect a device');
    });

    it('decides nothing for a form of another session, another device or none of this server', async () => {
      const [first, second] = [await devices.start(machine), await devices.start(machine)];
      const [browser, other] = [await devices.signIn(), await devices.signIn()];
      const page = await devices.open(browser, first.user_code);
      const forms = [
        await other.submit(page, devices.page, { decision: 'allow' }),
        await browser.submit(page, devices.page, { user_code: second.user_code, decision: 'allow' }),
        await browser.post(devices.page, { user_code: first.user_code, decision: 'allow' }),
      ];
      for (const answer of forms) expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Allow')]);
      for (const started of [first, second]) expect(readError(await devices.poll(machine, started))).toEqual(pending);
    });

    it('looks up no code of a form that is not of this server', async () => {
      const { user_code } = await devices.start(machine);
      const browser = await devices.signIn();
      const page = await browser.post(devices.page, { user_code });
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('Type the code')]);
    });

    it('shows again what changed since it was read, and decides nothing', async () => {
      const administration = administerResources(realm);
      const api = await administration.create();
      const client = await registerForApi(realm, api);
      const started = await devices.start(client);
      const browser = await devices.signIn();
      const page = await devices.open(browser, started.user_code);
      expect(page.text).toContain('read things');
      await administration.change(api.id, { name: 'Another name' });
      const again = await browser.submit(page, devices.page, { decision: 'allow' });
      expect([again.status, again.text]).toEqual([403, expect.stringContaining('Another name')]);
      expect(readError(await devices.poll(client, started))).toEqual(pending);
    });

    it('finds no code of a client that is gone, lost the grant type or got a profile', async () => {
      const client = await realm.register({ ...machine, client_id: `gone-${dialect}` });
      const started = await devices.start(client);
      const browser = await devices.signIn();
      await realm.send(`/clients/${client.client_id}`, {
        method: 'PATCH',
        basic: administrator,
        json: { authorized_grant_types: ['client_credentials'] },
      });
      expect((await devices.open(browser, started.user_code)).status).toBe(400);
      expect(readError(await devices.poll(client, started))).toEqual([400, 'unauthorized_client']);
      await realm.send(`/clients/${client.client_id}`, { method: 'DELETE', basic: administrator });
      expect((await devices.open(browser, started.user_code)).status).toBe(400);
    });
  });

  describe('wrong codes', () => {
    const open = (browser: Awaited<ReturnType<typeof devices.signIn>>, code: string) => devices.open(browser, code);

    it('are ten in five minutes for a user, wherever they come from; right ones do not count', async () => {
      const started = await devices.start(machine);
      const browser = await devices.signIn();
      for (let times = 0; times < 12; times += 1) expect((await open(browser, started.user_code)).status).toBe(200);
      for (let times = 0; times < 10; times += 1) expect((await open(browser, 'BBBB-BBBB')).status).toBe(400);
      const limited = await open(browser, started.user_code);
      expect([limited.status, limited.text]).toEqual([429, expect.stringContaining('Too many wrong codes')]);
      expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(300);
      const other = await devices.signIn(adminForm);
      expect((await open(other, started.user_code)).status).toBe(200);
      realm.advance(5 * minute);
      expect((await open(await devices.signIn(), started.user_code)).status).toBe(200);
    });

    it('are counted before they are looked up: of twenty at the same moment no more than ten are', async () => {
      const browser = await devices.signIn();
      const answers = await Promise.all(Array.from({ length: 20 }, () => open(browser, 'BBBB-BBBB')));
      const lookedUp = answers.filter(({ status }) => status === 400);
      expect(lookedUp.length).toBeLessThanOrEqual(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - lookedUp.length);
    });

    it('are a hundred in five minutes for a network, for all users together', async () => {
      const { database: rows } = realm.deps;
      const { clock } = realm;
      const codeGuesses = createCodeGuesses({ guessCounts: createGuessCounts({ database: rows, clock }), clock });
      const from = (user: number, address: string) => codeGuesses.count(`user-${user}`, { requestId: 'x', address });
      for (let user = 0; user < 100; user += 1)
        expect(await from(user, '203.0.113.9')).not.toHaveProperty('retryAfter');
      expect(await from(100, '203.0.113.9')).toEqual({ retryAfter: expect.any(Number) });
      expect(await from(0, '203.0.113.10')).not.toHaveProperty('retryAfter');
    });
  });

  describe('the grant', () => {
    it('belongs to no session: it has no sid, and a sign-out at that browser ends nothing', async () => {
      const started = await devices.start(machine);
      const browser = await devices.signIn();
      await browser.submit(await devices.open(browser, started.user_code), devices.page, { decision: 'allow' });
      const tokens = (await devices.poll(machine, started)).json<TokenAnswer>();
      expect(readClaims(tokens.id_token ?? '')).not.toHaveProperty('sid');
      const logout = `${realm.url}/oauth/logout`;
      const left = await browser.submit(await browser.get(logout), logout);
      expect(left.text).toContain('You are signed out');
      expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(200);
      expect((await refresh(machine, tokens)).status).toBe(200);
    });

    it('lasts 12 hours in all, and longer with offline access', async () => {
      const online = await devices.connect(machine, { scope: 'openid' });
      const offline = await devices.connect(machine, { scope: 'openid offline_access' });
      realm.advance(11 * 60 * minute);
      const later = (await refresh(machine, online)).json<TokenAnswer>();
      const still = (await refresh(machine, offline)).json<TokenAnswer>();
      realm.advance(61 * minute);
      expect(readError(await refresh(machine, later))).toEqual(invalid);
      expect((await refresh(machine, still)).status).toBe(200);
    });

    it('gives no access token that outlasts it, unless offline access was granted', async () => {
      const lasting = { ...machine, client_id: 'lasting', access_token_validity: 86_400 };
      await realm.register(lasting);
      const obtain = async (scope: string) => {
        const started = await devices.start(lasting, { scope });
        await devices.decide(started);
        return (await devices.poll(lasting, started)).json<TokenAnswer>();
      };
      const tokens = await obtain('openid');
      expect(tokens.expires_in).toBeLessThanOrEqual(12 * 3600);
      realm.advance(11 * 60 * minute);
      expect((await refresh(lasting, tokens)).json<TokenAnswer>().expires_in).toBeLessThanOrEqual(3600);
      expect((await obtain('openid offline_access')).expires_in).toBe(86_400);
    });

    it('does not begin where the user has another password since', async () => {
      const started = await devices.start(machine);
      await devices.decide(started);
      const { database: rows } = realm.deps;
      await rows.execute('UPDATE device_codes SET password_changed_at = 1 WHERE user_id IS NOT NULL');
      expect(readError(await devices.poll(machine, started))).toEqual(invalid);
    });

    it('has no roles without scope roles, for a first-party client of an administrator too', async () => {
      const tokens = await devices.connect(machine, { scope: 'openid profile' }, adminForm);
      const refreshed = (await refresh(machine, tokens)).json<TokenAnswer>();
      for (const { access_token: token } of [tokens, refreshed]) {
        expect(readClaims(token)).toMatchObject({ ceiling: [] });
        expect(readClaims(token)).not.toHaveProperty('roles');
        expect((await clientsOf(token)).status).toBe(403);
        expect(await detailsOf(token)).toBe(403);
        expect(await detailsOf(token, administrator[0])).toBe(200);
        const userinfo = await realm.send('/oauth/userinfo', { bearer: token });
        expect(userinfo.json()).not.toHaveProperty('roles');
      }
      expect(readClaims(tokens.id_token ?? '')).not.toHaveProperty('roles');
    });

    it('has the roles of its user with scope roles, and a token without that part of the scope has none', async () => {
      const tokens = await devices.connect(machine, { scope: 'openid roles' }, adminForm);
      expect(readClaims(tokens.access_token)).not.toHaveProperty('ceiling');
      expect([(await clientsOf(tokens.access_token)).status, await detailsOf(tokens.access_token)]).toEqual([200, 200]);
      const narrowed = (await refresh(machine, tokens, { scope: 'openid' })).json<TokenAnswer>();
      expect(readClaims(narrowed.access_token)).toMatchObject({ ceiling: [] });
      expect((await clientsOf(narrowed.access_token)).status).toBe(403);
      const whole = (await refresh(machine, narrowed)).json<TokenAnswer>();
      expect((await clientsOf(whole.access_token)).status).toBe(200);
    });

    it('leaves the roles of other grants of the same client to its ceiling', async () => {
      const client = { ...machine, client_id: `both-${dialect}`, authorized_grant_types: [deviceGrant, 'password'] };
      await realm.register(client);
      const tokens = await realm.tokens(client, { grant_type: 'password', ...adminForm, scope: 'openid' });
      expect(readClaims(tokens.access_token)).not.toHaveProperty('ceiling');
      expect((await clientsOf(tokens.access_token)).status).toBe(200);
    });

    it('asks the user of a third-party client each time, and gives what was allowed there', async () => {
      const tokens = await devices.connect(thirdParty, { scope: 'openid profile' });
      expect(readClaims(tokens.access_token)).toMatchObject({ third_party: true, scope: 'openid profile' });
      const again = await devices.start(thirdParty, { scope: 'openid profile' });
      const page = await devices.open(await devices.signIn(), again.user_code);
      expect(page.text).toContain('Applications with access');
    });

    it('gives no more than its client may still request, and nothing where that is nothing', async () => {
      const client = await realm.register({ ...machine, client_id: `narrowed-${dialect}` });
      const [some, none] = [
        await devices.start(client, { scope: 'openid email' }),
        await devices.start(client, { scope: 'email' }),
      ];
      for (const started of [some, none]) await devices.decide(started);
      const json = { scope: ['openid', 'profile'] };
      await realm.send(`/clients/${client.client_id}`, { method: 'PATCH', basic: administrator, json });
      expect((await devices.poll(client, some)).json<TokenAnswer>().scope).toBe('openid');
      expect(readError(await devices.poll(client, none))).toEqual(invalid);
    });

    it.each([
      ['the code is consumed', /^UPDATE device_codes SET consumed_at/],
      ['the refresh token is stored', /^INSERT INTO refresh_tokens/],
    ])('is dead where the consent is withdrawn just before %s', async (_when, statement) => {
      const started = await devices.start(thirdParty, { scope: 'openid' });
      await devices.decide(started);
      const browser = await devices.signIn();
      const url = `${realm.url}/oauth/consents`;
      const page = await browser.get(url);
      const isMet = interruptNext(realm.deps.database, statement, { before: () => browser.submit(page, url) });
      const tokens = (await devices.poll(thirdParty, started)).json<TokenAnswer>();
      expect(isMet()).toBe(true);
      expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(401);
      expect(readError(await refresh(thirdParty, tokens))).toEqual(invalid);
    });

    it('of a third-party client ends with the consent, before the code was exchanged and after', async () => {
      const takeBack = async () => {
        const browser = await devices.signIn();
        const url = `${realm.url}/oauth/consents`;
        await browser.submit(await browser.get(url), url);
      };
      const tokens = await devices.connect(thirdParty, { scope: 'openid' });
      const waiting = await devices.start(thirdParty, { scope: 'openid' });
      await devices.decide(waiting);
      await takeBack();
      expect(readError(await devices.poll(thirdParty, waiting))).toEqual(invalid);
      expect(readError(await refresh(thirdParty, tokens))).toEqual(invalid);
      expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(401);
    });

    it('ends with the revocation of its refresh token, and so do its access tokens', async () => {
      const tokens = await devices.connect(machine, { scope: 'openid' });
      const { refresh_token: token = '' } = tokens;
      const basic: [string, string] = [machine.client_id, machine.client_secret];
      expect((await realm.send('/oauth/revoke', { basic, form: { token } })).status).toBe(200);
      expect((await realm.send('/oauth/userinfo', { bearer: tokens.access_token })).status).toBe(401);
    });

    it('is for the resources that were asked for, and those that the page showed', async () => {
      const api = await administerResources(realm).create();
      const client = await registerForApi(realm, api);
      const resources = `resource=${encodeURIComponent(api.resource)}&resource=${encodeURIComponent(realm.orgUrl)}`;
      const started = await devices.start(client, resources);
      const page = await devices.open(await devices.signIn(), started.user_code);
      for (const text of [api.name, api.resource, 'read things', realm.orgUrl]) expect(page.text).toContain(text);
      await devices.decide(started);
      const tokens = (await devices.poll(client, started, { resource: api.resource })).json<TokenAnswer>();
      expect(readClaims(tokens.access_token)).toMatchObject({ aud: api.resource, scope: api.scopes[0]?.name });
      const other = (await refresh(client, tokens, { resource: realm.orgUrl })).json<TokenAnswer>();
      expect(readClaims(other.access_token)).toMatchObject({ aud: realm.orgUrl, scope: 'openid', ceiling: [] });
      const elsewhere = await devices.start(client, { resource: api.resource });
      await devices.decide(elsewhere);
      const refused = await devices.poll(client, elsewhere, { resource: realm.orgUrl });
      expect(readError(refused)).toEqual([400, 'invalid_target']);
    });
  });

  describe('the audit trail', () => {
    const findOf = async ({ client_id }: { client_id: string }, type: string) => {
      const path = `/audit-events?type=${type}&subject=${client_id}`;
      const { events } = (await realm.send(path, { basic: administrator })).json<{ events: object[] }>();
      return events;
    };

    it('has the decisions of users, with what was asked', async () => {
      const client = await realm.register({ ...machine, client_id: `audited-${dialect}` });
      await devices.decide(await devices.start(client, { scope: 'openid' }));
      await devices.decide(await devices.start(client, { scope: 'openid' }), { decision: 'deny' });
      const find = (type: string) => findOf(client, type);
      const common = {
        actor: expect.objectContaining({ kind: 'user', name: 'user@example.com' }),
        details: { grant: expect.any(String), scope: ['openid'], resources: [] },
      };
      expect(await find('device.approved')).toEqual([expect.objectContaining({ outcome: 'succeeded', ...common })]);
      expect(await find('device.denied')).toEqual([
        expect.objectContaining({ outcome: 'refused', reason: 'denied_by_user', ...common }),
      ]);
    });

    it.each([
      [
        'the decision is stored',
        /^UPDATE device_codes SET open_until = NULL, user_id/,
        'before',
        [false, 'authorization_pending'],
      ],
      ['the consent is stored', /^INSERT INTO consents/, 'before', [true, undefined]],
    ] as const)(
      'is stored with its consent or not at all where the process ends before %s',
      async (_what, sql, when, outcome) => {
        const client = await realm.register({ ...thirdParty, client_id: `killed-${dialect}-${outcome[0]}` });
        const started = await devices.start(client, { scope: 'openid profile' });
        const stop = interruptNext(realm.deps.database, sql, {
          [when]: async () => {
            throw new Error('the process was killed');
          },
        });
        expect((await devices.decide(started)).status).toBe(500);
        expect(stop()).toBe(true);
        realm.advance(6_000);
        const answer = await devices.poll(client, started);
        expect(answer.json().error).toBe(outcome[1]);
        const consents = await realm.deps.database.query('SELECT * FROM consents WHERE client_id = ?', [
          client.client_id,
        ]);
        expect(consents.length > 0).toBe(outcome[0]);
        expect((await findOf(client, 'consent.given')).length > 0).toBe(outcome[0]);
      },
    );

    it('has the consent to a third-party client, and none to another', async () => {
      const third = await realm.register({ ...thirdParty, client_id: `consented-${dialect}` });
      const own = await realm.register({ ...machine, client_id: `own-${dialect}` });
      for (const client of [third, own]) await devices.decide(await devices.start(client, { scope: 'openid' }));
      expect(await findOf(own, 'consent.given')).toEqual([]);
      expect(await findOf(third, 'consent.given')).toEqual([
        expect.objectContaining({
          actor: expect.objectContaining({ kind: 'user', name: 'user@example.com' }),
          details: { scope: ['openid'] },
        }),
      ]);
    });
  });
});

/** A client of an API beside org-api, which asks for one of its scopes. */
async function registerForApi(realm: Realm, api: RegisteredResource) {
  return realm.register({
    ...machine,
    client_id: `for-${api.id}`,
    scope: ['openid', api.scopes[0]?.name ?? ''],
    resources: [api.resource, realm.orgUrl],
    default_resource: api.resource,
  } as typeof machine);
}

async function fillWithOpenCodes({ deps, clock }: Realm, count: number): Promise<void> {
  const openUntil = clock() + 600_000;
  const insert = async (codes: number) => {
    const rows = Array.from({ length: codes }, () =>
      rowFromDeviceCode(buildDeviceCode({ openUntil, endsAt: openUntil, expiresAt: openUntil })),
    );
    const columns = Object.keys(rows[0] ?? {});
    const marks = rows.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ');
    const sql = `INSERT INTO device_codes (${columns.join(', ')}) VALUES ${marks}`;
    await deps.database.execute(
      sql,
      rows.flatMap((row) => Object.values(row)),
    );
  };
  for (let left = count; left > 0; left -= 500) await insert(Math.min(left, 500));
}
