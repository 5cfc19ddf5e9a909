import { createAuditTrail } from '@gatehouse/service-kit/audit';
import type { Database } from '@gatehouse/service-kit/database';
import { type Answer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UserData } from '../../src/account/describe-data.ts';
import {
  type Accounts,
  asksForSignIn,
  createBrowserWith,
  tooLong,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { openOrganizationDatabase } from '../support/mailed-links.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { silentLog } from '../support/stores.ts';

const path = '/account/data';

describe.each(testDialects)('the data of an account on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;
  let database: Database;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    database = await openOrganizationDatabase(realm.orgDatabaseUrl);
  });
  afterAll(async () => {
    await database.close();
    await realm.close();
  });

  const isDownload = ({ headers }: Answer) => String(headers['content-type']).startsWith('application/json');
  const download = async (visitor: Visitor): Promise<UserData> => {
    const answer = await visitor.get(path);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(isDownload(answer)).toBe(true);
    return answer.json<UserData>();
  };
  const readOf = async ({ user }: Pick<Visitor, 'user'>) => {
    const query = new URLSearchParams({ user: user.username });
    const answer = await realm.send(`/user-data?${query}`, { basic: administrator });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<UserData>();
  };
  const countEvents = async (username: string, type: string) => {
    const query = new URLSearchParams({ subject: username, type });
    const answer = await realm.send(`/audit-events?${query}`, { basic: administrator });
    return answer.json<{ events: object[] }>().events;
  };
  const typesOf = ({ activity }: UserData) => activity.map(({ type }) => type);

  it('is a file that the browser keeps', async () => {
    const answer = await (await accounts.signIn()).get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account-data.json"',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.text).toMatch(/^\{\n {2}"/);
  });

  it('is all that both services keep: profile, methods, sessions, applications and activity', async () => {
    const from = createBrowserWith({ 'x-forwarded-for': '203.0.113.7' });
    const visitor = await accounts.signIn(
      { firstName: 'Ursula', nickname: 'Uschi 🔑', roles: ['DirectoryReader'] },
      from,
    );
    const { username } = visitor.user;
    const other = await accounts.signInAs(visitor.user);
    const [asked, own] = [await accounts.registerClient({ require_consent: true }), await accounts.registerClient()];
    await accounts.obtainTokens(visitor, asked, 'openid profile');
    await accounts.obtainTokens(other, own, 'openid offline_access');
    await accounts.addPasskey(visitor, 'My phone');
    await accounts.addCodeApp(visitor);
    const data = await download(visitor);
    expect(Object.keys(data)).toEqual([
      'user',
      'methods',
      'identities',
      'sessions',
      'rememberedBrowsers',
      'applications',
      'activity',
    ]);
    const profile = {
      username,
      firstName: 'Ursula',
      nickname: 'Uschi 🔑',
      roles: ['DirectoryReader'],
      emailVerified: false,
    };
    expect(data.user).toMatchObject(profile);
    expect(data.methods).toMatchObject({
      password: { changedAt: expect.any(String) },
      passkeys: [{ name: 'My phone', userVerified: true }],
      codeApp: { createdAt: expect.any(String) },
      recoveryCodes: { left: 10 },
      secondStep: true,
    });
    expect(data.sessions).toMatchObject([
      { user: { username }, network: '203.0.113.7', acr: 'phr', clients: [asked.client_id] },
      { user: { username }, network: '127.0.0.1', acr: 'urn:gatehouse:acr:password', clients: [own.client_id] },
    ]);
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(data.applications).toHaveLength(2);
    expect(data.applications).toEqual(
      expect.arrayContaining([
        { clientId: asked.client_id, name: asked.client_id, scope: ['openid', 'profile'], since },
        { clientId: own.client_id, name: own.client_id, scope: ['openid', 'offline_access'], since },
      ]),
    );
    const types = typesOf(data);
    for (const type of ['user.created', 'passkey.added', 'code_app.added', 'recovery_codes.made', 'consent.given']) {
      expect(types).toContain(type);
    }
    expect(types.filter((type) => type === 'sign_in.succeeded')).toHaveLength(2);
    const times = data.activity.map(({ time }) => time);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('has nothing of a user who has nothing but a password', async () => {
    const visitor = await accounts.signIn();
    const data = await download(visitor);
    expect(data.methods).toEqual({
      password: { changedAt: expect.any(String) },
      ...{ passkeys: [], codeApp: null, recoveryCodes: null, secondStep: false },
    });
    expect([data.sessions.length, data.applications]).toEqual([1, []]);
    expect(typesOf(data)).toEqual(['sign_in.succeeded', 'user.created']);
  });

  it('holds no secret, no hash, no key and no token', async () => {
    const visitor = await accounts.signIn();
    const client = await accounts.registerClient();
    const tokens = await accounts.obtainTokens(visitor, client, 'openid offline_access');
    const { recoveryCodes } = await accounts.addPasskey(visitor);
    const { secret } = await accounts.addCodeApp(visitor);
    const answer = await visitor.get(path);
    expect(isDownload(answer)).toBe(true);
    const { id } = answer.json<UserData>().user;
    const key = Buffer.from(String(id).replaceAll('-', ''), 'hex');
    const read = (sql: string) => database.query<Record<string, Buffer | string>>(sql, [key]);
    const rows = [
      ...(await read('SELECT guarded_hash FROM users WHERE id = ?')),
      ...(await read('SELECT public_key, credential_id FROM passkeys WHERE user_id = ?')),
      ...(await read('SELECT sealed_secret FROM code_apps WHERE user_id = ?')),
      ...(await read('SELECT digest, salt FROM recovery_codes WHERE user_id = ?')),
    ];
    const stored = rows.flatMap((row) => Object.values(row));
    expect(stored).toHaveLength(1 + 2 + 1 + 20);
    const written = stored.flatMap((value) =>
      typeof value === 'string' ? [value] : (['hex', 'base64', 'base64url'] as const).map((as) => value.toString(as)),
    );
    const issued = [tokens.access_token, tokens.refresh_token, tokens.id_token, visitor.sessionCookie()];
    const given = [visitor.user.password, secret, client.client_secret, ...recoveryCodes, ...issued];
    for (const text of [...written, ...given]) expect(answer.text.includes(text as string)).toBe(false);
    expect(answer.text).not.toMatch(/argon2|hash|secret|publicKey|private/i);
  });

  it('names no other person: neither who changed the account, nor where from', async () => {
    const visitor = await accounts.signIn({ email: 'before@example.com' });
    const { username } = visitor.user;
    await accounts.organization.change(username, { nickname: 'Changed' });
    await accounts.organization.change(username, { enabled: false });
    await accounts.organization.change(username, { enabled: true });
    const other = await accounts.signInAs(visitor.user);
    const sid = (await readOf(visitor)).sessions.at(-1)?.sid;
    const ended = await realm.send(`/sessions/${sid}`, {
      ...{ method: 'DELETE', basic: administrator },
      headers: { 'x-forwarded-for': '198.51.100.77' },
    });
    expect([ended.status, await other.isSignedIn()]).toEqual([204, false]);
    const data = await download(visitor);
    const text = JSON.stringify(data);
    for (const name of [administrator[0], 'Ada', '198.51.100.77']) expect(text).not.toContain(name);
    const byOthers = data.activity.filter(({ actor }) => actor.id !== data.user.id);
    expect(byOthers.map(({ type }) => type)).toEqual([
      ...['session.ended', 'user.enabled', 'user.disabled', 'user.changed', 'user.created'],
    ]);
    for (const event of byOthers) {
      expect(event.actor).toEqual({ kind: 'user' });
      expect(event).not.toHaveProperty('address');
      expect(event.subject).toMatchObject({ id: data.user.id, name: username });
    }
  });

  it('of an administrator names no person that the administrator changed', async () => {
    const chief = await accounts.createPerson({ roles: ['SystemAdministrator'] });
    const [username, password] = [chief.username, chief.password];
    const changed = await accounts.signIn({ firstName: 'Zebulon' });
    const { id } = (await readOf(changed)).user;
    const sid = (await readOf(changed)).sessions[0]?.sid;
    const ended = await realm.send(`/sessions/${sid}`, { method: 'DELETE', basic: [username, password] });
    expect(ended.status).toBe(204);
    const data = await download(await accounts.signInAs(chief));
    expect(typesOf(data)).toContain('session.ended');
    const text = JSON.stringify(data);
    for (const name of [changed.user.username, 'Zebulon', String(id)]) expect(text).not.toContain(name);
    expect(data.activity.find(({ type }) => type === 'session.ended')?.subject).toEqual({ kind: 'user' });
  });

  it('is not that of another user', async () => {
    const [visitor, stranger] = [await accounts.signIn(), await accounts.signIn()];
    const text = JSON.stringify(await download(visitor));
    const { user, sessions } = await download(stranger);
    for (const name of [stranger.user.username, String(user.id), sessions[0]?.sid]) expect(text).not.toContain(name);
  });

  it('is in the audit trail each time, and in the data after it', async () => {
    const visitor = await accounts.signIn();
    expect(typesOf(await download(visitor))).not.toContain('data.downloaded');
    const party = { kind: 'user', name: visitor.user.username };
    const events = await countEvents(visitor.user.username, 'data.downloaded');
    expect(events).toMatchObject([{ actor: party, subject: party }]);
    expect(typesOf(await download(visitor))[0]).toBe('data.downloaded');
    expect(await countEvents(visitor.user.username, 'data.downloaded')).toHaveLength(2);
  });

  describe('needs a sign-in', () => {
    it('where there is no session: the page asks in its place, and goes on to the file', async () => {
      const visitor = accounts.visit(await accounts.createPerson());
      expect(asksForSignIn(await visitor.get(path))).toBe(true);
      const answer = await visitor.signIn(path);
      expect([answer.status, answer.headers.location]).toEqual([303, path]);
      expect((await download(visitor)).user).toMatchObject({ username: visitor.user.username });
    });

    it('of the last ten minutes: after it the page asks again, and tells no event', async () => {
      const visitor = await accounts.signIn();
      realm.advance(tooLong);
      const page = await visitor.get(path);
      expect([asksForSignIn(page), isDownload(page)]).toEqual([true, false]);
      expect(await visitor.isSignedIn()).toBe(true);
      expect(await countEvents(visitor.user.username, 'data.downloaded')).toEqual([]);
      await visitor.send(page, '/account/sign-in', {
        username: visitor.user.username,
        password: visitor.user.password,
      });
      await download(visitor);
    });

    it('with the second step of a user who has one', async () => {
      const visitor = await accounts.signIn();
      const { recoveryCodes } = await accounts.addPasskey(visitor);
      await download(visitor);
      realm.advance(tooLong);
      const again = await visitor.signIn(path);
      expect(isDownload(again)).toBe(false);
      expect(isDownload(await visitor.get(path))).toBe(false);
      const answer = await visitor.send(again, '/account/second-step', { code: recoveryCodes[0] ?? '' });
      expect([answer.status, answer.headers.location]).toEqual([303, path]);
      await download(visitor);
    });

    it('and not a form: a POST there is no way to it', async () => {
      const visitor = await accounts.signIn();
      const answer = await visitor.browser.post(realm.url + path, { form_token: await visitor.readToken() });
      expect([isDownload(answer) && answer.status === 200, answer.status >= 400]).toEqual([false, true]);
    });
  });

  describe('for an administrator', () => {
    it('is the same document, by username and by id, and no event of the user', async () => {
      const visitor = await accounts.signIn();
      await accounts.addPasskey(visitor);
      const own = await download(visitor);
      const { activity, ...read } = await readOf(visitor);
      const { activity: ownActivity, ...ownRead } = own;
      expect(read).toEqual(ownRead);
      expect(activity.slice(1)).toEqual(ownActivity);
      expect(activity[0]).toMatchObject({ type: 'data.downloaded' });
      const byId = await realm.send(`/user-data?user=${own.user.id}`, { basic: administrator });
      expect(byId.json<UserData>()).toEqual({ ...read, activity });
      expect(await countEvents(visitor.user.username, 'data.downloaded')).toHaveLength(1);
    });

    it('is that of a disabled user too, and of one who never signed in', async () => {
      const user = await accounts.createPerson();
      await accounts.organization.change(user.username, { enabled: false });
      const data = await readOf({ user });
      expect(data).toMatchObject({ user: { username: user.username, enabled: false }, sessions: [], applications: [] });
      expect(typesOf(data)).toEqual(['user.disabled', 'user.created']);
    });

    it('is none while org-api is out of reach: 500, as all of administration', async () => {
      const visitor = await accounts.signIn();
      await realm.stopOrganization();
      const query = new URLSearchParams({ user: visitor.user.username });
      const answer = await realm.send(`/user-data?${query}`, { basic: administrator });
      await realm.startOrganization();
      expect(answer.status).toBe(500);
      await download(visitor);
    });
  });

  it('tells at most the newest thousand events of each service', async () => {
    const visitor = await accounts.signIn();
    const { id } = (await download(visitor)).user;
    const { database: ownDatabase, clock } = realm.deps;
    const service = { service: 'auth-server', database: ownDatabase, retentionDays: 365, clock, log: silentLog };
    const audit = createAuditTrail(service);
    const party = { kind: 'user', id: String(id), name: visitor.user.username } as const;
    const ends = Array.from(
      { length: 1_010 },
      () => ({ type: 'session.ended', actor: party, subject: party }) as const,
    );
    realm.advance(60_000);
    await audit.write(...ends);
    await audit.close();
    const data = await readOf(visitor);
    expect(data.activity.filter(({ type }) => type === 'session.ended')).toHaveLength(1_000);
    expect(typesOf(data)).toContain('user.created');
    expect(typesOf(data)).not.toContain('sign_in.succeeded');
  });
});
