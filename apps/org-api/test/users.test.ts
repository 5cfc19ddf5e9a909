import { createSlowHash } from '@gatehouse/service-kit';
import type { UserDetails, UserPage } from '@gatehouse/shared';
import { cheapHashCost, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGroupAdministration } from '../src/administration/administer-groups.ts';
import { createUserAdministration } from '../src/administration/administer-users.ts';
import { createGroups } from '../src/groups/room.ts';
import { createSetPassword } from '../src/passwords/set-password.ts';
import type { User } from '../src/users/user.ts';
import type { UserStore } from '../src/users/user-store.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const collection = '/organization/api/organization/user';
const member = (username: string) => `${collection}/userId/${encodeURIComponent(username)}`;
const newPerson = { username: 'new@example.com', userType: 'Person', password: 'new-password' };

describe.each(testDialects)('user administration on %s', (dialect) => {
  let organization: Organization;
  let admin: User;
  let idpAdmin: User;
  let user: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    admin = await organization.addUser({ username: 'admin@example.com', roles: ['SystemAdministrator'] });
    idpAdmin = await organization.addUser({ username: 'idp@example.com', roles: ['IdpAdministrator'] });
    user = await organization.addUser({ username: 'User@example.com', password: 'user-password' });
  });
  afterAll(() => organization.close());

  type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  const send = (method: Method, url: string, body?: unknown, headers: Record<string, string> = {}) =>
    organization.app.inject({
      method,
      url,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  const sendAs = async (caller: User, method: Method, url: string, body?: unknown) =>
    send(method, url, body, bearer(await organization.accessToken(caller)));
  const find = (username: string) => organization.deps.users.findByUsername(username);
  const faultyFields = (response: Awaited<ReturnType<typeof send>>) => {
    expect(response.statusCode).toBe(400);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
    return response.json<{ errors?: { field: string }[] }>().errors?.map(({ field }) => field);
  };

  it('leaves one administrator: the last one who has a password is 409, at each of two who demote each other', async () => {
    const roles = ['SystemAdministrator'] as const;
    const names = ['last.one@example.com', 'last.two@example.com'];
    const both = await Promise.all(
      names.map((username) => organization.addUser({ username, password: 'long-password', roles: [...roles] })),
    );
    const [one, two] = both as [User, User];
    const answers = await Promise.all([
      sendAs(one, 'PATCH', member(two.username), { roles: [] }),
      sendAs(two, 'PATCH', member(one.username), { roles: [] }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    const { username } = answers[0]?.statusCode === 409 ? two : one;
    for (const [method, change] of [['PATCH', { roles: [] }], ['PATCH', { enabled: false }], ['DELETE']] as const) {
      const answer = await sendAs(admin, method, member(username), change);
      expect([answer.statusCode, answer.json()]).toEqual([
        409,
        expect.objectContaining({
          detail: expect.stringMatching(/last SystemAdministrator .*give another Person that role/),
        }),
      ]);
    }
    expect(await find(username)).toMatchObject({ enabled: true, roles: [...roles] });
    await organization.addUser({ username: 'next@example.com', password: 'long-password', roles: [...roles] });
    for (const name of names) expect((await sendAs(admin, 'DELETE', member(name))).statusCode).toBe(204);
    await organization.deps.database.execute("DELETE FROM users WHERE username = 'next@example.com'");
  });

  it('is not for a client that acts for itself, which the audit log then names', async () => {
    const token = await organization.accessToken(user, { sub: 'robot', sub_type: 'client', client_id: 'robot' });
    const { statusCode } = await send('PATCH', member('User@example.com'), { firstName: 'X' }, bearer(token));
    expect(statusCode).toBe(403);
    const [event] = await organization.deps.audit.list({ limit: 1 });
    expect(event).toMatchObject({
      ...{ type: 'administrator.refused', reason: 'role_missing', clientId: 'robot' },
      actor: { kind: 'client', name: 'robot' },
    });
  });

  it('refuses the password of another user to users and to clients, which the audit log tells', async () => {
    const url = `${member('admin@example.com')}/password`;
    const change = { password: 'stolen-password', oldPassword: 'user-password' };
    const asClient = await organization.accessToken(user, { sub: 'robot', sub_type: 'client', client_id: 'robot' });
    expect((await send('PUT', url, change, bearer(asClient))).statusCode).toBe(403);
    expect((await sendAs(user, 'PUT', url, change)).statusCode).toBe(403);
    const refused = { type: 'administrator.refused', reason: 'role_missing' };
    expect(await organization.deps.audit.list({ limit: 2 })).toEqual([
      expect.objectContaining({ ...refused, actor: { kind: 'user', id: user.id, name: user.username } }),
      expect.objectContaining({ ...refused, actor: { kind: 'client', name: 'robot' } }),
    ]);
    expect(await find('admin@example.com')).toEqual(admin);
  });

  it('is told by the audit log: who created, changed, disabled, enabled, gave a password and deleted', async () => {
    const username = 'audited@example.com';
    const url = member(username);
    await sendAs(admin, 'POST', collection, { ...newPerson, username, roles: ['DirectoryReader'] });
    await sendAs(admin, 'PATCH', url, { firstName: 'Anna', enabled: false });
    await sendAs(admin, 'PATCH', url, { enabled: true });
    await sendAs(admin, 'PATCH', url, {});
    await sendAs(admin, 'PUT', `${url}/password`, { password: 'brand-new-password' });
    await sendAs(admin, 'DELETE', url);
    const events = await organization.deps.audit.list({ limit: 10, subject: username });
    expect(events.map(({ type, details }) => [type, details])).toEqual([
      ['user.deleted', {}],
      ['user.password_changed', {}],
      ['user.enabled', {}],
      ['user.disabled', {}],
      ['user.changed', { fields: ['firstName'] }],
      ['user.created', { roles: ['DirectoryReader'] }],
    ]);
    const actor = { kind: 'user', id: admin.id, name: 'admin@example.com' };
    for (const event of events) expect(event).toMatchObject({ actor, clientId: 'my-app', subject: { name: username } });
  });

  it('answers 404 where the user is deleted meanwhile', async () => {
    const { deps } = organization;
    const users: UserStore = {
      ...deps.users,
      async findByUsername(username) {
        const found = await deps.users.findByUsername(username);
        if (found !== undefined) await deps.users.delete(found.id);
        return found;
      },
    };
    const slowHash = createSlowHash({ cost: cheapHashCost });
    const clock = () => organization.time.now;
    const pause = async () => {};
    const groupAdministration = createGroupAdministration({ ...createGroups(deps), users, clock, pause });
    const rules = { ...deps, ...deps.passwords, users, groupAdministration };
    const administration = createUserAdministration({ ...rules, slowHash, clock });
    const setPassword = createSetPassword({ users, slowHash, ...deps.passwords, clock });
    const username = 'fleeting@example.com';
    const by = { expected: undefined, show: (shown: User) => shown };
    for (const act of [
      () => administration.change(username, { firstName: 'X' }, by),
      () => setPassword(username, { password: 'brand-new-password' }, '192.0.2.1'),
      () => administration.delete(username, by),
    ]) {
      await organization.addUser({ username });
      await expect(act()).rejects.toMatchObject({ status: 404 });
    }
  });

  const routes: [Method, string, unknown][] = [
    ['POST', collection, { ...newPerson, username: 'intruder@example.com' }],
    ['GET', collection, undefined],
    ['PATCH', member('User@example.com'), { firstName: 'X' }],
    ['PUT', `${member('admin@example.com')}/password`, { password: 'stolen-password' }],
    ['DELETE', member('User@example.com'), undefined],
  ];

  describe.each(routes)('%s %s', (method, url, body) => {
    it('answers 401 without a token, before it looks at the body (RFC 6750 3)', async () => {
      for (const payload of [body, method === 'GET' || method === 'DELETE' ? undefined : { nonsense: 1 }]) {
        const response = await send(method, url, payload);
        expect(response.statusCode).toBe(401);
        expect(response.headers['www-authenticate']).toMatch(/^Bearer resource_metadata="[^"]+"$/);
      }
    });

    it('answers 401 with a service token', async () => {
      const response = await send(
        method,
        url,
        body,
        bearer(await organization.serviceToken(url, JSON.stringify(body ?? {}))),
      );
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
    });

    it('answers 403 without the role SystemAdministrator, and does nothing', async () => {
      // Others with a role may list, too.
      for (const caller of method === 'GET' ? [user] : [user, idpAdmin]) {
        const response = await sendAs(caller, method, url, body);
        expect(response.statusCode).toBe(403);
        expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
      }
      expect(await find('intruder@example.com')).toBeUndefined();
      expect(await find('user@example.com')).toEqual(user);
      expect(await find('admin@example.com')).toEqual(admin);
    });
  });

  describe('POST …/user', () => {
    const create = (body: unknown) => sendAs(admin, 'POST', collection, body);

    it('creates a Person, with what is left out filled in', async () => {
      const response = await create(newPerson);
      expect(response.statusCode).toBe(201);
      expect(response.json()).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        username: 'new@example.com',
        userType: 'Person',
        firstName: '',
        lastName: '',
        email: 'new@example.com',
        emailVerified: false,
        enabled: true,
        roles: [],
        organization: '',
        locale: 'en',
        timezone: 'UTC',
        createdAt: '2026-01-01T12:00:00.250Z',
        updatedAt: '2026-01-01T12:00:00.250Z',
      });
      expect(response.body).not.toMatch(/argon2|password/i);
      const hash = (await find('new@example.com'))?.passwordHash;
      expect(hash).toMatch(/^\$argon2id\$/);
      expect(hash).toContain(`$m=${cheapHashCost.memoryCost},t=${cheapHashCost.timeCost},`);
    });

    it('creates a Person where userType is left out, who needs a password', async () => {
      const { userType: _leftOut, ...body } = newPerson;
      const response = await create({ ...body, username: 'untyped@example.com' });
      expect([response.statusCode, response.json()]).toEqual([201, expect.objectContaining({ userType: 'Person' })]);
      expect((await find('untyped@example.com'))?.passwordHash).toMatch(/^\$argon2id\$/);
      const without = await create({ username: 'other@example.com' });
      expect([without.statusCode, without.json()]).toMatchObject([400, { errors: [{ field: 'password' }] }]);
    });

    it('takes a username of 255 characters', async () => {
      const username = `${'x'.repeat(243)}@example.com`;
      expect((await create({ username, userType: 'Robot' })).statusCode).toBe(201);
      expect((await create({ username: `x${username}`, userType: 'Robot' })).statusCode).toBe(400);
    });

    it('says where the new user is to be read', async () => {
      const response = await create({ username: 'a/ö@example.com', userType: 'Robot' });
      const location = String(response.headers.location);
      const read = await sendAs(admin, 'GET', location);
      expect(read.json()).toEqual(response.json());
    });

    it('creates a Robot without a password, and with every field given', async () => {
      const robot = {
        username: 'robot@example.com',
        userType: 'Robot',
        firstName: 'Robin',
        lastName: 'Röbot',
        email: 'robots@example.org',
        roles: ['DirectoryReader', 'SystemAdministrator'],
        enabled: false,
        organization: 'Example',
        locale: 'de-CH',
        timezone: 'Europe/Zurich',
      };
      const response = await create(robot);
      expect(response.statusCode).toBe(201);
      expect(response.json()).toMatchObject({ ...robot, roles: ['SystemAdministrator', 'DirectoryReader'] });
      expect((await find('robot@example.com'))?.passwordHash).toBeUndefined();
    });

    it('answers 409 where the username is taken, without regard to case', async () => {
      for (const username of ['user@example.com', 'USER@EXAMPLE.COM']) {
        const response = await create({ ...newPerson, username });
        expect(response.statusCode).toBe(409);
        expect(response.json()).toMatchObject({ title: 'Conflict' });
      }
      expect(await find('user@example.com')).toEqual(user);
    });

    it('creates exactly one of several users of one username at the same moment', async () => {
      const responses = await Promise.all(
        Array.from({ length: 6 }, () => create({ username: 'rival@example.com', userType: 'Robot' })),
      );
      expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    });

    it.each([
      ['password', { username: 'x@example.com', userType: 'Person' }],
      ['userType', { ...newPerson, userType: null }],
      ['password', { username: 'x@example.com', userType: 'Robot', password: 'robot-password' }],
      ['password', { ...newPerson, username: 'x@example.com', password: 'short77' }],
      ['password', { ...newPerson, username: 'x@example.com', password: 'password123' }],
      ['password', { ...newPerson, username: 'x@example.com', password: 'Password123' }],
      ['username', { ...newPerson, username: 'no-at-sign' }],
      ['username', { ...newPerson, username: 'a:b@example.com' }],
      ['username', { ...newPerson, username: `${'İ'.repeat(240)}@example.com` }],
      ['userType', { ...newPerson, userType: 'Alien' }],
      ['roles', { ...newPerson, roles: ['Root'] }],
      ['timezone', { ...newPerson, timezone: 'Mars/Base' }],
      ['enabled', { ...newPerson, enabled: 'true' }],
      ['passwordHash', { ...newPerson, passwordHash: 'x' }],
      ['id', { ...newPerson, id: '01890000-0000-7000-8000-000000000000' }],
      ['body', []],
    ])('refuses a faulty %s: %j', async (field, body) => {
      expect(faultyFields(await create(body))).toEqual([field]);
      expect(await find('x@example.com')).toBeUndefined();
    });

    it('never repeats a password in a failure', async () => {
      const response = await create({ ...newPerson, password: 'hush-hush', colour: 'red', username: '' });
      expect(faultyFields(response)).toEqual(['colour', 'username']);
      expect(response.body).not.toContain('hush-hush');
    });

    it('refuses what is no JSON with 400, another type with 415, and more than 64 KiB with 413', async () => {
      const post = async (payload: string, type: string) => {
        const headers = { ...bearer(await organization.accessToken(admin)), 'content-type': type };
        return (await organization.app.inject({ method: 'POST', url: collection, payload, headers })).statusCode;
      };
      expect(await post('{', 'application/json')).toBe(400);
      expect(await post('a=b', 'application/x-www-form-urlencoded')).toBe(415);
      expect(await post(JSON.stringify({ ...newPerson, firstName: 'x'.repeat(65_536) }), 'application/json')).toBe(413);
    });
  });

  describe('GET …/user', () => {
    const list = async (query: string) => {
      const response = await sendAs(admin, 'GET', `${collection}${query}`);
      return { statusCode: response.statusCode, body: response.body, page: response.json<UserPage>() };
    };

    beforeAll(async () => {
      for (const n of [1, 2, 3, 4, 5]) await organization.addUser({ username: `page${n}@example.com`, password: 'x' });
    });

    it('gives page after page until the last, which has no cursor', async () => {
      const seen: UserDetails[] = [];
      let query = '?search=PAGE&limit=2';
      const sizes: number[] = [];
      for (let pages = 0; pages < 5; pages += 1) {
        const { page, body } = await list(query);
        expect(body).not.toMatch(/argon2|passwordHash/);
        sizes.push(page.users.length);
        seen.push(...page.users);
        if (page.nextCursor === undefined) break;
        query = `?search=PAGE&limit=2&cursor=${page.nextCursor}`;
      }
      expect(sizes).toEqual([2, 2, 1]);
      expect(seen.map(({ username }) => username)).toEqual([1, 2, 3, 4, 5].map((n) => `page${n}@example.com`));
    });

    it('gives no cursor where the page is full but the last', async () => {
      const { page } = await list('?search=page&limit=5');
      expect(page.users).toHaveLength(5);
      expect(page).not.toHaveProperty('nextCursor');
    });

    it('gives an empty page where nobody is found, and takes wildcards for themselves', async () => {
      expect((await list('?search=zzz')).page).toEqual({ users: [] });
      expect((await list('?search=%25')).page).toEqual({ users: [] });
      expect((await list('?search=p_ge')).page).toEqual({ users: [] });
    });

    it.each(['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'cursor=x', "cursor='", `search=${'x'.repeat(256)}`])(
      'refuses %s',
      async (query) => {
        expect((await list(`?${query}`)).statusCode).toBe(400);
      },
    );

    it.each([
      ['page=2', 'page is not a known field'],
      ['search=a&search=b', 'search must stand in the query only once'],
      ['limit=1&limit=1', 'limit must stand in the query only once'],
      ['cursor=x', 'cursor must be the nextCursor of the page before'],
    ])('refuses %s, and names the parameter', async (query, detail) => {
      const answer = await sendAs(admin, 'GET', `${collection}?${query}`);
      expect([answer.statusCode, answer.json().detail]).toEqual([400, detail]);
    });
  });

  describe('PATCH …/user/userId/<username>', () => {
    it('changes what is given, and leaves the rest', async () => {
      organization.time.now += 1_000;
      const before = await find('page1@example.com');
      const response = await sendAs(admin, 'PATCH', member('PAGE1@example.com'), { firstName: 'Paige', locale: 'fr' });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ firstName: 'Paige', locale: 'fr', username: 'page1@example.com' });
      expect(response.body).not.toMatch(/argon2|passwordHash/);
      const changed = { firstName: 'Paige', locale: 'fr', updatedAt: organization.time.now };
      expect(await find('page1@example.com')).toEqual({ ...before, ...changed });
    });

    it('stops the tokens of a user it disables with the next request', async () => {
      const target = await find('page2@example.com');
      if (target === undefined) throw new Error('page2 is missing');
      const details = `${collection}/allDetails/userId/page2@example.com`;
      expect((await sendAs(target, 'GET', details)).statusCode).toBe(200);
      await sendAs(admin, 'PATCH', member('page2@example.com'), { enabled: false });
      expect((await sendAs(target, 'GET', details)).statusCode).toBe(401);
    });

    it('answers 404 where there is no such user', async () => {
      expect((await sendAs(admin, 'PATCH', member('nobody@example.com'), {})).statusCode).toBe(404);
    });

    it.each([
      ['username', { username: 'other@example.com' }],
      ['userType', { userType: 'Robot' }],
      ['password', { password: 'other-password' }],
      ['email', { email: 'nobody' }],
      ['timezone', { timezone: 'Mars/Base' }],
      ['roles', { roles: null }],
      ['body', null],
    ])('refuses a faulty %s: %j', async (field, body) => {
      expect(faultyFields(await sendAs(admin, 'PATCH', member('page1@example.com'), body))).toEqual([field]);
    });
  });

  describe('PUT …/user/userId/<username>/password', () => {
    const put = (caller: User, username: string, body: unknown) =>
      sendAs(caller, 'PUT', `${member(username)}/password`, body);
    const verify = (username: string, password: string) =>
      organization.deps.passwords.verifyPassword({ username, password, address: '198.51.100.1' });
    const owner = async (username: string) => {
      organization.time.now += 1_000;
      return organization.addUser({ username, password: 'old-password' });
    };

    it('lets a SystemAdministrator set anybody’s, which voids the tokens issued before', async () => {
      const target = await owner('set@example.com');
      organization.time.now += 1;
      const response = await put(admin, 'SET@example.com', { password: 'brand-new-password' });
      expect([response.statusCode, response.body]).toEqual([204, '']);
      expect((await verify('set@example.com', 'brand-new-password')).outcome).toBe('verified');
      expect((await verify('set@example.com', 'old-password')).outcome).toBe('wrong');
      expect((await sendAs(target, 'GET', `${collection}/allDetails/userId/set@example.com`)).statusCode).toBe(401);
    });

    it('lets users set their own with the old one', async () => {
      const target = await owner('own@example.com');
      organization.time.now += 1;
      const change = { oldPassword: 'old-password', password: 'brand-new-password' };
      expect((await put(target, 'OWN@example.com', change)).statusCode).toBe(204);
      expect((await verify('own@example.com', 'brand-new-password')).outcome).toBe('verified');
      expect((await put(target, 'own@example.com', change)).statusCode).toBe(401);
    });

    it.each([
      ['oldPassword', { password: 'brand-new-password' }],
      ['oldPassword', { password: 'brand-new-password', oldPassword: 'Old-password' }],
      ['oldPassword', { password: 'brand-new-password', oldPassword: '' }],
      ['password', { password: 'short', oldPassword: 'old-password' }],
      ['password', { password: 'iloveyou', oldPassword: 'old-password' }],
      ['password', { password: 'ILoveYou', oldPassword: 'wrong-password' }],
      ['password', { oldPassword: 'old-password' }],
      ['extra', { password: 'brand-new-password', oldPassword: 'old-password', extra: 1 }],
    ])('refuses one’s own with a faulty %s: %j', async (field, change) => {
      const target = (await find('faulty@example.com')) ?? (await owner('faulty@example.com'));
      const response = await put(target, 'faulty@example.com', change);
      expect(faultyFields(response)).toEqual([field]);
      expect(response.body).not.toContain('brand-new-password');
      expect((await find('faulty@example.com'))?.passwordHash).toBe(target.passwordHash);
    });

    it('refuses an administrator a password that is one of the most common, and says so', async () => {
      const target = await owner('common@example.com');
      const response = await put(admin, 'common@example.com', { password: 'qwertyuiop' });
      expect(faultyFields(response)).toEqual(['password']);
      expect(response.json()).toMatchObject({
        errors: [{ field: 'password', detail: 'must not be one of the 10,000 most common passwords' }],
      });
      expect((await find('common@example.com'))?.passwordHash).toBe(target.passwordHash);
    });

    it('goes on taking a common password that exists, also to change it', async () => {
      organization.time.now += 1_000;
      const target = await organization.addUser({ username: 'before@example.com', password: 'sunshine' });
      expect((await verify('before@example.com', 'sunshine')).outcome).toBe('verified');
      const change = { oldPassword: 'sunshine', password: 'brand-new-password' };
      organization.time.now += 1;
      expect((await put(target, 'before@example.com', change)).statusCode).toBe(204);
    });

    it('sets exactly one of several at the same moment', async () => {
      const target = await owner('race@example.com');
      organization.time.now += 1;
      const token = bearer(await organization.accessToken(target));
      const passwords = [1, 2, 3].map((n) => `brand-new-password-${n}`);
      const responses = await Promise.all(
        passwords.map((password) =>
          send('PUT', `${member('race@example.com')}/password`, { password, oldPassword: 'old-password' }, token),
        ),
      );
      const won = responses.findIndex(({ statusCode }) => statusCode === 204);
      expect(responses.filter(({ statusCode }) => statusCode === 204)).toHaveLength(1);
      expect((await verify('race@example.com', String(passwords[won]))).outcome).toBe('verified');
    });

    it('slows guessing of the old one: after ten wrong ones 429 with Retry-After, also for the right one', async () => {
      const target = await owner('guessed@example.com');
      for (let tries = 0; tries < 10; tries += 1) {
        const wrong = { oldPassword: `wrong-${tries}`, password: 'brand-new-password' };
        expect((await put(target, 'guessed@example.com', wrong)).statusCode).toBe(400);
      }
      const right = { oldPassword: 'old-password', password: 'brand-new-password' };
      const refused = await put(target, 'guessed@example.com', right);
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '300']);
      expect(refused.headers['content-type']).toMatch(/^application\/problem\+json/);
      organization.time.now += 5 * 60_000;
      expect((await put(target, 'guessed@example.com', right)).statusCode).toBe(204);
    });

    it('is refused for a Robot, which has none', async () => {
      const robot = await organization.addUser({ username: 'machine@example.com', userType: 'Robot' });
      const change = { password: 'brand-new-password' };
      for (const [caller, body] of [
        [admin, change],
        [robot, { ...change, oldPassword: 'old-password' }],
      ] as const) {
        const response = await put(caller, 'machine@example.com', body);
        expect([response.statusCode, response.json()]).toEqual([
          400,
          expect.objectContaining({ detail: expect.stringContaining('a Robot never signs in with a password') }),
        ]);
      }
      expect((await find('machine@example.com'))?.passwordHash).toBeUndefined();
    });

    it('answers 404 to a SystemAdministrator and 403 to others where there is no such user', async () => {
      const change = { password: 'brand-new-password', oldPassword: 'old-password' };
      expect((await put(admin, 'nobody@example.com', change)).statusCode).toBe(404);
      expect((await put(user, 'nobody@example.com', change)).statusCode).toBe(403);
    });
  });

  describe('DELETE …/user/userId/<username>', () => {
    it('deletes the user, once', async () => {
      const url = member('PAGE5@example.com');
      const response = await sendAs(admin, 'DELETE', url);
      expect([response.statusCode, response.body]).toEqual([204, '']);
      expect(await find('page5@example.com')).toBeUndefined();
      expect((await sendAs(admin, 'DELETE', url)).statusCode).toBe(404);
    });
  });
});
