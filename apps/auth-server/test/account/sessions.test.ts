import { fill } from '@gatehouse/service-kit/html';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatTime } from '../../src/account/account-page.ts';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  asksForSignIn,
  type Credentials,
  chrome,
  createBrowserWith,
  firefox,
  readEntries,
  readForms,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { type BackChannel, listenAtBackChannel } from '../support/back-channel.ts';
import { authorizePath, readRedirect } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { callback, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { stopClock } from '../support/still-clock.ts';

const page = '/account/sessions';
const end = '/account/sessions/end';
const minute = 60_000;
const { account, sessions: texts } = en;

describe.each(testDialects)('the sessions of a user on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let client: Credentials;
  let backChannel: BackChannel;
  let startClock: () => void;

  beforeAll(async () => {
    startClock = stopClock();
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    backChannel = await listenAtBackChannel();
    client = await accounts.registerClient({
      client_name: 'Shop & <Sons>',
      backchannel_logout_uri: backChannel.uri,
    });
  });
  afterAll(async () => {
    backChannel.close();
    await realm.close();
    startClock();
  });

  const list = async (visitor: Visitor) => readEntries(await visitor.get(page));
  const readSid = async (visitor: Visitor) => readForms(await visitor.get(page))[0]?.fields.sid as string;
  const endOne = async (visitor: Visitor, sid: string) => resultOf(await visitor.submit(page, end, {}, { sid }));
  const endAll = async (visitor: Visitor, all: 'others' | 'every') =>
    resultOf(await visitor.submit(page, end, {}, { all }));
  const time = (timezone = 'UTC') => formatTime(realm.clock(), en, timezone);
  /** The id of a session says when it began, by the clock of the machine. */
  const start = (timezone = 'UTC') => formatTime(Date.now(), en, timezone);
  /** Tokens of the session, and tokens that outlive it. */
  const obtainBoth = async (visitor: Visitor, from = client) => ({
    ofSession: await accounts.obtainTokens(visitor, from),
    offline: await accounts.obtainTokens(visitor, from, 'openid offline_access'),
  });
  const areRefreshed = async ({ ofSession, offline }: Awaited<ReturnType<typeof obtainBoth>>, from = client) => [
    await accounts.isRefreshed(from, ofSession),
    await accounts.isRefreshed(from, offline),
  ];
  /** A user in two browsers, each with an application. */
  const signInTwice = async () => {
    const visitor = await accounts.signIn();
    const other = await accounts.signInAs(visitor.user);
    const [tokens, tokensOfOther] = [await obtainBoth(visitor), await obtainBoth(other)];
    return { visitor, other, tokens, tokensOfOther };
  };

  describe('on their page:', () => {
    it('this browser first, each by its browser and network, with its time, level and applications', async () => {
      const user = await accounts.createPerson();
      const from = (agent: string, address: string) =>
        createBrowserWith({ 'user-agent': agent, 'x-forwarded-for': address });
      const visitor = await accounts.signInAs(user, from(firefox, '203.0.113.7'));
      const used = time();
      realm.advance(3 * minute);
      const other = await accounts.signInAs(user, from(chrome, '2001:db8:1:2:3:4:5:6'));
      await accounts.obtainTokens(other, client);
      const [own = '', another = '', ...more] = await list(visitor);
      expect(more).toEqual([]);
      expect(own).toContain(`<strong>Firefox on Linux</strong> <span class="badge">${texts.this}</span>`);
      const describeUse = (network: string, lastUsed: string) =>
        [
          fill(texts.network, { network }),
          fill(texts.since, { date: start() }),
          fill(account.lastUsed, { date: lastUsed }),
        ].join(' · ');
      expect(own).toContain(`<p class="quiet">${describeUse('203.0.113.7', used)}</p>`);
      expect(own).toContain(`<p class="quiet">${texts.level.password}</p>`);
      expect(another).toContain('<strong>Chrome on Windows</strong>\n');
      expect(another).toContain(describeUse('2001:db8:1:2::/64', time()));
      expect(another).toContain(`${texts.level.password} &middot; Applications: Shop &amp; &lt;Sons&gt;</p>`);
      expect((await list(other))[0]).toContain('Chrome on Windows');
    });

    it('a browser that says nothing of itself', async () => {
      const [own] = await list(await accounts.signIn());
      expect(own).toContain('<strong>Browser on another system</strong>');
    });

    it('times in the time zone of the user', async () => {
      const [own] = await list(await accounts.signIn({ timezone: 'Asia/Kathmandu' }));
      expect(own).toContain(fill(texts.since, { date: start('Asia/Kathmandu') }));
      expect(own).toContain(fill(account.lastUsed, { date: time('Asia/Kathmandu') }));
    });

    it('the level that each reached', async () => {
      const visitor = await accounts.signIn();
      const { recoveryCodes } = await accounts.addPasskey(visitor);
      const [code = ''] = recoveryCodes;
      const another = accounts.visit(visitor.user);
      expect((await another.send(await another.signIn(), '/account/second-step', { code })).status).toBe(303);
      const entries = await list(visitor);
      expect(
        entries.map((entry) => Object.values(texts.level).filter((words) => entry.includes(`>${words}<`))),
      ).toEqual([[texts.level.phr], [texts.level.mfa]]);
    });

    it('the last use, which moves with a use after more than ten minutes, and not before', async () => {
      const visitor = await accounts.signIn();
      const other = await accounts.signInAs(visitor.user);
      const began = time();
      const lastUse = async () => {
        const [, entry = ''] = await list(visitor);
        return /last used ([^<]*)/.exec(entry)?.[1];
      };
      realm.advance(10 * minute);
      await other.get('/account');
      expect(await lastUse()).toBe(began);
      realm.advance(minute);
      expect(await lastUse()).toBe(began);
      await other.get('/account');
      expect(await lastUse()).toBe(time());
    });

    it('none that is over, and no session of another user', async () => {
      const visitor = await accounts.signIn();
      await accounts.signIn();
      expect(await list(visitor)).toHaveLength(1);
      realm.advance(11 * 60 * minute);
      const later = await accounts.signInAs(visitor.user);
      expect(await list(later)).toHaveLength(2);
      realm.advance(2 * 60 * minute);
      expect(await list(later)).toHaveLength(1);
    });

    it('no button for all others where there is none', async () => {
      const visitor = await accounts.signIn();
      const isOffered = async () => readForms(await visitor.get(page)).some(({ fields }) => fields.all === 'others');
      expect(await isOffered()).toBe(false);
      await accounts.signInAs(visitor.user);
      expect(await isOffered()).toBe(true);
    });
  });

  describe('ended by the user:', () => {
    it('one: that browser is out, its client is told, and its grants end but for offline access', async () => {
      const { visitor, other, tokens, tokensOfOther } = await signInTwice();
      const sid = await readSid(other);
      expect(await endOne(visitor, sid)).toEqual([303, page]);
      expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
      expect(await backChannel.tellOf(sid, 1)).toEqual([client.client_id]);
      expect(await areRefreshed(tokensOfOther)).toEqual([false, true]);
      expect(await areRefreshed(tokens)).toEqual([true, true]);
      expect(await list(visitor)).toHaveLength(1);
    });

    it('this one: its cookie goes, and the other stays', async () => {
      const { visitor, other } = await signInTwice();
      expect(await endOne(visitor, await readSid(visitor))).toEqual([303, page]);
      expect(visitor.sessionCookie()).toBeUndefined();
      expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([false, true]);
    });

    it('all others: each is out and its client is told, and this one goes on', async () => {
      const { visitor, other, tokens, tokensOfOther } = await signInTwice();
      const third = await accounts.signInAs(visitor.user);
      const [sid, own] = [await readSid(other), await readSid(visitor)];
      expect(await endAll(visitor, 'others')).toEqual([303, page]);
      expect([await visitor.isSignedIn(), await other.isSignedIn(), await third.isSignedIn()]).toEqual([
        true,
        false,
        false,
      ]);
      expect(await backChannel.tellOf(sid, 1)).toEqual([client.client_id]);
      expect(await backChannel.tellOf(own, 0)).toEqual([]);
      expect(await areRefreshed(tokensOfOther)).toEqual([false, true]);
      expect(await areRefreshed(tokens)).toEqual([true, true]);
    });

    it('every one: this one too, and each grant, offline access included', async () => {
      const { visitor, other, tokens, tokensOfOther } = await signInTwice();
      const [sid, own] = [await readSid(other), await readSid(visitor)];
      expect(await endAll(visitor, 'every')).toEqual([303, page]);
      expect(visitor.sessionCookie()).toBeUndefined();
      expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([false, false]);
      for (const each of [sid, own]) expect(await backChannel.tellOf(each, 1)).toEqual([client.client_id]);
      for (const each of [tokens, tokensOfOther]) {
        expect(await areRefreshed(each)).toEqual([false, false]);
        expect(await accounts.isActive(client, each.offline.access_token)).toBe(false);
      }
    });

    it('every one, with what an application may still fetch: by a code, or on a device', async () => {
      const devices = useDevices(realm);
      const forBoth = await accounts.registerClient({ authorized_grant_types: ['authorization_code', deviceGrant] });
      const visitor = await accounts.signIn();
      const request = { response_type: 'code', client_id: forBoth.client_id, redirect_uri: callback, scope: 'openid' };
      const { code = '' } = readRedirect(await visitor.browser.get(realm.url + authorizePath(request))).parameters;
      const started = await devices.start(forBoth);
      await visitor.browser.submit(await devices.open(visitor.browser, started.user_code), devices.page, {
        decision: 'allow',
      });
      await endAll(visitor, 'every');
      const redeemed = await realm.tokenRequest(forBoth, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
      });
      expect([redeemed.status, redeemed.json().error]).toEqual([400, 'invalid_grant']);
      expect((await devices.poll(forBoth, started)).json()).toMatchObject({ error: 'invalid_grant' });
    });

    it.each<Record<string, string>>([{}, { all: 'nothing' }, { sid: 'x' }, { sid: '' }])(
      'none by a form that names none: %j',
      async (fields) => {
        const { visitor, other } = await signInTwice();
        expect(resultOf(await visitor.post(end, fields))).toEqual([303, page]);
        expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([true, true]);
      },
    );

    it('all others by a form that names this one too, which takes no cookie from a session that goes on', async () => {
      const { visitor, other } = await signInTwice();
      const cookie = `gatehouse-session=${visitor.sessionCookie()}`;
      await visitor.post(end, { all: 'others', sid: await readSid(visitor) });
      const answer = await realm.send('/account', { headers: { cookie } });
      expect(await other.isSignedIn()).toBe(false);
      expect(visitor.sessionCookie() === undefined).toBe(asksForSignIn(answer));
    });

    it('none of another user, whose sid the form names', async () => {
      const [visitor, stranger] = [await accounts.signIn(), await accounts.signIn()];
      const tokens = await obtainBoth(stranger);
      expect(resultOf(await visitor.post(end, { sid: await readSid(stranger) }))).toEqual([303, page]);
      expect([await stranger.isSignedIn(), await visitor.isSignedIn()]).toEqual([true, true]);
      expect(await areRefreshed(tokens)).toEqual([true, true]);
      await endAll(visitor, 'every');
      expect(await stranger.isSignedIn()).toBe(true);
      expect(await areRefreshed(tokens)).toEqual([true, true]);
    });

    it('one by forty at once: all of them succeed, and its client is told once', async () => {
      const { visitor, other } = await signInTwice();
      const fields = { sid: await readSid(other), form_token: await visitor.readToken() };
      const answers = await Promise.all(Array.from({ length: 40 }, () => visitor.sendTo(end, fields)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
      expect([await visitor.isSignedIn(), await other.isSignedIn()]).toEqual([true, false]);
      expect(await backChannel.tellOf(fields.sid, 1)).toEqual([client.client_id]);
    });
  });

  describe('where the user changes the methods:', () => {
    /** What happens to a session in another browser, and to the grants of both. */
    const watch = async (
      prepare: (visitor: Visitor) => Promise<unknown>,
      change: (visitor: Visitor) => Promise<{ status: number }>,
      tells: number,
    ) => {
      const visitor = await accounts.signIn();
      await prepare(visitor);
      const other = accounts.visit(visitor.user);
      await signInAgain(other);
      const [tokens, tokensOfOther] = [await obtainBoth(visitor), await obtainBoth(other)];
      const sid = await readSid(other);
      const { status } = await change(visitor);
      expect([200, 303]).toContain(status);
      return {
        own: [await visitor.isSignedIn(), ...(await areRefreshed(tokens))],
        other: [await other.isSignedIn(), ...(await areRefreshed(tokensOfOther))],
        told: await backChannel.tellOf(sid, tells),
      };
    };
    let recoveryCodes: string[];
    const signInAgain = async (other: Visitor) => {
      const answer = await other.signIn();
      const [code = ''] = recoveryCodes;
      if (answer.status === 200) await other.send(answer, '/account/second-step', { code });
    };
    const addCodeApp = async (visitor: Visitor) => {
      const added = await accounts.addCodeApp(visitor);
      if (added.recoveryCodes.length > 0) recoveryCodes = added.recoveryCodes;
      return added.answer;
    };
    const addPasskey = async (visitor: Visitor) => {
      const added = await accounts.addPasskey(visitor);
      if (added.recoveryCodes.length > 0) recoveryCodes = added.recoveryCodes;
      return added.answer;
    };
    const press =
      (path: string, fields: Record<string, string> = {}) =>
      (visitor: Visitor) =>
        visitor.submit('/account/methods', path, fields);
    const nothing = async () => {};

    it.each<[string, (visitor: Visitor) => Promise<unknown>, (visitor: Visitor) => Promise<{ status: number }>]>([
      ['a passkey goes', addPasskey, press('/account/passkeys/remove')],
      ['the code app goes', addCodeApp, press('/account/code-app/remove')],
      ['another code app replaces the one before', addCodeApp, addCodeApp],
      ['the password goes', addPasskey, press('/account/password/remove')],
    ])('%s, and each other session ends with its grants but for offline access', async (_case, prepare, change) => {
      const { own, other, told } = await watch(prepare, change, 1);
      expect(own).toEqual([true, true, true]);
      expect(other).toEqual([false, false, true]);
      expect(told).toEqual([client.client_id]);
    });

    it.each<[string, (visitor: Visitor) => Promise<unknown>, (visitor: Visitor) => Promise<{ status: number }>]>([
      ['a first passkey comes', nothing, addPasskey],
      ['another passkey comes', addPasskey, addPasskey],
      ['a code app comes', nothing, addCodeApp],
      ['a code app comes beside a passkey', addPasskey, addCodeApp],
      ['a passkey gets another name', addPasskey, press('/account/passkeys/rename', { name: 'Another' })],
      [
        'new recovery codes come',
        addCodeApp,
        (visitor) => visitor.submit('/account/recovery-codes', '/account/recovery-codes'),
      ],
    ])('%s, and nothing ends', async (_case, prepare, change) => {
      const { own, other, told } = await watch(prepare, change, 0);
      expect([own, other, told]).toEqual([[true, true, true], [true, true, true], []]);
    });
  });
});
