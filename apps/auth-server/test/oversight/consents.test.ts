import { type Answer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConsentView } from '../../src/oversight/consent-view.ts';
import { en } from '../../src/pages/messages/en.ts';
import { type Accounts, type Credentials, readEntries, useAccounts, type Visitor } from '../support/account.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const idpAdministrator: [string, string] = ['idp.admin@example.com', 'idp-password'];

interface ConsentPage {
  consents: ConsentView[];
  next_cursor?: string;
}

describe.each(testDialects)('consents for administrators on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let client: Credentials;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    client = await registerThirdParty();
  });
  afterAll(() => realm.close());

  const registerThirdParty = (more: object = {}) => accounts.registerClient({ require_consent: true, ...more });
  const queryOf = (query: Record<string, string>) => new URLSearchParams(query).toString();
  const send = (query: Record<string, string>, method = 'GET', basic = administrator): Promise<Answer> =>
    realm.send(`/consents?${queryOf(query)}`, { method, basic });
  const read = async (query: Record<string, string>, basic = administrator): Promise<ConsentPage> => {
    const answer = await send(query, 'GET', basic);
    expect([answer.status, answer.headers['cache-control'], answer.text]).toEqual([200, 'no-store', expect.anything()]);
    return answer.json<ConsentPage>();
  };
  const consentsOf = async ({ user }: Visitor) => (await read({ user: user.username })).consents;
  const pairOf = ({ user }: Visitor, { client_id }: Credentials) => ({ user: user.username, client: client_id });
  const readPages = async (query: Record<string, string>): Promise<ConsentView[][]> => {
    const pages: ConsentView[][] = [];
    let cursor: string | undefined;
    do {
      const page = await read({ ...query, limit: '2', ...(cursor !== undefined && { cursor }) });
      pages.push(page.consents);
      cursor = page.next_cursor;
    } while (cursor !== undefined && pages.length < 50);
    return pages;
  };

  it('are listed with user, client, scope, APIs, claims and time', async () => {
    const { resource, scopes } = await administerResources(realm).create();
    const [{ name: first } = { name: '' }] = scopes;
    const of = await registerThirdParty({
      ...{ resources: [resource], default_resource: resource, scope: ['openid', 'profile', first] },
    });
    const visitor = await accounts.signIn();
    await accounts.obtainTokens(visitor, of, `openid profile ${first}`);
    const [consent, ...more] = await consentsOf(visitor);
    expect([consent, more]).toEqual([
      {
        client_id: of.client_id,
        user: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), username: visitor.user.username },
        scope: expect.arrayContaining(['openid', 'profile']),
        resources: [{ resource, scope: [first] }],
        claims: [],
        grantedAt: expect.any(String),
      },
      [],
    ]);
    expect(Math.abs(Date.parse(consent?.grantedAt ?? '') - realm.clock())).toBeLessThan(60_000);
  });

  it('are those of a user, of a client, or of both, and none to clients that ask nobody', async () => {
    const [of, other, firstParty] = [
      await registerThirdParty(),
      await registerThirdParty(),
      await accounts.registerClient(),
    ];
    const [visitor, neighbour] = [await accounts.signIn(), await accounts.signIn()];
    for (const each of [of, other, firstParty]) await accounts.obtainTokens(visitor, each);
    await accounts.obtainTokens(neighbour, of);
    const own = await consentsOf(visitor);
    expect(own.map(({ client_id }) => client_id)).toEqual([of.client_id, other.client_id].sort());
    expect((await read({ user: own[0]?.user.id ?? '' })).consents).toEqual(own);
    expect((await read(pairOf(visitor, of))).consents).toEqual(
      own.filter(({ client_id }) => client_id === of.client_id),
    );
    expect((await read(pairOf(neighbour, other))).consents).toEqual([]);
    const ofClient = (await read({ client: of.client_id })).consents;
    expect(ofClient.map(({ user }) => user.username).sort()).toEqual(
      [visitor.user.username, neighbour.user.username].sort(),
    );
    expect((await read({ client: firstParty.client_id })).consents).toEqual([]);
  });

  it('come in pages, which lose nothing and repeat nothing', async () => {
    const of = await registerThirdParty();
    const others = [await registerThirdParty(), await registerThirdParty()];
    const visitors = [await accounts.signIn(), await accounts.signIn(), await accounts.signIn()];
    for (const visitor of visitors) await accounts.obtainTokens(visitor, of);
    const [visitor] = visitors as [Visitor];
    for (const other of others) await accounts.obtainTokens(visitor, other);
    for (const query of [{ client: of.client_id }, { user: visitor.user.username }] as Record<string, string>[]) {
      const all = (await read(query)).consents;
      expect(all).toHaveLength(3);
      const pages = await readPages(query);
      expect(pages.flat()).toEqual(all);
      expect(pages.slice(0, 2).map((page) => page.length)).toEqual([2, 1]);
    }
  });

  it('are taken back as by the user: the grants of the client end, and it asks again', async () => {
    const visitor = await accounts.signIn();
    const other = await registerThirdParty();
    const [tokens, ofOther] = [
      await accounts.obtainTokens(visitor, client),
      await accounts.obtainTokens(visitor, other),
    ];
    const answer = await send(pairOf(visitor, client), 'DELETE');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await accounts.isRefreshed(client, tokens)).toBe(false);
    expect(await accounts.isActive(client, tokens.access_token)).toBe(false);
    expect((await consentsOf(visitor)).map(({ client_id }) => client_id)).toEqual([other.client_id]);
    expect(await accounts.isRefreshed(other, ofOther)).toBe(true);
    const { text } = await visitor.get('/oauth/consents');
    expect([text.includes(client.client_id), text.includes(other.client_id)]).toEqual([false, true]);
  });

  it('that are not there are nothing: 204, no event, and no grant ends', async () => {
    const visitor = await accounts.signIn();
    const firstParty = await accounts.registerClient();
    const tokens = await accounts.obtainTokens(visitor, firstParty);
    expect((await send(pairOf(visitor, client), 'DELETE')).status).toBe(204);
    expect((await send(pairOf(visitor, firstParty), 'DELETE')).status).toBe(204);
    expect(await accounts.isRefreshed(firstParty, tokens)).toBe(true);
    const query = queryOf({ type: 'consent.withdrawn', subject: visitor.user.username });
    expect((await realm.send(`/audit-events?${query}`, { basic: administrator })).json()).toMatchObject({ events: [] });
  });

  it('are taken back with an event, which the user sees without the name of the administrator', async () => {
    const visitor = await accounts.signIn();
    await accounts.obtainTokens(visitor, client);
    await send(pairOf(visitor, client), 'DELETE');
    const query = queryOf({ type: 'consent.withdrawn', subject: visitor.user.username });
    const { events } = (await realm.send(`/audit-events?${query}`, { basic: administrator })).json();
    expect(events).toMatchObject([
      {
        outcome: 'succeeded',
        actor: { kind: 'user', name: administrator[0] },
        subject: { kind: 'user', name: visitor.user.username },
        details: { by_administrator: true, client: client.client_id },
      },
    ]);
    const [newest = ''] = readEntries(await visitor.get('/account/activity'));
    expect(newest).toContain(en.activity.events['consent.withdrawn']);
    expect(newest).toContain(en.activity.byAdministrator);
    expect(newest).not.toContain(administrator[0]);
  });

  it('of a user with a role that the caller lacks are not shown and not taken back', async () => {
    const of = await registerThirdParty();
    const [plain, powerful] = [await accounts.signIn(), await accounts.signIn({ roles: ['SystemAdministrator'] })];
    await accounts.obtainTokens(plain, of);
    const tokens = await accounts.obtainTokens(powerful, of);
    const detail = 'the user has the role SystemAdministrator, which you lack; ask an administrator with more roles';
    for (const [method, query] of [
      ['GET', { user: powerful.user.username }],
      ['GET', pairOf(powerful, of)],
      ['DELETE', pairOf(powerful, of)],
    ] as [string, Record<string, string>][]) {
      const answer = await send(query, method, idpAdministrator);
      expect([answer.status, answer.json().detail]).toEqual([403, detail]);
    }
    const shown = (await read({ client: of.client_id }, idpAdministrator)).consents;
    expect(shown.map(({ user }) => user.username)).toEqual([plain.user.username]);
    expect(await accounts.isRefreshed(of, tokens)).toBe(true);
    expect((await send(pairOf(plain, of), 'DELETE', idpAdministrator)).status).toBe(204);
    expect((await read({ client: of.client_id })).consents.map(({ user }) => user.username)).toEqual([
      powerful.user.username,
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['GET', {}, 'user'],
    ['GET', { user: '' }, 'user'],
    ['GET', { client: 'a b' }, 'client'],
    ['GET', { client: 'a', limit: '0' }, 'limit'],
    ['GET', { client: 'a', cursor: "'" }, 'cursor'],
    ['DELETE', {}, 'user'],
    ['DELETE', { user: 'admin@example.com' }, 'client'],
    ['DELETE', { client: 'a' }, 'user'],
    ['DELETE', { client: 'a', user: 'b', cursor: 'x' }, 'cursor'],
  ])('are not for a wrong request: %s %j', async (method, query, field) => {
    const answer = await send(query, method);
    expect(answer.status).toBe(400);
    expect(answer.json<{ errors: { field: string }[] }>().errors.map((error) => error.field)).toContain(field);
  });

  it.each<[string, Record<string, string>, number]>([
    ['GET', { user: 'nobody@example.com' }, 404],
    ['GET', { client: 'nobody' }, 404],
    ['GET', { user: 'admin@example.com', client: 'nobody' }, 404],
    ['DELETE', { user: 'nobody@example.com', client: 'nobody' }, 404],
    ['DELETE', { user: 'admin@example.com', client: 'nobody' }, 404],
    ['GET', { user: 'robot@example.com' }, 400],
  ])('are not of what is not there: %s %j: %i', async (method, query, status) => {
    expect((await send(query, method)).status).toBe(status);
  });

  it('need an administrator: 403 for a user, 401 for nobody', async () => {
    const visitor = await accounts.signIn();
    await accounts.obtainTokens(visitor, client);
    for (const method of ['GET', 'DELETE']) {
      const own: [string, string] = [visitor.user.username, visitor.user.password];
      expect((await send(pairOf(visitor, client), method, own)).status).toBe(403);
      const query = queryOf(pairOf(visitor, client));
      expect((await realm.send(`/consents?${query}`, { method })).status).toBe(401);
    }
    expect(await consentsOf(visitor)).toHaveLength(1);
  });
});
