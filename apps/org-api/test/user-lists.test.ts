import { randomBytes, randomUUID } from 'node:crypto';
import { createId, createIdAt, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createFillTerms, createTermStore } from '@gatehouse/service-kit/terms';
import type { UserPage } from '@gatehouse/shared';
import { explainRows, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { createUserListStore } from '../src/users/user-list-store.ts';
import { userFromRow } from '../src/users/user-row.ts';
import type { UserRow } from '../src/users/user-table.ts';
import { termedUser, userFacets } from '../src/users/user-terms.ts';
import { userTermTable } from '../src/users/user-terms-table.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const groups = '/organization/api/organization/group';
const collection = '/organization/api/organization/user';
const member = (username: string) => `${collection}/userId/${encodeURIComponent(username)}`;

describe.each(testDialects)('lists of users on %s', (dialect) => {
  let organization: Organization;
  let admin: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    admin = await organization.addUser({ username: 'admin@example.com', roles: ['SystemAdministrator'] });
  });
  afterAll(() => organization.close());

  const send = async (method: 'GET' | 'PATCH' | 'DELETE' | 'POST', url: string, body?: object, caller = admin) =>
    organization.app.inject({
      ...{ method, url },
      headers: {
        ...bearer(await organization.accessToken(caller)),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  const get = (query: Record<string, string>, caller = admin) =>
    send('GET', `${collection}?${new URLSearchParams(query)}`, undefined, caller);
  const list = async (query: Record<string, string>, caller = admin): Promise<UserPage> => {
    const answer = await get(query, caller);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.not.stringMatching(/argon2|passwordHash/)]);
    return answer.json<UserPage>();
  };
  const names = async (query: Record<string, string>) => (await list(query)).users.map(({ username }) => username);
  const insertAll = async (table: string, rows: readonly Record<string, unknown>[]) => {
    const columns = Object.keys(rows[0] ?? {});
    for (let start = 0; start < rows.length; start += 500) {
      const some = rows.slice(start, start + 500);
      const marks = some.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ');
      const values = some.flatMap((row) => columns.map((column) => row[column]));
      await organization.deps.database.execute(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${marks}`, values);
    }
  };
  const unique = () => `k${randomBytes(5).toString('hex')}`;
  const add = async (more: Parameters<Organization['addUser']>[0]) => (await organization.addUser(more)).username;
  const walk = async (query: Record<string, string>) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: '1', ...query, ...(cursor === undefined ? {} : { cursor }) });
      expect((page.nextCursor ?? '').length).toBeLessThanOrEqual(512);
      seen.push(...page.users.map(({ username = '' }) => username));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return seen;
  };

  it('say to SystemAdministrators, where they are asked to, which people have a second step', async () => {
    const ofKey = (name: string) => `${name}.${unique()}@example.com`;
    const robot = await organization.addUser({ username: ofKey('robot'), userType: 'Robot' });
    const without = await organization.addUser({ username: ofKey('without') });
    const payload = JSON.stringify({
      ...{ kind: 'user', username: ofKey('with'), userType: 'Person', enabled: true },
      codeApp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' },
    });
    const headers = { ...bearer(await organization.accessToken(admin)), 'content-type': 'application/x-ndjson' };
    const url = '/organization/api/organization/user-imports';
    const imported = (await organization.app.inject({ method: 'POST', url, headers, payload })).json<{ id: string }>();
    const stepOf = async (id: string, query: Record<string, string>) => {
      const [user = {}] = (await list({ search: id, ...query })).users;
      return 'secondStep' in user ? user.secondStep : 'absent';
    };
    const steps = (query: Record<string, string>) =>
      Promise.all([robot, without, imported].map(({ id }) => stepOf(id, query)));
    expect(await steps({ withSecondStep: 'true' })).toEqual(['absent', false, true]);
    expect(await steps({})).toEqual(['absent', 'absent', 'absent']);
    expect(await steps({ withSecondStep: 'false' })).toEqual(['absent', 'absent', 'absent']);
    const reader = await organization.addUser({ username: ofKey('reader'), roles: ['IdpAdministrator'] });
    const refused = await get({ withSecondStep: 'true' }, reader);
    expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining('SystemAdministrator')]);
    expect((await get({ withSecondStep: 'yes' })).statusCode).toBe(400);
  });

  it('are for callers who may read each record, and for no others', async () => {
    const key = unique();
    for (const role of ['IdpAdministrator', 'DirectoryReader'] as const) {
      const reader = await organization.addUser({ username: `${role}.${key}@example.com`, roles: [role] });
      expect((await list({ search: key, total: 'true' }, reader)).total).toBeGreaterThan(0);
      expect((await send('POST', collection, {}, reader)).statusCode).toBe(403);
    }
    const nobody = await organization.addUser({ username: `nobody.${key}@example.com` });
    const refused = await get({}, nobody);
    const detail = 'listing users requires SystemAdministrator, IdpAdministrator or DirectoryReader';
    expect([refused.statusCode, refused.json().detail]).toEqual([403, detail]);
  });

  it('find by words of username, e-mail address and names, and by the whole id', async () => {
    const key = unique();
    const name = `Jane.${key}@Example.com`;
    const user = await organization.addUser({
      ...{ username: name, email: `other-${key}x@mail.example.org` },
      ...{ firstName: 'Zoë', middleName: 'ΟΔΟΣ', lastName: `de la ${key}last` },
    });
    const found = [
      ...[key, `JANE ${key}`, `jane.${key}@ex`, name, `other-${key}`, `${key}x mail`],
      ...[`zoe\u0308 ${key}`, `ZOË ${key}`, `οδος ${key}`, `la ${key}l`, user.id, user.id.toUpperCase()],
    ];
    for (const search of found) expect([search, await names({ search })]).toEqual([search, [name]]);
    const missed = [key.slice(1), `${key} nobody`, `zoa ${key}`, `${key} %`, `${key} _`, `${key} \\`, createId()];
    for (const search of missed) expect([search, await names({ search })]).toEqual([search, []]);
    expect(await list({ search: user.id, enabled: 'false', total: 'true' })).toEqual({
      ...{ users: [], total: 0, totalIsExact: true },
    });
  });

  it('filter by type, role, state and time of creation, together with a search too', async () => {
    const key = unique();
    const person = await add({ username: `person.${key}@example.com`, roles: ['DirectoryReader'] });
    const off = await add({ username: `off.${key}@example.com`, enabled: false });
    const robot = await add({ username: `robot.${key}@example.com`, userType: 'Robot' });
    organization.time.now += 60_000;
    const since = new Date(organization.time.now).toISOString();
    const late = await add({
      ...{ username: `late.${key}@example.com`, roles: ['DirectoryReader', 'IdpAdministrator'], emailVerified: true },
    });
    const cases: [Record<string, string>, string[]][] = [
      [{ userType: 'Robot' }, [robot]],
      [{ userType: 'Person' }, [person, off, late]],
      [{ role: 'DirectoryReader' }, [person, late]],
      [{ role: 'SystemAdministrator' }, []],
      [{ enabled: 'false' }, [off]],
      [{ enabled: 'true', userType: 'Person' }, [person, late]],
      [{ finding: 'unverified_addresses' }, [person]],
      [{ finding: 'unverified_addresses', createdSince: since }, []],
      [{ createdSince: since }, [late]],
      [{ createdSince: since, role: 'DirectoryReader', enabled: 'true' }, [late]],
    ];
    for (const [query, expected] of cases) {
      expect([query, (await names({ search: key, ...query })).sort()]).toEqual([query, [...expected].sort()]);
      expect([query, (await walk({ search: key, ...query })).sort()]).toEqual([query, [...expected].sort()]);
      expect([query, await list({ search: key, ...query, total: 'true' })]).toEqual([
        query,
        expect.objectContaining({ total: expected.length, totalIsExact: true }),
      ]);
    }
    expect(await names({ createdSince: since })).toEqual([late]);
    expect(await walk({ createdSince: since })).toEqual([late]);
    expect((await list({ createdSince: since, total: 'true' })).total).toBe(1);
    expect((await list({ createdSince: since, role: 'IdpAdministrator', total: 'true' })).total).toBe(1);
    expect(await names({ role: 'DirectoryReader', limit: '200' })).toContain(person);
    const all = await names({ limit: '200' });
    expect(await list({ limit: '1', total: 'true' })).toMatchObject({ total: all.length, totalIsExact: true });
  });

  it('filter by a group, together with all else, and find nobody where no group has the name', async () => {
    const key = unique();
    const [one, other, outside] = [
      await add({ username: `one-${key}@example.com`, roles: ['DirectoryReader'] }),
      await add({ username: `other-${key}@example.com` }),
      await add({ username: `outside-${key}@example.com` }),
    ];
    const group = (await send('POST', groups, { name: `Group-${key}` })).json<{ id: string }>();
    await send('POST', `${groups}/${group.id}/members`, { add: [one, other] });
    const filter = { group: `group-${key}` };
    const { id = '' } = (await list({ search: outside })).users[0] ?? {};
    const cases: [Record<string, string>, string[]][] = [
      [filter, [one, other]],
      [{ ...filter, search: `one-${key}` }, [one]],
      [{ ...filter, role: 'DirectoryReader' }, [one]],
      [{ ...filter, enabled: 'false' }, []],
      [{ ...filter, createdSince: '2999-01-01' }, []],
      [{ ...filter, search: id }, []],
      [{ group: `nobody-${key}` }, []],
    ];
    for (const [query, expected] of cases) {
      expect([query, await walk(query)]).toEqual([query, expected]);
      const total = { total: expected.length, totalIsExact: true };
      expect([query, await list({ ...query, total: 'true' })]).toEqual([query, expect.objectContaining(total)]);
    }
    const { nextCursor = '' } = await list({ search: key, limit: '1' });
    expect((await get({ ...filter, search: key, cursor: nextCursor })).statusCode).toBe(400);
  });

  it('examine 10,000 members of a group for a page, and for a total', async () => {
    const { database } = organization.deps;
    const group = (await send('POST', groups, { name: unique() })).json<{ id: string; name: string }>();
    organization.time.now += 60_000;
    const [count, now, key] = [10_050, organization.time.now, unique()];
    const ids = Array.from({ length: count }, (_, n) => idToBytes(createIdAt(now, n)));
    const isReader = (n: number) => n === 0 || n === count - 1;
    await insertAll(
      'users',
      ids.map((id, n) => ({
        ...{ id, username: `${key}-${n}`, username_key: `${key}-${n}`, user_type: 'Person', email: '', enabled: 1 },
        ...{ first_name: '', last_name: '', organization: '', locale: 'en', timezone: 'UTC', in_groups: 1 },
        ...{ roles: isReader(n) ? 'DirectoryReader' : '', password_changed_at: now },
        ...{ created_at: now, updated_at: now, terms_at: now },
      })),
    );
    const group_id = idToBytes(group.id);
    await insertAll(
      'group_members',
      ids.map((user_id) => ({ group_id, user_id, number: 1, added_at: now })),
    );
    const term = userFacets.role('DirectoryReader');
    const readers = ids.filter((_, n) => isReader(n));
    await insertAll(
      'user_terms',
      readers.map((user_id) => ({ term, user_id, written_at: now })),
    );
    if (dialect === 'mysql') await database.query('ANALYZE TABLE users, group_members, user_terms');
    const filter = { group: group.name, role: 'DirectoryReader' };
    const first = await list(filter);
    expect(first.users.map(({ username }) => username)).toEqual([`${key}-0`]);
    expect(first.nextCursor).toBeDefined();
    expect(await walk(filter)).toEqual([`${key}-0`, `${key}-${count - 1}`]);
    expect(await list({ ...filter, total: 'true' })).toMatchObject({ total: 1, totalIsExact: false });
    const all = { group: group.name, limit: '1', total: 'true' };
    expect(await list(all)).toMatchObject({ total: 10_000, totalIsExact: false });

    // Of a value that many have the order is that of creations; of one that a few have, one page examines them all.
    const since = { createdSince: new Date(now).toISOString() };
    const enabled = userFacets.enabled('true');
    await insertAll(
      'user_terms',
      ids.map((user_id) => ({ term: enabled, user_id, written_at: now })),
    );
    const many = await list({ ...since, enabled: 'true', limit: '1', total: 'true' });
    expect(many).toMatchObject({ users: [{ username: `${key}-0` }], total: 10_000, totalIsExact: false });
    const { nextCursor: cursor = '' } = many;
    expect(await names({ ...since, enabled: 'true', limit: '2', cursor })).toEqual([`${key}-1`, `${key}-2`]);
    const few = { ...since, role: 'DirectoryReader', enabled: 'true' };
    const { users, nextCursor, ...total } = await list({ ...few, total: 'true' });
    expect(users.map(({ username }) => username)).toEqual([`${key}-0`, `${key}-${count - 1}`]);
    expect([nextCursor, total]).toEqual([undefined, { total: 2, totalIsExact: true }]);
    expect((await get({ ...few, group: group.name, cursor })).statusCode).toBe(400);
  });

  it('follow the time of creation, also where ids are those of another system', async () => {
    organization.time.now += 60_000;
    const { now } = organization.time;
    const key = unique();
    await insertAll(
      'users',
      ['80', 'ff', '00'].map((start, n) => ({
        id: idToBytes(start + randomUUID().slice(2)),
        ...{ username: `${key}-${n}`, username_key: `${key}-${n}`, user_type: 'Person', email: '', enabled: 1 },
        ...{ first_name: '', last_name: '', organization: '', locale: 'en', timezone: 'UTC', roles: '' },
        ...{ password_changed_at: now, created_at: now + n, updated_at: now },
      })),
    );
    const since = { createdSince: new Date(now).toISOString() };
    const all = [0, 1, 2].map((n) => `${key}-${n}`);
    expect(await walk(since)).toEqual(all);
    expect(await list({ ...since, total: 'true' })).toMatchObject({ total: 3, totalIsExact: true });
    const { nextCursor: cursor = '' } = await list({ ...since, limit: '1' });
    expect(await names({ ...since, cursor })).toEqual(all.slice(1));
    expect((await get({ cursor })).statusCode).toBe(400);
    expect((await get({ ...since, cursor: randomUUID() })).statusCode).toBe(400);
  });

  it('follow a user who is changed, and forget one who is deleted', async () => {
    const [key, later] = [unique(), unique()];
    const name = await add({ username: `${unique()}@example.com`, lastName: key });
    expect(await names({ search: key })).toEqual([name]);
    const changes = { lastName: later, nickname: 'Nick', enabled: false };
    expect((await send('PATCH', member(name), changes)).statusCode).toBe(200);
    expect(await list({ search: key, total: 'true' })).toEqual({ users: [], total: 0, totalIsExact: true });
    expect(await names({ search: later, enabled: 'false' })).toEqual([name]);
    expect((await send('PATCH', member(name), { email: `${key}@example.org` })).statusCode).toBe(200);
    expect(await names({ search: key })).toEqual([name]);
    expect((await send('DELETE', member(name))).statusCode).toBe(204);
    expect(await list({ search: later, total: 'true' })).toEqual({ users: [], total: 0, totalIsExact: true });
    const rows = await organization.deps.database.query('SELECT 1 FROM user_terms WHERE term = ?', [later]);
    expect(rows).toEqual([]);
  });

  it('go on from an id, as the release before gave it, and refuse a cursor of another search', async () => {
    const key = unique();
    const added = [];
    for (const n of [3, 1, 2]) added.push(await organization.addUser({ username: `${key}n${n}@example.com` }));
    const first = added[0]?.id ?? '';
    expect((await walk({ search: key })).sort()).toEqual([1, 2, 3].map((n) => `${key}n${n}@example.com`));
    expect((await names({ search: key, cursor: first })).sort()).toEqual([1, 2].map((n) => `${key}n${n}@example.com`));
    const page = await list({ search: key, cursor: first, limit: '1' });
    const rest = await names({ search: key, cursor: page.nextCursor ?? '' });
    expect([...page.users.map(({ username }) => username), ...rest]).toEqual(
      [1, 2].map((n) => `${key}n${n}@example.com`),
    );
    const detail = 'cursor must be the nextCursor of the page before';
    for (const query of [{ search: 'x' }, { search: '' }]) {
      const answer = await get({ ...query, cursor: page.nextCursor ?? '' });
      expect([answer.statusCode, answer.json().detail]).toEqual([400, detail]);
    }
  });

  it.each([
    ['userType=Cat', 'userType must be Person or Robot'],
    ['role=Boss', 'role must be one of SystemAdministrator, IdpAdministrator, DirectoryReader'],
    ['enabled=1', 'enabled must be true or false'],
    ['total=yes', 'total must be true or false'],
    ['finding=demo_data', 'finding must be unverified_addresses'],
    ['role=DirectoryReader&role=DirectoryReader', 'role must stand in the query only once'],
    [
      'createdSince=yesterday',
      'createdSince must be a date or an instant of ISO 8601, such as 2026-01-31 or 2026-01-31T08:00:00Z',
    ],
  ])('refuse %s', async (query, detail) => {
    const answer = await send('GET', `${collection}?${query}`);
    expect([answer.statusCode, answer.json().detail]).toEqual([400, detail]);
  });

  it('have users whom a release that writes no terms made or changed, once they are filled', async () => {
    const key = unique();
    const name = await add({ username: `${key}@example.com`, firstName: 'Former' });
    const { database } = organization.deps;
    await database.execute('DELETE FROM user_terms');
    await database.execute('UPDATE users SET terms_at = 0');
    await database.execute("UPDATE users SET first_name = 'Latter', updated_at = updated_at + 1 WHERE username = ?", [
      name,
    ]);
    expect(await names({ search: key })).toEqual([]);
    const fill = () =>
      createFillTerms<UserRow>({
        ...{ database, table: userTermTable, terms: createTermStore(database, userTermTable), clock: () => 0 },
        read: (row) => termedUser(userFromRow(row)),
      })(new AbortController().signal);
    await Promise.all([fill(), fill()]);
    expect(await names({ search: `${key} latter` })).toEqual([name]);
    expect(await names({ search: `${key} former` })).toEqual([]);
    expect(await database.query('SELECT 1 FROM users WHERE terms_at <> updated_at')).toEqual([]);
  });

  it('have a user of whom a new version without terms was made while those of the one before were filled', async () => {
    const { database, users } = organization.deps;
    const key = unique();
    const name = await add({ username: `${key}@example.com` });
    const user = await users.findByUsername(name);
    if (user === undefined) throw new Error('no user');
    await users.touch([user.id], user.updatedAt + 1);
    await createTermStore(database, userTermTable).write(termedUser(user));
    expect(await names({ search: key })).toEqual([name]);
  });

  it('read an index for each filter', async () => {
    const { database, users } = organization.deps;
    const planned: string[] = [];
    for (let n = 0; n < 20; n += 1) planned.push(await add({ username: `plan${n}@example.com` }));
    const group = (await send('POST', groups, { name: 'plan' })).json<{ id: string }>();
    await send('POST', `${groups}/${group.id}/members`, { add: planned });
    const fillers = Array.from({ length: 2_000 }, (_, n) => ['filler', Buffer.alloc(16, `${n} of many fillers`), n]);
    const marks = fillers.map(() => '(?, ?, ?)').join(', ');
    const ignore = dialect === 'mysql' ? 'IGNORE' : 'OR IGNORE';
    await database.execute(
      `INSERT ${ignore} INTO user_terms (term, user_id, written_at) VALUES ${marks}`,
      fillers.flat(),
    );
    if (dialect === 'mysql') await database.query('ANALYZE TABLE user_terms, users');
    const word = dialect === 'mysql' ? explainRows : 'EXPLAIN QUERY PLAN';
    const plans: Record<string, unknown>[] = [];
    const explaining: Database = {
      ...database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        // Of rows by their keys the database may read all: there are few here.
        if (!/^SELECT ((users\.)?\*|m\.user_id, g\.name)/.test(sql)) {
          plans.push(...(await database.query<Record<string, unknown>>(`${word} ${sql}`, parameters)));
        }
        return database.query<Row>(sql, parameters);
      },
    };
    const lists = createUserListStore({ database: explaining, users });
    const filters = [
      { words: ['plan'], facets: [], createdSince: undefined },
      { words: ['plan', 'example', 'com'], facets: [], createdSince: 1 },
      { group: 'plan', words: [], facets: [], createdSince: undefined },
      { group: 'plan', words: ['plan'], facets: [userFacets.enabled('true')], createdSince: 1 },
      ...[
        userFacets.userType('Person'),
        userFacets.role('DirectoryReader'),
        userFacets.enabled('true'),
        userFacets.finding(),
      ].map((facet) => ({
        ...{ words: [], facets: [facet], createdSince: 1 },
      })),
    ];
    for (const filter of filters) {
      await lists.list({ ...filter, id: undefined, place: undefined, limit: 50 });
      await lists.count({ ...filter, id: undefined });
    }
    const isByIndex = (step: Record<string, unknown>) =>
      dialect === 'mysql'
        ? step.key !== null ||
          /No tables used|Impossible/.test(String(step.Extra)) ||
          /^<derived/.test(String(step.table))
        : !/^SCAN (?!c\d|examined$|\(|CONSTANT)|TEMP B-TREE(?! FOR count)/.test(String(step.detail));
    expect(plans.length).toBeGreaterThan(10);
    expect(plans.filter((step) => !isByIndex(step))).toEqual([]);
    expect(JSON.stringify(plans)).not.toMatch(/filesort/i);
  });
});
