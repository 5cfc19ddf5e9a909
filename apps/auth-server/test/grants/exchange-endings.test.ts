import { type Answer, createTestBrowser, readHiddenFields, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listExpiresAt } from '../../src/protocol/token-status.ts';
import { createExchanges, type Secretive, scopesOf } from '../support/exchanges.ts';
import { interruptNext } from '../support/interruption.ts';
import { passwordOf, type Realm, type TokenAnswer } from '../support/realm.ts';
import type { RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

/** A subject token that was exchanged twice: by one API, and by the next. */
interface Chain {
  tokens: TokenAnswer;
  first: string;
  second: string;
}

describe.each(testDialects)('an exchanged token ends, on %s', (dialect) => {
  let realm: Realm;
  let exchanges: ReturnType<typeof createExchanges>;
  let orders: RegisteredResource;
  let bills: RegisteredResource;
  let app: Secretive;
  let api: Secretive;
  let next: Secretive;
  /** Asks about tokens. */
  let observer: Secretive;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    exchanges = createExchanges(realm);
    [orders, bills] = [await exchanges.resources.create(), await exchanges.resources.create()];
    observer = await exchanges.registerApp([orders, bills]);
  });
  afterAll(() => realm?.close());
  beforeEach(async () => {
    await registerAll();
  });

  const registerAll = async (changes: object = {}) => {
    app = await exchanges.registerApp([orders, bills], changes);
    api = await exchanges.registerApi([app], orders, [orders, bills]);
    next = await exchanges.registerApi([api], bills, [orders, bills]);
  };
  const scope = () => `openid ${scopesOf([orders, bills]).join(' ')}`;
  const uris = () => [orders.resource, bills.resource, realm.orgUrl];
  const toOrders = () => ({ form: { resource: orders.resource } });
  const exchangeTwice = async (tokens: TokenAnswer): Promise<Chain> => {
    const { access_token: first } = await exchanges.exchange(api, tokens.access_token, { resource: bills.resource });
    const { access_token: second } = await exchanges.exchange(next, first, { resource: orders.resource });
    return { tokens, first, second };
  };
  const ofUser = async (options: Parameters<typeof exchanges.signIn>[3] = {}) =>
    exchangeTwice(await exchanges.signIn(app, scope(), uris(), { ...toOrders(), ...options }));
  const ofClient = async () =>
    exchangeTwice(await realm.tokens(app, { grant_type: 'client_credentials', ...{ resource: orders.resource } }));
  /** At this server, and in the status list that everybody else reads. */
  const statesOf = async (tokens: readonly string[]) =>
    Promise.all(
      tokens.map(async (token) => {
        const [{ active }, isRevoked] = await Promise.all([
          exchanges.introspect(observer, token),
          exchanges.isRevokedInList(token),
        ]);
        return active && !isRevoked ? 'alive' : active || !isRevoked ? 'half dead' : 'dead';
      }),
    );
  const expectAlive = async ({ first, second }: Chain) =>
    expect(await statesOf([first, second])).toEqual(['alive', 'alive']);
  const expectDead = async ({ first, second }: Pick<Chain, 'first' | 'second'>) =>
    expect(await statesOf([first, second])).toEqual(['dead', 'dead']);

  describe('with its grant', () => {
    it('when the refresh token is revoked; others stay', async () => {
      const [ended, other] = [await ofUser(), await ofUser()];
      await expectAlive(ended);
      expect((await exchanges.revoke(app, ended.tokens.refresh_token)).status).toBe(200);
      await expectDead(ended);
      await expectAlive(other);
    });

    it('when a refresh token that was used before comes back', async () => {
      const chain = await ofUser();
      const form = { grant_type: 'refresh_token', refresh_token: chain.tokens.refresh_token ?? '' };
      const { refresh_token: current = '' } = await realm.tokens(app, form);
      await realm.tokens(app, { ...form, refresh_token: current });
      await expectAlive(chain);
      expect((await realm.tokenRequest(app, form)).status).toBe(400);
      await expectDead(chain);
    });

    it('when the user signs out, unless offline access was granted', async () => {
      const browser = createTestBrowser();
      const chain = await ofUser({ browser });
      const offline = await exchanges.signIn(app, `${scope()} offline_access`, uris(), { ...toOrders(), browser });
      const staying = await exchangeTwice(offline);
      const url = `${realm.url}/oauth/logout`;
      await browser.submit(await browser.get(url), url, {});
      await expectDead(chain);
      await expectAlive(staying);
    });

    it('when the user takes the consent back', async () => {
      await registerAll({ require_consent: true, authorized_grant_types: ['authorization_code', 'refresh_token'] });
      const browser = createTestBrowser();
      const chain = await ofUser({ browser, allow: true });
      await expectAlive(chain);
      const url = `${realm.url}/oauth/consents`;
      await browser.post(url, readHiddenFields((await browser.get(url)).text));
      await expectDead(chain);
    });
  });

  describe('with a token that it was exchanged from', () => {
    it('when that is revoked alone (RFC 7009); the rest of the grant stays', async () => {
      const chain = await ofUser();
      const { access_token: sibling } = await exchanges.exchange(api, chain.tokens.access_token, {
        resource: realm.orgUrl,
      });
      await exchanges.revoke(api, chain.first);
      await expectDead(chain);
      expect(await statesOf([sibling, chain.tokens.access_token])).toEqual(['alive', 'alive']);
      await exchanges.revoke(app, chain.tokens.access_token);
      expect(await statesOf([sibling])).toEqual(['dead']);
    });

    it('also when it is of a client itself, whose grant has no row', async () => {
      const [chain, other] = [await ofClient(), await ofClient()];
      await exchanges.revoke(app, chain.tokens.access_token);
      await expectDead(chain);
      await expectAlive(other);
    });
  });

  describe('with a client of the chain', () => {
    it.each([
      ['that the subject token was issued to', () => app],
      ['that exchanged it', () => next],
      ['that exchanged the one before', () => api],
    ])('%s, when it is deleted', async (_what, choose) => {
      const chains = [await ofUser(), await ofClient()];
      await exchanges.delete(choose());
      for (const { first, second } of chains) {
        expect(await statesOf([second])).toEqual(['dead']);
        expect(await statesOf([first])).toEqual([choose() === next ? 'alive' : 'dead']);
      }
      // Another client of the same name changes nothing, not even in the same second, which is all that a token says of its time.
      const { client_id, client_secret } = choose();
      const authorized_grant_types = ['client_credentials'];
      await realm.register({ client_id, client_secret, scope: ['openid'], authorized_grant_types });
      for (const { second } of chains) expect(await statesOf([second])).toEqual(['dead']);
    });

    it.each([
      ['that the subject token was issued to', () => app],
      ['that exchanged the one before', () => api],
      ['that exchanged it', () => next],
    ])('%s, when its ceiling is lowered', async (_what, choose) => {
      const chains = [await ofUser(), await ofClient()];
      const client = choose();
      await lowerCeiling(client);
      for (const { second } of chains) expect(await statesOf([second])).toEqual(['dead']);
      for (const { first } of chains) expect(await statesOf([first])).toEqual([client === next ? 'alive' : 'dead']);
      await expectAlive(await ofUser());
    });

    it('when it begins to ask its users', async () => {
      const chain = await ofUser();
      await exchanges.change(app, {
        ...{ require_consent: true, authorized_grant_types: ['authorization_code', 'refresh_token'] },
      });
      await expectDead(chain);
    });

    /** What a change does in the database that lowers the ceiling, by a process that is killed right afterwards. */
    const lowerCeiling = async (client: Secretive) => {
      const sql = 'UPDATE clients SET ceiling = ?, token_generation = token_generation + 1 WHERE client_id = ?';
      await realm.deps.database.execute(sql, ['IdpAdministrator DirectoryReader', client.client_id]);
      // The next change ends what the killed process did not end.
      await exchanges.change(client, { access_token_validity: 900 });
    };
  });

  describe('with its user', () => {
    const asAdministrator = async () =>
      (await realm.tokens(observer, { ...passwordOf('admin'), scope: 'openid roles' })).access_token;
    const createUser = async () => {
      const username = `user-${Math.random().toString(36).slice(2)}@example.com`;
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const body = JSON.stringify({ username, userType: 'Person', password: `${username.split('@')[0]}-password` });
      const answer = await exchanges.askOrgApi('user', await asAdministrator(), { ...init, body });
      expect(answer.status).toBe(201);
      return username.split('@')[0] ?? '';
    };
    const changeUser = async (method: string, path: string, json: object) => {
      const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
      const { status } = await exchanges.askOrgApi(`user/userId/${path}`, await asAdministrator(), init);
      expect([200, 204]).toContain(status);
    };

    it.each<[string, (username: string) => Promise<void>]>([
      ['has a new password', (username) => changeUser('PUT', `${username}/password`, { password: 'another password' })],
      ['is disabled', (username) => changeUser('PATCH', username, { enabled: false })],
    ])('when it %s, here and at org-api', async (_what, change) => {
      const name = await createUser();
      const { tokens } = await ofUser({ user: name });
      const { access_token: token } = await exchanges.exchange(api, tokens.access_token, { resource: realm.orgUrl });
      const path = `user/allDetails/userId/${name}@example.com`;
      expect((await exchanges.askOrgApi(path, token)).status).toBe(200);
      await change(`${name}@example.com`);
      expect((await exchanges.askOrgApi(path, token)).status).toBe(401);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      expect(await exchanges.introspect(observer, token)).toEqual({ active: false });
      expect(await exchanges.fault(api, tokens.access_token)).toEqual([400, 'invalid_request']);
    });
  });

  it('at org-api, which reads the status list alone', async () => {
    const { tokens } = await ofUser();
    const { access_token: token } = await exchanges.exchange(api, tokens.access_token, { resource: realm.orgUrl });
    const ask = async () => (await exchanges.askOrgApi('user/allDetails/userId/user@example.com', token)).status;
    expect(await ask()).toBe(200);
    await exchanges.delete(app);
    const deadline = Date.now() + 5_000;
    while ((await ask()) !== 401 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ask()).toBe(401);
  });

  it('in the database too, once its list has', async () => {
    await ofUser();
    const sql = 'SELECT list_id, expires_at FROM grant_statuses';
    const rows = await realm.deps.database.query<{ list_id: number; expires_at: unknown }>(sql);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Number(row.expires_at)).toBe(listExpiresAt(row.list_id));
  });

  describe('where the end comes while it is exchanged', () => {
    type End = [string, () => Promise<TokenAnswer>, (tokens: TokenAnswer) => Promise<unknown>];
    const user = () => exchanges.signIn(app, scope(), uris(), toOrders());
    const machine = () => realm.tokens(app, { grant_type: 'client_credentials', ...{ resource: orders.resource } });
    const ends: End[] = [
      ['of the grant', user, ({ refresh_token }) => exchanges.revoke(app, refresh_token)],
      ['of the subject token', machine, ({ access_token }) => exchanges.revoke(app, access_token)],
      ['of the client of the subject token', user, () => exchanges.delete(app)],
      ['of a client that acts for itself', machine, () => exchanges.delete(app)],
      ['of the client that exchanges it', user, () => exchanges.delete(api)],
    ];
    const interrupt = (pattern: RegExp, side: Parameters<typeof interruptNext>[2]) =>
      interruptNext(realm.deps.database, pattern, side);
    const exchange = (subject: string) => exchanges.request(api, subject, { resource: bills.resource });
    const expectNothingAlive = async (answer: Answer) => {
      if (answer.status === 200) expect(await statesOf([answer.json<TokenAnswer>().access_token])).toEqual(['dead']);
      else expect(answer.json().error).toMatch(/^invalid_(request|client)$/);
    };

    it.each(ends)('%s, before its status is stored', async (_what, begin, end) => {
      const tokens = await begin();
      const isMet = interrupt(/^INSERT INTO grant_statuses/, { before: () => end(tokens) });
      await expectNothingAlive(await exchange(tokens.access_token));
      expect(isMet()).toBe(true);
    });

    it.each(ends)('%s, once its status is stored', async (_what, begin, end) => {
      const tokens = await begin();
      const isMet = interrupt(/^INSERT INTO grant_statuses/, { after: () => end(tokens) });
      await expectNothingAlive(await exchange(tokens.access_token));
      expect(isMet()).toBe(true);
    });

    it.each<[string, RegExp, 'before' | 'after']>([
      ['after the exchanged tokens were looked for', /^SELECT DISTINCT list_id FROM grant_statuses/, 'after'],
      ['before that', /^SELECT DISTINCT list_id FROM grant_statuses/, 'before'],
      ['before the end is stored', /^(INSERT INTO revocations|DELETE FROM clients)/, 'before'],
      ['once the end is stored', /^(INSERT INTO revocations|DELETE FROM clients)/, 'after'],
    ])('and the exchange comes %s', async (_when, pattern, side) => {
      for (const [_what, begin, end] of ends) {
        await registerAll();
        const tokens = await begin();
        let answer: Answer | undefined;
        const act = async () => {
          answer = await exchange(tokens.access_token);
        };
        const isMet = interrupt(pattern, { [side]: act });
        await end(tokens);
        expect(isMet()).toBe(true);
        await expectNothingAlive(answer as Answer);
      }
    });

    it.each([
      ['is deleted', 'DELETE FROM clients WHERE client_id = ?'],
      ['has less', 'UPDATE clients SET token_generation = token_generation + 1 WHERE client_id = ?'],
    ])('as its client %s, by a process that is killed before it ends the tokens', async (_what, sql) => {
      const { access_token: subject } = await user();
      const kill = () => realm.deps.database.execute(sql, [app.client_id]);
      const isMet = interrupt(/^INSERT INTO grant_statuses/, { before: kill });
      const answer = await exchange(subject);
      expect([isMet(), answer.status, answer.json().error]).toEqual([true, 400, 'invalid_request']);
    });

    it('by its time: no token is issued that has expired', async () => {
      const { access_token: subject } = await user();
      const isMet = interrupt(/^INSERT INTO grant_statuses/, { before: async () => realm.advance(1_900_000) });
      const answer = await exchange(subject);
      // The tests that follow have their own time back.
      realm.advance(-1_900_000);
      expect([isMet(), answer.status, answer.json().error]).toEqual([true, 400, 'invalid_request']);
    });

    it('of a chain that two revoke at the same moment', async () => {
      const chains = await Promise.all([ofUser(), ofUser(), ofUser()]);
      await Promise.all([
        ...chains.flatMap(({ tokens }) => [
          exchanges.revoke(app, tokens.refresh_token),
          exchanges.revoke(app, tokens.access_token),
        ]),
        ...chains.map(({ first }) => exchanges.revoke(api, first)),
        exchanges.delete(app),
      ]);
      for (const chain of chains) await expectDead(chain);
    });
  });
});
