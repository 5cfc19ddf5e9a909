import { randomUUID } from 'node:crypto';
import type { Logger } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { findFreePort, type MailServer, quickestDialect, startMailServer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ForgettingDependencies, startForgettingUsers } from '../../src/account/forget-deleted-users.ts';
import { en } from '../../src/pages/messages/en.ts';
import { OrganizationUnavailableError } from '../../src/protocol/organization-unavailable.ts';
import {
  type Accounts,
  asksForSignIn,
  type Credentials,
  readForms,
  resultOf,
  tooLong,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { type BackChannel, listenAtBackChannel } from '../support/back-channel.ts';
import { mailEnv, makeNetworksFamiliar, openOrganizationDatabase } from '../support/mailed-links.ts';
import { type Realm, startAuthServer, startRealm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account/delete';
const { deletion: texts, email: emailTexts, signIn, account } = en;

describe(`the deletion of an account where it is off (on ${quickestDialect})`, () => {
  let realm: Realm;
  let accounts: Accounts;
  beforeAll(async () => {
    realm = await startRealm();
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm?.close());

  it('has no page and takes no form, with and without a session: 404', async () => {
    const visitor = await accounts.signIn();
    const stranger = accounts.visit(visitor.user);
    const { username } = visitor.user;
    for (const answer of [
      await visitor.get(path),
      await visitor.post(path, { username }),
      await stranger.get(path),
      await stranger.sendTo(path, { username }),
    ]) {
      expect(answer.status).toBe(404);
      expect(asksForSignIn(answer)).toBe(false);
    }
    expect((await visitor.get('/account')).text).not.toContain(`href="${path}"`);
    expect(await visitor.isSignedIn()).toBe(true);
  });
});

describe.each(testDialects)('the deletion of an account on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;
  let client: Credentials;
  let backChannel: BackChannel;
  let mails: MailServer;
  let database: Database;

  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn(dialect, {}, { orgEnv: { ...mailEnv(mails), ACCOUNT_DELETION: 'on' } });
    accounts = await useAccounts(realm);
    backChannel = await listenAtBackChannel();
    client = await accounts.registerClient({ backchannel_logout_uri: backChannel.uri, require_consent: true });
    database = await openOrganizationDatabase(realm.orgDatabaseUrl);
  });
  afterAll(async () => {
    await database?.close();
    backChannel?.close();
    await realm?.close();
    await mails?.close();
  });

  const signInVerified = (more: object = {}) => accounts.signIn({ emailVerified: true, ...more });
  const remove = (visitor: Visitor, username = visitor.user.username) => visitor.submit(path, path, { username });
  const readId = async ({ username }: { username: string }) => {
    const [row] = await database.query<{ id: Buffer }>('SELECT id FROM users WHERE username = ?', [username]);
    const hex = row?.id.toString('hex') ?? '';
    return { hex, id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') };
  };
  const exists = async (username: string) =>
    (await database.query('SELECT 1 FROM users WHERE username = ?', [username])).length === 1;
  /** What auth-server keeps of a user. */
  const countKept = async ({ id }: { id: string }) => {
    const tables = ['browser_sessions', 'consents', 'remembered_browsers'];
    const counts = tables.map(async (table) => {
      const sql = `SELECT COUNT(*) AS found FROM ${table} WHERE user_id = ?`;
      const [row] = await realm.deps.database.query<{ found: number }>(sql, [id]);
      return Number(row?.found);
    });
    return Promise.all(counts);
  };
  const rememberBrowser = async ({ user }: Visitor, code: string) => {
    const another = accounts.visit(user);
    await another.send(await another.signIn(), '/account/second-step', { code, remember_browser: 'yes' });
    return another;
  };

  it('is on the page of the profile, and asks for the username', async () => {
    const visitor = await signInVerified();
    expect((await visitor.get('/account')).text).toContain(`href="${path}"`);
    const page = await visitor.get(path);
    expect([page.status, page.text.includes(texts.about)]).toEqual([200, true]);
    expect(await exists(visitor.user.username)).toBe(true);
  });

  it('needs the second step of who has one', async () => {
    const visitor = await signInVerified();
    await makeNetworksFamiliar(database);
    const { nextCode } = await accounts.addCodeApp(visitor);
    const remembered = await rememberBrowser(visitor, nextCode());
    await remembered.submit('/account/sessions', '/account/sessions/end');
    // The remembered browser stands for the second step at the sign-in alone.
    expect(resultOf(await remembered.signIn())).toEqual([303, '/account']);
    expect(asksForSignIn(await remembered.get(path))).toBe(true);
    const posted = await remembered.post(path, { username: visitor.user.username });
    expect([posted.status, await exists(visitor.user.username)]).toEqual([403, true]);
  });

  it('takes no form without its token, nor of another session: 403', async () => {
    const [visitor, other] = [await signInVerified(), await signInVerified()];
    const { username } = visitor.user;
    const foreign = readForms(await other.get(path)).find(({ action }) => action === path)?.fields;
    for (const fields of [{}, foreign]) {
      expect(resultOf(await visitor.sendTo(path, { ...fields, username }))).toEqual([403, account.stale]);
    }
    expect(await exists(username)).toBe(true);
  });

  it.each<[string, (username: string) => string]>([
    ['none', () => ''],
    ['another', () => 'admin@example.com'],
    ['a part of it', (username) => username.slice(1)],
  ])('takes no username but that of the account: %s: 400', async (_case, choose) => {
    const visitor = await signInVerified();
    const answer = await remove(visitor, choose(visitor.user.username));
    expect(resultOf(answer)).toEqual([400, emailTexts.wrongUsername]);
    expect([await visitor.isSignedIn(), await exists('admin@example.com')]).toEqual([true, true]);
  });

  it('ends all that both services keep: methods, sessions, grants, consents and remembered browsers', async () => {
    const visitor = await signInVerified();
    const { username } = visitor.user;
    const tokens = [
      await accounts.obtainTokens(visitor, client),
      await accounts.obtainTokens(visitor, client, 'openid offline_access'),
    ];
    const sid = readForms(await visitor.get('/account/sessions'))[0]?.fields.sid;
    expect(sid).toBeDefined();
    await makeNetworksFamiliar(database);
    const { nextCode } = await accounts.addCodeApp(visitor);
    await accounts.addPasskey(visitor);
    const remembered = await rememberBrowser(visitor, nextCode());
    const { id, hex } = await readId(visitor.user);
    const kept = await countKept({ id });
    expect(kept.every((rows) => rows > 0)).toBe(true);

    const done = await remove(visitor, username.toUpperCase());
    expect([done.status, done.headers['cache-control'], done.text.includes(texts.doneTitle)]).toEqual([
      200,
      'no-store',
      true,
    ]);
    expect(visitor.sessionCookie()).toBeUndefined();
    expect([await visitor.isSignedIn(), await remembered.isSignedIn()]).toEqual([false, false]);
    expect(await countKept({ id })).toEqual([0, 0, 0]);
    expect(await backChannel.tellOf(sid, 1)).toEqual([client.client_id]);
    for (const each of tokens) {
      expect(await accounts.isRefreshed(client, each)).toBe(false);
      expect(await accounts.isActive(client, each.access_token)).toBe(false);
    }
    const key = [Buffer.from(hex, 'hex')];
    for (const table of ['passkeys', 'code_apps', 'recovery_codes', 'mailed_links']) {
      expect([table, await database.query(`SELECT 1 FROM ${table} WHERE user_id = ?`, key)]).toEqual([table, []]);
    }
    await mails.waitFor(username, { subject: 'Your account was deleted' });
  });

  it('leaves the username to another, who inherits nothing', async () => {
    const visitor = await signInVerified();
    await accounts.obtainTokens(visitor, client);
    expect((await remove(visitor)).status).toBe(200);
    await accounts.organization.create({ ...visitor.user, userType: 'Person' });
    const next = await accounts.signInAs(visitor.user);
    expect(readForms(await next.get('/account/applications')).filter(({ fields }) => 'registration' in fields)).toEqual(
      [],
    );
    expect((await next.get('/account/methods')).text).not.toContain('/account/passkeys/remove');
  });

  it('is refused to the last administrator, who stays: 400', async () => {
    const visitor = await accounts.signInAs({ username: 'admin@example.com', password: 'admin-password' });
    expect(resultOf(await remove(visitor))).toEqual([400, texts.lastAdministrator]);
    expect([await visitor.isSignedIn(), await exists('admin@example.com')]).toEqual([true, true]);
  });

  it('happens once for ten at once', async () => {
    const visitor = await signInVerified();
    const { username } = visitor.user;
    const fields = readForms(await visitor.get(path)).find(({ action }) => action === path)?.fields;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => visitor.browser.post(realm.url + path, { ...fields, username })),
    );
    expect(answers.filter(({ text }) => text.includes(texts.doneTitle))).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await exists(username)).toBe(false);
    await mails.waitFor(username, { subject: 'Your account was deleted' });
  });

  it('by an administrator is learned at the next look, and all is forgotten', async () => {
    const visitor = await signInVerified();
    const tokens = await accounts.obtainTokens(visitor, client, 'openid offline_access');
    const { id } = await readId(visitor.user);
    await accounts.organization.delete(visitor.user.username);
    // Another replica looks ten seconds after its start.
    const replica = await startAuthServer(await findFreePort(), realm.env, realm.clock);
    try {
      const deadline = performance.now() + 20_000;
      while ((await countKept({ id })).some((rows) => rows > 0) && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      expect(await countKept({ id })).toEqual([0, 0, 0]);
    } finally {
      await replica.stop();
    }
    expect(await accounts.isRefreshed(client, tokens)).toBe(false);
  }, 40_000);

  it('is an event of the user', async () => {
    const visitor = await signInVerified();
    const { username } = visitor.user;
    expect((await remove(visitor)).status).toBe(200);
    const sql = "SELECT * FROM audit_events WHERE type = 'user.deleted'";
    const rows = await database.query<Record<string, unknown>>(sql);
    const ofUser = rows.map((row) => JSON.stringify(row)).filter((row) => row.includes(username));
    expect([ofUser.length, ofUser[0]?.split(username).length]).toEqual([1, 5]);
  });

  it('needs a session, and one of the last ten minutes: else it asks for the sign-in, and nothing happens', async () => {
    const visitor = await signInVerified();
    const { username } = visitor.user;
    const stranger = accounts.visit(visitor.user);
    expect(asksForSignIn(await stranger.get(path))).toBe(true);
    const posted = await stranger.sendTo(path, { username });
    expect([posted.status, asksForSignIn(posted)]).toEqual([403, true]);
    const fields = readForms(await visitor.get(path)).find(({ action }) => action === path)?.fields;
    realm.advance(tooLong);
    expect(asksForSignIn(await visitor.get(path))).toBe(true);
    expect(resultOf(await visitor.sendTo(path, { ...fields, username }))).toEqual([403, signIn.again]);
    expect(await exists(username)).toBe(true);
  });
});

describe('the look for users who were deleted', () => {
  let now: number;
  let tick: () => void;
  let asked: number[];
  let forgotten: string[];
  let warned: unknown[];
  let answer: () => Promise<{ id: string; deletedAt: number }[]>;

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
    [asked, forgotten, warned] = [[], [], []];
    answer = async () => [];
    const settings = { codeApp: true, passkeys: true, accounts: true, mails: true };
    const forget = async (id: string) => void forgotten.push(id);
    const deps = {
      directory: {
        async readSettings(_context: object, query: { deletedAfter: number }) {
          asked.push(query.deletedAfter);
          return { ...settings, deletedUsers: await answer() };
        },
      },
      settings: { find: async () => settings },
      sessions: { listOfUser: async () => [] },
      browserSessions: { endListed: async () => {} },
      revocations: { endGrantsOfUser: forget },
      rememberedBrowsers: { forgetAll: async () => {} },
      consentStore: { deleteOfUser: async () => {} },
      clock: () => now,
      repeat: (run: () => void) => {
        tick = run;
        return () => {};
      },
      log: { warn: (what: unknown) => void warned.push(what) } as unknown as Logger,
    } as unknown as ForgettingDependencies;
    startForgettingUsers(deps);
  });

  const turn = async (times = 1) => {
    for (let count = 0; count < times; count += 1) {
      tick();
      await new Promise((resolve) => setImmediate(resolve));
      now += 10_000;
    }
  };

  it('is at the first turn and then once a minute', async () => {
    await turn();
    expect(asked).toHaveLength(1);
    await turn(5);
    expect(asked).toHaveLength(1);
    await turn();
    expect(asked).toHaveLength(2);
  });

  it('begins with all of thirty days, and goes on with those since, with room for clocks that differ', async () => {
    const started = now;
    answer = async () => [{ id: 'one', deletedAt: started - 1 }];
    await turn(7);
    expect(asked).toEqual([started - 30 * 86_400_000, started - 300_000]);
    expect(forgotten).toEqual(['one', 'one']);
  });

  it('goes on where a full page ended', async () => {
    const page = Array.from({ length: 1_000 }, (_, index) => ({ id: randomUUID(), deletedAt: 5_000 + index }));
    answer = async () => page;
    await turn(7);
    expect(asked[1]).toBe(5_999);
    expect(forgotten).toHaveLength(2_000);
  });

  it('asks for the same again after a failure, and tells only what is not told elsewhere', async () => {
    answer = async () => {
      throw new OrganizationUnavailableError('out of reach');
    };
    await turn(6);
    expect(warned).toEqual([]);
    answer = async () => {
      throw new Error('no table');
    };
    await turn(6);
    expect(warned).toHaveLength(1);
    answer = async () => [{ id: 'one', deletedAt: now }];
    await turn(1);
    expect([new Set(asked).size, forgotten]).toEqual([1, ['one']]);
  });
});
