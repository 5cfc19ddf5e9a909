import { createId, idToBytes } from '@gatehouse/service-kit';
import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGroups } from '../src/groups/room.ts';
import type { User } from '../src/users/user.ts';
import { createUserStore } from '../src/users/user-store.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const collection = '/organization/api/organization/group';
const users = '/organization/api/organization/user';
const member = (username: string) => `${users}/userId/${encodeURIComponent(username)}`;
const detailsOf = (username: string) => `${users}/allDetails/userId/${encodeURIComponent(username)}`;

interface Group {
  id: string;
  name: string;
  description: string;
  managedBy?: string;
  createdAt: string;
  updatedAt: string;
}

describe.each(testDialects)('groups on %s', (dialect) => {
  let organization: Organization;
  let admin: User;
  let count = 0;
  beforeAll(async () => {
    organization = await startOrganization(dialect);
    admin = await organization.addUser({
      username: 'admin@example.com',
      password: 'a long enough password',
      roles: ['SystemAdministrator'],
    });
  });
  afterAll(() => organization.close());

  type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
  interface Options {
    body?: object;
    headers?: Record<string, string>;
    by?: User;
    claims?: Record<string, unknown>;
  }
  const send = async (method: Method, url: string, { body, headers = {}, by = admin, claims = {} }: Options = {}) =>
    organization.app.inject({
      method,
      url,
      headers: {
        ...bearer(await organization.accessToken(by, claims)),
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const unique = () => {
    count += 1;
    return `of.${count}`;
  };
  const addUser = (more: object = {}) => organization.addUser({ username: `${unique()}@example.com`, ...more });
  const addGroup = async (body: object = { name: unique() }) => {
    const answer = await send('POST', collection, { body });
    expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
    return answer.json<Group>();
  };
  const changeMembers = ({ id }: Group, body: object) => send('POST', `${collection}/${id}/members`, { body });
  const readUser = async ({ username }: User) => (await send('GET', member(username))).json();
  const tagOf = async (url: string) => String((await send('GET', url)).headers.etag);
  const listEvents = async (type: string) =>
    (await send('GET', `/organization/api/organization/audit-events?limit=200&type=${type}`)).json().events;

  it('are made, read, changed and deleted, with an event each', async () => {
    const name = `Staff/${unique()} ÄÖ*`;
    const created = await send('POST', collection, { body: { name, description: 'All of us', managedBy: 'shop' } });
    expect(created.statusCode).toBe(201);
    const group = created.json<Group>();
    expect(group).toEqual({
      id: expect.any(String),
      name,
      description: 'All of us',
      managedBy: 'shop',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const url = `${collection}/${group.id}`;
    expect(created.headers.location).toBe(url);
    const read = await send('GET', url);
    expect([read.json(), read.headers['cache-control']]).toEqual([group, 'no-store']);
    const changed = await send('PATCH', url, { body: { description: '', managedBy: null } });
    expect(changed.json()).toEqual({ ...group, description: '', managedBy: undefined, updatedAt: expect.any(String) });
    expect((await send('DELETE', url)).statusCode).toBe(204);
    expect((await send('GET', url)).statusCode).toBe(404);
    for (const [type, details] of [
      ['group.created', {}],
      ['group.changed', { fields: ['description', 'managedBy'] }],
      ['group.deleted', {}],
    ] as const) {
      const events = await listEvents(type);
      const subject = { kind: 'group', id: group.id, name };
      const actor = { kind: 'user', id: admin.id, name: admin.username };
      expect(events).toContainEqual(expect.objectContaining({ type, subject, actor, client: 'my-app', details }));
    }
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'a'.repeat(129) }, 'name'],
    [{ name: ' a' }, 'name'],
    [{ name: 'a ' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ name: 'a', description: 'a'.repeat(256) }, 'description'],
    [{ name: 'a', managedBy: 'configuration' }, 'managedBy'],
    [{ name: 'a', managedBy: 'A b' }, 'managedBy'],
    [{ name: 'a', members: [] }, 'members'],
  ])('are refused with a fault: %j', async (body, field) => {
    const answer = await send('POST', collection, { body });
    expect([answer.statusCode, answer.json().errors]).toEqual([400, [{ field, detail: expect.any(String) }]]);
  });

  it('keep their name, which is unique without regard to case', async () => {
    const name = `Straße-${unique()}`;
    const { id } = await addGroup({ name });
    const refused = await send('POST', collection, { body: { name: name.toUpperCase().replace('SS', 'ß') } });
    expect([refused.statusCode, refused.json().detail]).toEqual([409, 'a group with this name exists already']);
    const renamed = await send('PATCH', `${collection}/${id}`, { body: { name } });
    expect([renamed.statusCode, renamed.json().errors[0].field]).toEqual([400, 'name']);
    expect((await addGroup({ name: '\u{1F600}'.repeat(128) })).name).toHaveLength(256);
    const raced = unique();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        send('POST', collection, { body: { name: index % 2 ? raced : raced.toUpperCase() } }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it('are read by both administrators and DirectoryReaders, and changed by SystemAdministrators alone', async () => {
    const group = await addGroup();
    const user = await addUser();
    const reads = [
      collection,
      `${collection}/${group.id}`,
      `${collection}/${group.id}/members`,
      `${member(user.username)}/groups`,
    ];
    const changes: [Method, string, object?][] = [
      ['POST', collection, { name: unique() }],
      ['PATCH', `${collection}/${group.id}`, {}],
      ['DELETE', `${collection}/${group.id}`],
      ['POST', `${collection}/${group.id}/members`, { add: [user.username] }],
    ];
    for (const role of ['IdpAdministrator', 'DirectoryReader'] as const) {
      const by = await addUser({ roles: [role] });
      for (const url of reads) expect([url, (await send('GET', url, { by })).statusCode]).toEqual([url, 200]);
      for (const [method, url, body] of changes) {
        expect([method, (await send(method, url, { by, ...(body && { body }) })).statusCode]).toEqual([method, 403]);
      }
    }
    for (const url of reads) expect([url, (await send('GET', url, { by: user })).statusCode]).toEqual([url, 403]);
    expect((await organization.app.inject({ method: 'GET', url: collection })).statusCode).toBe(401);
    const thirdParty = { third_party: true, scope: 'openid roles' };
    for (const url of reads) expect((await send('GET', url, { claims: thirdParty })).statusCode).toBe(403);
    await changeMembers(group, { add: [user.username] });
    const claims = { third_party: true, scope: 'openid roles groups' };
    for (const url of reads) expect((await send('GET', url, { claims })).statusCode).toBe(200);
    const listed = await send('GET', `${collection}/${group.id}/members`, { claims });
    expect(listed.json()).toEqual({ members: [{ id: user.id }] });
  });

  it('are listed a page at a time, in the order of their creation, and counted', async () => {
    const names = [unique(), unique(), unique()];
    for (const name of names) await addGroup({ name });
    const seen: Group[] = [];
    let cursor = '';
    for (;;) {
      const page = (await send('GET', `${collection}?limit=2&total=true${cursor}`)).json();
      seen.push(...page.groups);
      expect([page.total >= 3, page.totalIsExact]).toEqual([true, true]);
      if (page.nextCursor === undefined) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(seen.map(({ name }) => name).slice(-3)).toEqual(names);
    for (const query of ['limit=0', 'limit=201', 'cursor=x', 'total=yes', 'nonsense=1']) {
      expect((await send('GET', `${collection}?${query}`)).statusCode).toBe(400);
    }
  });

  it('have members, who are added and removed by their usernames', async () => {
    const group = await addGroup();
    const [one, other, third] = [await addUser(), await addUser(), await addUser({ userType: 'Robot' })];
    const all = [one, other, third].map(({ username }) => username);
    const added = await changeMembers(group, { add: [...all, one.username.toUpperCase()] });
    expect([added.statusCode, added.json()]).toEqual([200, { added: 3, removed: 0 }]);
    expect((await changeMembers(group, { add: all })).json()).toEqual({ added: 0, removed: 0 });
    const changed = await changeMembers(group, { add: [one.username], remove: [other.username] });
    expect(changed.json()).toEqual({ added: 0, removed: 1 });
    const first = (await send('GET', `${collection}/${group.id}/members?limit=1`)).json();
    expect(first).toEqual({ members: [{ id: one.id, username: one.username }], nextCursor: one.id });
    const rest = (await send('GET', `${collection}/${group.id}/members?limit=1&cursor=${first.nextCursor}`)).json();
    expect(rest).toEqual({ members: [{ id: third.id, username: third.username }] });
    expect((await send('GET', `${member(one.username)}/groups`)).json()).toEqual({
      groups: [{ id: group.id, name: group.name }],
    });
    expect((await send('GET', `${member('nobody@example.com')}/groups`)).statusCode).toBe(404);
    const events = (await listEvents('group.members_changed')).filter(
      ({ subject }: { subject: Group }) => subject.id === group.id,
    );
    expect(events.map(({ details }: { details: unknown }) => details)).toEqual([
      { added: [], removed: [other.username] },
      { added: expect.arrayContaining(all), removed: [] },
    ]);
  });

  it('change all of the members that are named, or none', async () => {
    const group = await addGroup();
    const user = await addUser();
    const refused = await changeMembers(group, { add: [user.username, 'nobody@example.com'] });
    expect([refused.statusCode, refused.json().errors]).toEqual([
      400,
      [{ field: 'add', detail: 'must name users who are there; there is no "nobody@example.com"' }],
    ]);
    for (const body of [
      { remove: ['nobody@example.com'], add: [user.username] },
      { add: [user.username], remove: [user.username] },
      { add: Array(501).fill(user.username) },
      { add: user.username },
      { nonsense: [] },
    ]) {
      expect((await changeMembers(group, body)).statusCode).toBe(400);
    }
    expect(await readUser(user)).not.toHaveProperty('groups');
    expect((await changeMembers({ ...group, id: createId() }, { add: [user.username] })).statusCode).toBe(404);
  });

  it('stand in the record of a user who is in one, sorted, and in no other', async () => {
    const [user, alone] = [await addUser(), await addUser()];
    const suffix = unique();
    for (const name of ['b', 'a', 'C'])
      await changeMembers(await addGroup({ name: `${name}-${suffix}` }), { add: [user.username] });
    const groups = ['C', 'a', 'b'].map((name) => `${name}-${suffix}`);
    expect((await readUser(user)).groups).toEqual(groups);
    expect(await readUser(alone)).not.toHaveProperty('groups');
    const own = (await send('GET', detailsOf(user.username), { by: user })).json();
    expect(own.groups).toEqual(groups);
    const listed = (await send('GET', `${users}?limit=200`)).json().users as { id: string; groups?: string[] }[];
    expect(listed.find(({ id }) => id === user.id)?.groups).toEqual(groups);
    expect(listed.find(({ id }) => id === alone.id)).not.toHaveProperty('groups');
    const [searched] = (await send('GET', `${users}?search=${encodeURIComponent(user.username)}`)).json().users;
    expect(searched.groups).toEqual(groups);
    for (const [scope, seen] of [
      ['openid profile roles', undefined],
      ['openid groups', groups],
    ] as const) {
      const claims = { third_party: true, scope };
      expect((await send('GET', detailsOf(user.username), { by: user, claims })).json().groups).toEqual(seen);
    }
  });

  it('reach auth-server with the user, and the user with the account', async () => {
    const user = await addUser();
    const group = await addGroup();
    await changeMembers(group, { add: [user.username] });
    const ask = async (path: string, content: object) => {
      const payload = JSON.stringify(content);
      const headers = { ...bearer(await organization.serviceToken(path, payload)), 'content-type': 'application/json' };
      return (await organization.app.inject({ method: 'POST', url: path, payload, headers })).json();
    };
    const found = await ask(directoryPaths.userQueries, { ids: [user.id, admin.id] });
    expect(found.users.map(({ groups }: { groups?: string[] }) => groups)).toEqual([[group.name], undefined]);
    const settings = await ask(directoryPaths.settings, { changedAfter: organization.time.now - 1 });
    expect([settings.groups, settings.changedUsers.map(({ id }: { id: string }) => id).includes(user.id)]).toEqual([
      true,
      true,
    ]);
    expect((await ask(directoryPaths.accountData, { userId: user.id })).account.user.groups).toEqual([group.name]);
  });

  it('are named as a whole list where a user is created or changed', async () => {
    const [one, other] = [await addGroup(), await addGroup()];
    const username = `${unique()}@example.com`;
    const body = { username, userType: 'Robot', groups: [other.name.toUpperCase(), one.name] };
    const dry = (await send('POST', `${users}?dry_run=true`, { body })).json();
    expect(dry.after.groups).toEqual([one.name, other.name].sort());
    expect((await send('GET', member(username))).statusCode).toBe(404);
    const created = await send('POST', users, { body });
    expect([created.statusCode, created.json().groups]).toEqual([201, [one.name, other.name].sort()]);
    const planned = (await send('PATCH', `${member(username)}?dry_run=true`, { body: { groups: [one.name] } })).json();
    expect(planned.changes).toEqual([{ field: 'groups', from: [one.name, other.name].sort(), to: [one.name] }]);
    const changed = await send('PATCH', member(username), { body: { groups: [one.name], firstName: 'Robin' } });
    expect([changed.json().groups, changed.json().firstName]).toEqual([[one.name], 'Robin']);
    expect((await send('PATCH', member(username), { body: { firstName: 'Robbie' } })).json().groups).toEqual([
      one.name,
    ]);
    const removed = await send('PATCH', member(username), { body: { groups: [] } });
    expect([removed.statusCode, removed.json().groups]).toEqual([200, undefined]);
    for (const [method, url, groups] of [
      ['PATCH', member(username), ['unheard of']],
      ['PATCH', member(username), 'x'],
      ['POST', users, ['unheard of']],
    ] as const) {
      const more = method === 'POST' ? { username: `${unique()}@example.com`, userType: 'Robot' } : {};
      const refused = await send(method, url, { body: { ...more, groups } });
      expect([refused.statusCode, refused.json().errors[0].field]).toEqual([400, 'groups']);
    }
    const events = (await listEvents('group.members_changed')).filter(
      ({ subject }: { subject: Group }) => subject.id === other.id,
    );
    expect(events.map(({ details }: { details: unknown }) => details)).toEqual([
      { added: [], removed: [username] },
      { added: [username], removed: [] },
    ]);
  });

  it('of lists that are put at the same moment, hold one list as a whole', async () => {
    const { username } = await addUser();
    const groups = [await addGroup(), await addGroup(), await addGroup(), await addGroup()];
    const answers = await Promise.all(
      groups.map(({ name }) => send('PATCH', member(username), { body: { groups: [name] } })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect((await send('GET', member(username))).json().groups).toHaveLength(1);
  });

  it('move the version of a user with each change, and have one of their own', async () => {
    const user = await addUser();
    const group = await addGroup();
    const url = `${collection}/${group.id}`;
    const seen = new Set([await tagOf(member(user.username))]);
    const isMoved = async () => {
      const tag = await tagOf(member(user.username));
      const isNew = !seen.has(tag);
      seen.add(tag);
      return isNew;
    };
    expect(await isMoved()).toBe(false);
    const own = await tagOf(url);
    await changeMembers(group, { add: [user.username] });
    expect(await isMoved()).toBe(true);
    await changeMembers(group, { add: [user.username] });
    expect(await isMoved()).toBe(false);
    await changeMembers(group, { remove: [user.username] });
    expect(await isMoved()).toBe(true);
    const stale = { 'if-match': own };
    expect((await send('PATCH', url, { body: { description: 'Now' }, headers: stale })).statusCode).toBe(200);
    const refused = await send('PATCH', url, { body: { description: 'Then' }, headers: stale });
    expect([refused.statusCode, refused.json().current.description]).toEqual([412, 'Now']);
    expect((await send('DELETE', url, { headers: stale })).statusCode).toBe(412);
    expect((await send('DELETE', url, { headers: { 'if-match': 'bare' } })).statusCode).toBe(400);
    await changeMembers(group, { add: [user.username] });
    await isMoved();
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => send('PATCH', url, { body: { description: unique() } })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200));
    expect((await send('DELETE', url, { headers: { 'if-match': await tagOf(url) } })).statusCode).toBe(204);
    expect(await isMoved()).toBe(true);
    expect(await readUser(user)).not.toHaveProperty('groups');
  });

  it('are tried without being done', async () => {
    const name = unique();
    const group = await addGroup();
    const url = `${collection}/${group.id}`;
    const tried = (await send('POST', `${collection}?dry_run=true`, { body: { name } })).json();
    expect(tried).toMatchObject({ after: { name, description: '' }, ends: [] });
    const change = (await send('PATCH', `${url}?dry_run=true`, { body: { description: 'New' } })).json();
    expect(change.changes).toEqual([{ field: 'description', from: '', to: 'New' }]);
    expect((await send('DELETE', `${url}?dry_run=true`)).json()).toMatchObject({ before: group });
    expect((await send('GET', url)).json()).toEqual(group);
    expect((await send('POST', `${collection}?dry_run=true`, { body: { name: group.name } })).statusCode).toBe(409);
    await addGroup({ name });
  });

  it('lose a user who is deleted, and all rows with a group', async () => {
    const { database } = organization.deps;
    const rows = async () =>
      Number((await database.query<{ found: number }>('SELECT COUNT(*) AS found FROM group_members'))[0]?.found);
    const before = await rows();
    const [user, other] = [await addUser(), await addUser()];
    const group = await addGroup();
    await changeMembers(group, { add: [user.username, other.username] });
    expect(await rows()).toBe(before + 2);
    expect((await send('DELETE', member(user.username))).statusCode).toBe(204);
    expect(await rows()).toBe(before + 1);
    expect((await send('DELETE', `${collection}/${group.id}`)).statusCode).toBe(204);
    expect(await rows()).toBe(before);
  });

  it('keep no row of a user or a group that is deleted while it is added', async () => {
    const { database } = organization.deps;
    const { groupMembers } = createGroups({ database });
    const now = organization.time.now;
    const memberships = [{ groupId: createId(), userId: (await addUser()).id }];
    expect(await groupMembers.add(memberships, now)).toEqual(memberships);
    expect(await groupMembers.listPresent(memberships)).toEqual([]);
  });

  it('are at most 1,000 of a user, however many add at the same moment', async () => {
    const { database } = organization.deps;
    const user = await addUser();
    const insert = async (count: number) => {
      const ids = Array.from({ length: count }, () => Buffer.from(createId().replaceAll('-', ''), 'hex'));
      const values = ids.flatMap((id, index) => [id, Buffer.from(user.id.replaceAll('-', ''), 'hex'), index + 1, 0]);
      const marks = ids.map(() => '(?, ?, ?, ?)').join(', ');
      await database.execute(`INSERT INTO group_members (group_id, user_id, number, added_at) VALUES ${marks}`, values);
    };
    await insert(997);
    const groups = await Promise.all(Array.from({ length: 6 }, () => addGroup()));
    const answers = await Promise.all(groups.map((group) => changeMembers(group, { add: [user.username] })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 409, 409, 409]);
    const refused = answers.find(({ statusCode }) => statusCode === 409);
    expect(refused?.json().detail).toBe(`${user.username} would be in more than 1000 groups`);
    const other = await addUser();
    const full = groups.find((_, index) => answers[index]?.statusCode === 409) as Group;
    expect((await changeMembers(full, { add: [other.username, user.username] })).statusCode).toBe(409);
    expect(await readUser(other)).not.toHaveProperty('groups');
    // A number in the middle becomes free.
    const [in_] = groups.filter((_, index) => answers[index]?.statusCode === 200) as [Group];
    await changeMembers(in_, { remove: [user.username] });
    expect((await changeMembers(full, { add: [user.username] })).statusCode).toBe(200);
  });

  it('are at most 10,000 of an organization, however many are made at the same moment', async () => {
    const { database } = organization.deps;
    const made = await database.query<{ number: number }>('SELECT number FROM user_groups');
    const taken = new Set(made.map(({ number }) => Number(number)));
    const free = Array.from({ length: 10_000 }, (_, index) => index + 1).filter((number) => !taken.has(number));
    const fillers = free.slice(0, -3).map((number) => [idToBytes(createId()), `filler ${number}`, number] as const);
    for (let from = 0; from < fillers.length; from += 500) {
      const part = fillers.slice(from, from + 500);
      await database.execute(
        `INSERT INTO user_groups (id, name, name_key, number, description, created_at, updated_at)
         VALUES ${part.map(() => "(?, ?, ?, ?, '', 0, 0)").join(', ')}`,
        part.flatMap(([id, name, number]) => [id, name, name, number]),
      );
    }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', collection, { body: { name: unique() } })),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect(answers.find(({ statusCode }) => statusCode === 409)?.body).toContain('has 10000 groups');
    const [{ id } = { id: '' }] = answers.flatMap((answer) =>
      answer.statusCode === 201 ? [answer.json<Group>()] : [],
    );
    expect((await send('DELETE', `${collection}/${id}`)).statusCode).toBe(204);
    await addGroup();
    await database.execute("DELETE FROM user_groups WHERE name LIKE 'filler %'");
  });

  it('take one statement more where a user is in one, and none where nobody is', async () => {
    const { database } = organization.deps;
    const statements: string[] = [];
    const query: typeof database.query = (sql, ...more) => {
      statements.push(sql);
      return database.query(sql, ...more);
    };
    const store = createUserStore({ ...database, query });
    const [user, alone] = [await addUser(), await addUser()];
    await changeMembers(await addGroup(), { add: [user.username] });
    await store.findById(alone.id);
    expect(statements).toHaveLength(1);
    await Promise.all([store.findById(alone.id), store.findById(user.id)]);
    expect(statements).toHaveLength(3);
  });
});
