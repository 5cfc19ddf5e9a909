import { createId } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { fill } from '@gatehouse/service-kit/html';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createIdentityStore } from '../../../org-api/src/identities/identity-store.ts';
import { createUserStore } from '../../../org-api/src/users/user-store.ts';
import { formatDay } from '../../src/account/account-page.ts';
import type { UserData } from '../../src/account/describe-data.ts';
import { en } from '../../src/pages/messages/en.ts';
import type { Upstream } from '../../src/upstreams/upstream.ts';
import {
  type Accounts,
  asksForSignIn,
  escaped,
  type Person,
  readForms,
  resultOf,
  tooLong,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { buildUpstream } from '../support/builders.ts';
import { openOrganizationDatabase } from '../support/mailed-links.ts';
import { withinOneSecond } from '../support/organization.ts';
import { administrator, type Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const page = '/account/methods';
const action = '/account/identities/remove';
const done = [303, page];
const { account, activity, methods } = en;

function buildLogin(number: number, more: Partial<Upstream> = {}): Upstream {
  return buildUpstream({
    ...{ alias: `login-${number}`, displayName: `Login ${number}`, issuer: `https://login${number}.example.net` },
    ...{ method: 'private_key_jwt', sealedSecret: undefined, createdAt: 1, updatedAt: 1, ...more },
  });
}
const hostile = buildLogin(100, { displayName: '"><b>Login' });
const many = buildLogin(101, { issuer: 'https://many.example.net/{tenantid}/v2.0', tenants: ['t1', 't2'] });

describe.each(testDialects)('the identities of a user on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;
  let database: Database;
  const upstreams: Upstream[] = [];
  const administer = async (method: string, path: string, json?: object) => {
    const answer = await realm.send(`/upstreams${path}`, { method, basic: administrator, ...(json && { json }) });
    expect([answer.status < 300, answer.text]).toEqual([true, expect.any(String)]);
  };
  const register = ({ alias, displayName, issuer, clientId, method, tenants }: Upstream) =>
    administer('POST', '', {
      ...{ alias, display_name: displayName, kind: 'oidc', issuer, client_id: clientId },
      ...{ token_endpoint_auth_method: method, tenants },
    });

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    database = await openOrganizationDatabase(realm.orgDatabaseUrl);
    for (let number = 0; number < 24; number += 1) upstreams.push(buildLogin(number));
    for (const upstream of [...upstreams, hostile, many]) await register(upstream);
  });
  afterAll(async () => {
    await database.close();
    await realm.close();
  });

  const takeUpstream = (): Upstream => {
    const upstream = upstreams.pop();
    if (upstream === undefined) throw new Error('all upstreams are used');
    return upstream;
  };
  /** As a sign-in there leaves it. */
  const link = async (
    { username }: Person,
    { alias: upstream, issuer, displayName: upstreamName }: Upstream,
  ): Promise<{ issuer: string; subject: string; id: string }> => {
    const users = createUserStore(database);
    const identities = createIdentityStore(database);
    const user = await users.findByUsername(username);
    if (user === undefined) throw new Error(`no user ${username}`);
    const { id: userId, passwordChangedAt } = user;
    const found = { issuer, subject: createId() };
    await users.noteIdentities(userId);
    const texts = { upstream, upstreamName, shown: username };
    const now = realm.clock();
    const linked = await identities.link({ ...found, ...texts, userId, passwordChangedAt, beganAt: now, now });
    expect(linked).toEqual({ outcome: 'linked' });
    await users.touch([userId], now);
    return { ...found, id: (await identities.find(found))?.id ?? '' };
  };
  const signIn = async (more: object = {}) => {
    const visitor = await accounts.signIn(more);
    const upstream = takeUpstream();
    return { visitor, upstream, identity: await link(visitor.user, upstream) };
  };
  const read = async (visitor: Visitor) => (await visitor.get(page)).text;
  const unlink = async (visitor: Visitor, id: string) => resultOf(await visitor.submit(page, action, {}, { id }));
  const removePassword = async (visitor: Visitor) => resultOf(await visitor.submit(page, '/account/password/remove'));
  const listOffered = async (visitor: Visitor) =>
    readForms(await visitor.get(page))
      .filter((form) => form.action === action)
      .map(({ fields }) => fields.id);
  const dataOf = async (visitor: Visitor) => (await visitor.get('/account/data')).json<UserData>();
  const today = () => formatDay(realm.clock(), en, 'UTC');

  it('are on their page alone where there are any', async () => {
    const visitor = await accounts.signIn();
    expect(await read(visitor)).not.toContain(methods.identities);
    expect((await dataOf(visitor)).identities).toEqual([]);
  });

  it('have the name of the upstream, the day, and the last use', async () => {
    const { visitor, upstream, identity } = await signIn();
    const [entry = ''] = (await read(visitor)).split(methods.identities).slice(1);
    expect(entry).toContain(`<strong>${upstream.displayName}</strong>`);
    expect(entry).toContain(`${fill(methods.linked, { date: today() })} · ${account.never}`);
    expect(entry).not.toContain(methods.identityOff);
    await createIdentityStore(database).use(identity, { id: identity.id, now: realm.clock() });
    expect(await read(visitor)).toContain(fill(account.lastUsed, { date: today() }));
  });

  it('have the issuer where the alias is unknown, or of another issuer now, and no markup of anybody', async () => {
    const visitor = await accounts.signIn();
    await link(visitor.user, hostile);
    await link(visitor.user, { ...hostile, issuer: 'https://gone.example.net/<i>' });
    await link(visitor.user, { ...hostile, alias: 'unknown', issuer: 'https://unknown.example.net' });
    const text = await read(visitor);
    const shown = [...(text.split(methods.identities)[1]?.matchAll(/<strong>(.*?)<\/strong>/g) ?? [])].map(
      ([, name]) => name,
    );
    expect(shown).toEqual([
      escaped(hostile.displayName),
      escaped('https://gone.example.net/<i>'),
      'https://unknown.example.net',
    ]);
    expect(text.match(new RegExp(`badge">${methods.identityOff}`, 'g'))).toHaveLength(2);
  });

  it('are of the tenants of one that has many', async () => {
    const visitor = await accounts.signIn();
    await link(visitor.user, { ...many, issuer: 'https://many.example.net/t2/v2.0' });
    expect(await read(visitor)).toContain(`<strong>${many.displayName}</strong>`);
    expect(await read(visitor)).not.toContain(methods.identityOff);
  });

  it('are unlinked by their user: other sessions go on, and activity and data say so', async () => {
    const { visitor, upstream, identity } = await signIn();
    const other = await accounts.signInAs(visitor.user);
    expect((await dataOf(visitor)).identities).toEqual([
      {
        ...{ id: identity.id, issuer: upstream.issuer, upstream: upstream.alias, subject: identity.subject },
        linkedAt: expect.any(String),
      },
    ]);
    expect(await unlink(visitor, identity.id)).toEqual(done);
    expect(await read(visitor)).not.toContain(methods.identities);
    expect(await other.isSignedIn()).toBe(true);
    const data = await dataOf(visitor);
    expect(data.identities).toEqual([]);
    expect(data.activity.map(({ type }) => type)).toContain('identity.unlinked');
    expect((await visitor.get('/account/activity')).text).toContain(activity.events['identity.unlinked']);
    expect(await createIdentityStore(database).find(identity)).toMatchObject({ userId: undefined });
  });

  it('take a fresh sign-in', async () => {
    const { visitor, identity } = await signIn();
    const shown = await visitor.get(page);
    realm.advance(tooLong);
    const answer = await visitor.send(shown, action, {}, { id: identity.id });
    expect([answer.status, asksForSignIn(answer)]).toEqual([403, true]);
    expect(await createIdentityStore(database).find(identity)).toMatchObject({ userId: expect.any(String) });
  });

  it('are those of the user alone, and none twice: 400', async () => {
    const [{ visitor, identity }, another] = [await signIn(), await signIn()];
    const refused = [400, account.changedMeanwhile];
    expect(resultOf(await visitor.post(action, { id: another.identity.id }))).toEqual(refused);
    expect(resultOf(await visitor.post(action))).toEqual(refused);
    expect(await unlink(visitor, identity.id)).toEqual(done);
    expect(resultOf(await visitor.post(action, { id: identity.id }))).toEqual(refused);
    expect(await listOffered(another.visitor)).toEqual([another.identity.id]);
  });

  it('let a password go; the last one then stays: no button, and 400', async () => {
    const { visitor, identity } = await signIn();
    const other = await accounts.signInAs(visitor.user);
    expect(await removePassword(visitor)).toEqual(done);
    expect(await other.isSignedIn()).toBe(false);
    const text = await read(visitor);
    expect(text).toContain(methods.noPasswordAtAll);
    expect(text).not.toContain(methods.noPassword);
    expect(await listOffered(visitor)).toEqual([]);
    expect(resultOf(await visitor.post(action, { id: identity.id }))).toEqual([400, methods.lastWayIn]);
    const second = await link(visitor.user, takeUpstream());
    expect(await listOffered(visitor)).toEqual([identity.id, second.id]);
    expect(await unlink(visitor, identity.id)).toEqual(done);
    expect(await listOffered(visitor)).toEqual([]);
  });

  it('let a user without a password set one', async () => {
    const { visitor } = await signIn();
    expect(await removePassword(visitor)).toEqual(done);
    const password = 'a first password of old';
    expect(resultOf(await visitor.submit('/account/password', '/account/password', { password }))).toEqual(done);
    expect(await accounts.visit({ ...visitor.user, password }).signIn()).toMatchObject({ status: 303 });
  });

  it.each([
    ['of an upstream that is disabled', ({ alias }: Upstream) => administer('PATCH', `/${alias}`, { enabled: false })],
    ['of one that is deleted', ({ alias }: Upstream) => administer('DELETE', `/${alias}`)],
  ])('%s are no way in within a second: the password stays', async (_which, end) => {
    const { visitor, upstream } = await signIn();
    await end(upstream);
    await withinOneSecond(async () => expect(await read(visitor)).toContain(methods.identityOff));
    expect(readForms(await visitor.get(page)).map((form) => form.action)).not.toContain('/account/password/remove');
    expect(resultOf(await visitor.post('/account/password/remove'))).toEqual([400, methods.lastWayIn]);
  });

  it('are no way in for a SystemAdministrator: the password stays', async () => {
    const { visitor, identity } = await signIn({ roles: ['SystemAdministrator'] });
    expect(resultOf(await visitor.post('/account/password/remove'))).toEqual([400, methods.lastWayIn]);
    expect(await unlink(visitor, identity.id)).toEqual(done);
  });
});
