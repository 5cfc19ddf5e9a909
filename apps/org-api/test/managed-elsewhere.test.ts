import { directoryPaths, type Identity } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { en } from '../src/mails/messages/en.ts';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization, tokenOf } from './support/mails.ts';
import {
  type AdministratorRequests,
  address,
  asksForMore,
  challenge,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
} from './support/methods.ts';
import { bearer, type Organization } from './support/organization.ts';
import { describeSignIn, issuer } from './support/upstream-sign-ins.ts';

const password = 'a-password-of-old';
const newSignInSubject = 'New sign-in to your account';
const verified = { outcome: 'verified' };

let names = 0;
const next = (prefix: string) => {
  names += 1;
  return `${prefix}${names}`;
};

describe.each(testDialects)('upstreams whose users have no methods here, on %s:', (dialect) => {
  let mailed: Awaited<ReturnType<typeof startMailedOrganization>>;
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let user: User;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect, { notifyNewSignIn: true });
    ({ organization } = mailed);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(() => mailed?.close());
  beforeEach(async () => {
    organization.time.now += 24 * 3_600_000;
    user = await addPerson();
  });

  const addPerson = (more: object = {}) =>
    organization.addUser({ username: `${next('member')}@example.com`, password, emailVerified: true, ...more });
  const linked = async (to = user, account: object = {}): Promise<User> => {
    const { id: userId, passwordChangedAt } = to;
    expect(
      await directory.post(
        directoryPaths.upstreamSignIns,
        describeSignIn({ subject: next('subject'), ...account }, { link: { userId, passwordChangedAt } }),
      ),
    ).toMatchObject(verified);
    return readUser(to);
  };
  const readUser = async (of: Pick<User, 'id'> = user) => (await organization.deps.users.findById(of.id)) as User;
  const list = async () =>
    (await administrator.ofUser(user, 'GET', '/identities')).json<{ identities: Identity[] }>().identities;
  const eventsOf = async (type: string) =>
    (await administrator.listEvents(user)).filter((event) => event.type === type);
  const subjectsOf = async (email: string) => (await mailed.takeMails(email)).map((mail) => mail.subject);
  const localRefusals = [
    { issuer: 'https://other.example.net', domains: ['other.example.com'] },
    { issuer, domains: ['example.org', 'example.com'] },
  ];
  const wrong = () => ({ outcome: 'wrong', userId: user.id });
  const check = (text: string, more: object = { localRefusals }, of = user) =>
    directory.post(directoryPaths.passwordChecks, {
      ...{ username: of.username, password: text, address, ...asksForMore },
      ...more,
    });
  const listStatements = async (run: () => Promise<unknown>) => {
    const { database } = organization.deps;
    const { query } = database;
    const statements: string[] = [];
    database.query = (sql, values, reading) => {
      statements.push(sql);
      return query.call(database, sql, values, reading) as never;
    };
    await run().finally(() => {
      database.query = query;
    });
    return statements.filter((sql) => sql.startsWith('SELECT * FROM identities'));
  };

  it('get no user by a password, as by a wrong one: no mail, no known network, and the guess counts', async () => {
    user = await linked();
    await mailed.takeMails(user.email);
    const from = { address: '203.0.113.77' };
    expect(await check(password, { localRefusals, ...from })).toEqual(wrong());
    expect(await subjectsOf(user.email)).toEqual([]);
    for (let tries = 0; tries < 9; tries += 1) await check(`wrong-${tries}`, { localRefusals, ...from });
    expect(await check('wrong', { localRefusals, ...from })).toMatchObject({ outcome: 'limited' });
    expect(await check(password, {})).toMatchObject(verified);
    expect(await subjectsOf(user.email)).toEqual([newSignInSubject]);
  });

  it.each<[string, () => Promise<User>]>([
    ['without an account there', () => readUser()],
    ['with an account of another issuer', () => linked(user, { issuer: `${issuer}/` })],
    ['with a name in another domain', async () => linked(await addPerson({ username: `${next('x')}@a.example.com` }))],
    [
      'with a domain in the name alone',
      async () => linked(await addPerson({ username: `${next('x')}example.com@example.net` })),
    ],
    ['with a role', async () => linked(await addPerson({ roles: ['DirectoryReader'] }))],
  ])('get those %s', async (_what, prepare) => {
    user = await prepare();
    expect(await check(password)).toMatchObject({ ...verified, user: { id: user.id } });
    expect(
      await directory.change(user, { password: { old: password, new: 'another-password-of-rules' }, localRefusals }),
    ).toMatchObject({ outcome: 'done' });
  });

  it('compare the domain of the name in lower case', async () => {
    user = await linked(await addPerson({ username: `${next('upper')}@EXAMPLE.com` }));
    expect(await check(password)).toEqual(wrong());
  });

  it('take one statement more for users in the domains who have an account, and none for others', async () => {
    const other = await linked(await addPerson({ username: `${next('x')}@example.net` }), {
      subject: next('subject'),
    });
    expect(await listStatements(() => check(password))).toEqual([]);
    expect(await listStatements(() => check(password, { localRefusals }, other))).toEqual([]);
    user = await linked();
    expect(await listStatements(() => check(password, {}))).toEqual([]);
    expect(await listStatements(() => check(password))).toHaveLength(1);
  });

  it('share no answer with a check of the same password elsewhere at the same moment', async () => {
    user = await linked();
    const answers = await Promise.all([check(password, {}), check(password), check(password, {}), check(password)]);
    expect(answers.map(({ outcome }) => outcome)).toEqual(['verified', 'wrong', 'verified', 'wrong']);
  });

  it('get no user by a passkey alone; one as second step stays good', async () => {
    user = await linked();
    const authenticator = createPasskey();
    await directory.addPasskey(user, authenticator, undefined, { localRefusals });
    user = await readUser();
    const get = (more: object) => directory.checkPasskey(authenticator.get({ challenge }), more);
    expect(await get({ localRefusals })).toEqual(wrong());
    const first = { userId: user.id, passwordChangedAt: user.passwordChangedAt };
    expect(await get({ localRefusals, first })).toMatchObject(verified);
    expect(await get({})).toEqual(wrong());
    // It signs in alone once it verified its user where that counts.
    expect(await get({ first })).toMatchObject(verified);
    expect(await get({})).toMatchObject(verified);
  });

  it('get no user by a passkey of before alone, which signs in again afterwards', async () => {
    const authenticator = createPasskey();
    await directory.addPasskey(user, authenticator);
    user = await linked(await readUser());
    const get = (more: object) => directory.checkPasskey(authenticator.get({ challenge }), more);
    expect(await get({ localRefusals })).toEqual(wrong());
    expect(await get({})).toMatchObject(verified);
  });

  it('get no link for a new password, while another user of the address does', async () => {
    user = await linked();
    await mailed.takeMails(user.email);
    const ask = (name: string, more: object = { localRefusals }) =>
      directory.post(directoryPaths.linkRequests, {
        ...{ name, language: 'en', address: `198.51.100.${names}`, requestId: 'request-of-the-user' },
        ...more,
      });
    expect([await ask(user.username), await ask('nobody@example.com')]).toEqual(Array(2).fill({ outcome: 'done' }));
    expect(await subjectsOf(user.email)).toEqual([]);
    expect(await eventsOf('password_reset.requested')).toEqual([]);
    const other = await addPerson({ email: user.email });
    await ask(user.email);
    const [mail, ...more] = await mailed.takeMails(user.email);
    expect([mail?.subject, mail?.text.includes(other.username), more]).toEqual([en.links.reset.subject, true, []]);
  });

  it('use no link either where there are more domains than a request for one is kept with', async () => {
    user = await linked();
    await mailed.takeMails(user.email);
    const many = Array.from({ length: 20 }, (_, index) => ({
      issuer: `${issuer}/${index}`,
      domains: Array.from({ length: 100 }, (_none, number) => `department-${number}.example.org`),
    }));
    const refusals = { localRefusals: [...many, ...localRefusals] };
    const caller = { address: `198.51.100.${names}`, requestId: 'request-of-the-user' };
    await directory.post(directoryPaths.linkRequests, { name: user.username, language: 'en', ...caller, ...refusals });
    const token = tokenOf((await mailed.takeMails(user.email))[0]);
    const use = (more: object) => directory.post(directoryPaths.linkUses, { token, ...caller, ...more });
    expect(await use(refusals)).toEqual({ outcome: 'gone' });
    expect(await use({})).toMatchObject({ outcome: 'open' });
  });

  it('use no link for a new password that was mailed before: it is gone', async () => {
    await mailed.takeMails(user.email);
    await directory.post(directoryPaths.linkRequests, {
      ...{ name: user.username, language: 'en', address: `198.51.100.${names}`, requestId: 'request-of-the-user' },
    });
    const token = tokenOf((await mailed.takeMails(user.email))[0]);
    user = await linked();
    const use = (more: object) =>
      directory.post(directoryPaths.linkUses, { token, address, requestId: 'request-of-the-user', ...more });
    const fields = { password: 'another-password-of-rules' };
    expect([await use({ localRefusals }), await use({ localRefusals, fields })]).toEqual(
      Array(2).fill({ outcome: 'gone' }),
    );
    expect(await check(password, {})).toMatchObject(verified);
    expect(await use({ fields })).toMatchObject({ outcome: 'done' });
  });

  it('end an invitation, also where they leave other methods alone, and get no other one', async () => {
    const username = `${next('invited')}@example.com`;
    const asked = { username, invite: true, deliver: 'link' };
    const { id, invitation } = (await administrator.send('POST', 'user', asked)).json<{
      id: string;
      invitation: { link: string };
    }>();
    organization.time.now += 1_000;
    user = await readUser({ id });
    const token = new URL(invitation.link).searchParams.get('token');
    const use = (more: object) =>
      directory.post(directoryPaths.linkUses, { token, address, requestId: 'request-of-the-user', ...more });
    expect(await use({})).toMatchObject({ outcome: 'open' });
    user = await linked();
    const fields = { password: 'another-password-of-rules' };
    const uses = [await use({}), await use({ fields }), await use({ fields, localRefusals })];
    expect(uses).toEqual(Array(3).fill({ outcome: 'gone' }));
    const inviteAgain = () => administrator.ofUser(user, 'POST', '/invitations', { deliver: 'link' });
    expect((await inviteAgain()).statusCode).toBe(409);
    expect((await readUser()).passwordHash).toBeUndefined();
    // An administrator gets in while the upstream is down.
    await administrator.ofUser(user, 'PATCH', '', { roles: ['DirectoryReader'] });
    expect((await inviteAgain()).statusCode).toBe(201);
  });

  it('stay linked, as the last way to sign in; other accounts of the user do not', async () => {
    const own = { issuer: 'https://private.example.net' };
    await linked(user, own);
    user = await linked();
    const [other, managing] = await list();
    const remove = (identity: string | undefined) =>
      directory.change(user, { remove: { identity }, enabledIssuers: [issuer], localRefusals });
    expect(await remove(managing?.id)).toEqual({ outcome: 'refused', fault: 'last_way_in' });
    expect(await remove(other?.id)).toMatchObject({ outcome: 'done' });
    expect(await list()).toEqual([managing]);
    expect(await check(password)).toEqual(wrong());
  });

  it('set no password: the change is refused, with the right one and without', async () => {
    user = await linked();
    const refused = { outcome: 'refused', fault: 'managed_elsewhere' };
    for (const old of [{ old: password }, { old: 'wrong' }, {}]) {
      const change = { password: { ...old, new: 'another-password-of-rules' }, localRefusals };
      expect(await directory.change(user, change)).toEqual(refused);
    }
    expect(await check(password, {})).toMatchObject(verified);
    expect(await eventsOf('user.password_change_refused')).toEqual([]);
  });

  it('set no password by their tokens while auth-server does not say that they may', async () => {
    const url = '/organization/api/organization/user/userId';
    const payload = { password: 'another-password-of-rules', oldPassword: password };
    const put = async (of: User) =>
      organization.app.inject({
        method: 'PUT',
        url: `${url}/${encodeURIComponent(of.username)}/password`,
        headers: bearer(await organization.accessToken(of)),
        payload,
      });
    user = await linked();
    // The key server answers its keys, and then nothing.
    expect((await put(user)).statusCode).toBe(503);
    await organization.keyServer.close();
    const answer = await put(user);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    const other = await addPerson();
    expect((await put(other)).statusCode).toBe(204);
    await organization.keyServer.listen();
    expect(await check(password, {})).toMatchObject(verified);
  });
});
