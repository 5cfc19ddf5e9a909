import { randomUUID } from 'node:crypto';
import { insertRow } from '@gatehouse/service-kit/database';
import { directoryPaths, type UserDetails, type UserPage } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { buildUser } from '../src/users/build-user.ts';
import type { User } from '../src/users/user.ts';
import { rowFromUser } from '../src/users/user-row.ts';
import { createDirectoryRequests, proven } from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const collection = '/organization/api/organization/user';
const member = (username: string) => `${collection}/userId/${encodeURIComponent(username)}`;
const details = (username: string) => `${collection}/allDetails/userId/${encodeURIComponent(username)}`;
const taken = 'a user with this externalId exists already';

describe.each(testDialects)('the externalId of users on %s', (dialect) => {
  let organization: Organization;
  let replica: Awaited<ReturnType<Organization['startReplica']>>;
  let admin: User;
  const newName = () => `${randomUUID()}@example.com`;
  const newId = () => `auth0|${randomUUID()}`;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    replica = await organization.startReplica();
    admin = await organization.addUser({
      ...{ username: 'admin@example.com', password: 'a password of the admin', roles: ['SystemAdministrator'] },
    });
  });
  afterAll(async () => {
    await replica.close();
    await organization.close();
  });

  interface Options {
    by?: User;
    claims?: JWTPayload;
    at?: Pick<Organization, 'app'>;
  }
  const send = async (
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    body?: object,
    { by = admin, claims, at = organization }: Options = {},
  ) => {
    const { statusCode, ...answer } = await at.app.inject({
      ...{ method, url },
      headers: {
        ...bearer(await organization.accessToken(by, claims)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    return { status: statusCode, headers: answer.headers, json: <T = UserDetails>() => answer.json<T>() };
  };
  const create = (body: object, options?: Options) =>
    send('POST', collection, { username: newName(), userType: 'Robot', ...body }, options);
  const make = async (body: object = {}) => {
    const { username = '' } = (await create(body)).json();
    return username;
  };
  const patch = (username: string, body: object, options?: Options) => send('PATCH', member(username), body, options);
  const read = async (username: string) => (await send('GET', member(username))).json();
  const list = async (query: Record<string, string>) =>
    (await send('GET', `${collection}?${new URLSearchParams(query)}`)).json<UserPage>();
  const refusalOf = async (answer: ReturnType<typeof send>) => {
    const { status, json } = await answer;
    return [status, json<{ detail: string }>().detail];
  };

  it('is set, changed and removed, is in every record, and makes a new version', async () => {
    const externalId = newId();
    const created = await create({ externalId });
    const record = created.json();
    const { username = '' } = record;
    expect([created.status, record.externalId]).toEqual([201, externalId]);
    expect([await read(username), (await send('GET', details(username))).json()]).toEqual([record, record]);
    const etag = (await send('GET', member(username))).headers.etag;
    const changed = await patch(username, { externalId: 'EMP 4711', firstName: 'Ada' });
    expect([changed.status, changed.json()]).toEqual([
      200,
      expect.objectContaining({ externalId: 'EMP 4711', firstName: 'Ada' }),
    ]);
    expect(changed.headers.etag).not.toBe(etag);
    expect((await patch(username, { nickname: 'Ada' })).json().externalId).toBe('EMP 4711');
    expect((await patch(username, { externalId: null, gender: 'x' })).json()).not.toHaveProperty('externalId');
    expect(await read(username)).not.toHaveProperty('externalId');
    expect(await read(await make())).not.toHaveProperty('externalId');
  });

  it('is tried without a change', async () => {
    const [externalId, other] = [newId(), newId()];
    const username = await make({ externalId });
    expect((await patch(username, { externalId: other })).status).toBe(200);
    const tried = await send('PATCH', `${member(username)}?dry_run=true`, { externalId });
    expect(tried.json<object>()).toMatchObject({ before: { externalId: other }, after: { externalId } });
    expect((await read(username)).externalId).toBe(other);
  });

  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['with a space at its end', 'one '],
    ['with a space at its start', ' one'],
    ['of two lines', 'one\ntwo'],
    ['with a character that changes the direction', 'one\u202Etwo'],
    ['half a character', 'a\uD800'],
    ['a number', 4711],
  ])('is refused where it is %s', async (_what, externalId) => {
    const detail = expect.stringMatching(/^externalId must be a string of 1–255 characters /);
    const username = await make({ externalId: newId() });
    const before = await read(username);
    expect(await refusalOf(create({ externalId }))).toEqual([400, detail]);
    expect(await refusalOf(patch(username, { externalId, firstName: 'Lost' }))).toEqual([400, detail]);
    expect(await read(username)).toEqual(before);
  });

  it('has 255 characters of any kind, and is another one in another case or with another accent', async () => {
    const unique = randomUUID();
    const ids = ['😀'.repeat(255), `${unique} é`, `${unique} e`, `${unique} E`, `${unique} e\u0301`, `${unique} ß`];
    for (const externalId of ids) {
      const created = await create({ externalId });
      expect([created.status, created.json().externalId]).toEqual([201, externalId]);
    }
    for (const externalId of ids) {
      const { users } = await list({ externalId });
      expect(users.map((user) => user.externalId)).toEqual([externalId]);
    }
  });

  it('is of one user alone', async () => {
    const externalId = newId();
    const holder = await make({ externalId });
    const other = await make({ firstName: 'Ada' });
    const before = await read(other);
    for (const query of ['', '?dry_run=true']) {
      const user = { username: newName(), userType: 'Robot', externalId };
      expect(await refusalOf(send('POST', collection + query, user))).toEqual([409, taken]);
      const changes = { externalId, firstName: 'Lost', nickname: 'Lost' };
      expect(await refusalOf(send('PATCH', member(other) + query, changes))).toEqual([409, taken]);
      expect((await send('PATCH', member(holder) + query, { externalId })).status).toBe(200);
      const both = { username: holder, userType: 'Robot', externalId };
      const name = 'a user with this username exists already';
      expect(await refusalOf(send('POST', collection + query, both))).toEqual([409, name]);
    }
    expect(await read(other)).toEqual(before);
  });

  it('is of one user alone where it comes with the end of an administrator', async () => {
    const externalId = newId();
    await make({ externalId });
    const { username } = await organization.addUser({
      ...{ username: newName(), password: 'a password of another', roles: ['SystemAdministrator'] },
    });
    expect(await refusalOf(patch(username, { externalId, roles: [] }))).toEqual([409, taken]);
    expect((await read(username)).roles).toEqual(['SystemAdministrator']);
  });

  it('is taken once, of many at the same moment at two replicas', async () => {
    const [forNew, forOld] = [newId(), newId()];
    const old = await Promise.all(Array.from({ length: 10 }, () => make()));
    const at = (index: number) => ({ at: index % 2 === 0 ? organization : replica });
    const made = await Promise.all(old.map((_, index) => create({ externalId: forNew }, at(index))));
    const changed = await Promise.all(old.map((name, index) => patch(name, { externalId: forOld }, at(index))));
    const conflicts = Array.from({ length: 9 }, () => 409);
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...conflicts]);
    expect(changed.map(({ status }) => status).sort()).toEqual([200, ...conflicts]);
    expect((await list({ externalId: forNew, total: 'true' })).total).toBe(1);
    expect((await list({ externalId: forOld, total: 'true' })).total).toBe(1);
  });

  it('is free again where its user gives it up, or is deleted', async () => {
    const externalId = newId();
    const first = await make({ externalId });
    expect((await patch(first, { externalId: null })).status).toBe(200);
    const second = await create({ externalId });
    expect(second.status).toBe(201);
    expect((await send('DELETE', member(second.json().username ?? ''))).status).toBe(204);
    expect((await patch(first, { externalId })).status).toBe(200);
  });

  it('finds its user in lists, together with all else', async () => {
    const externalId = newId();
    const username = await make({ externalId, firstName: 'Grace' });
    const cases: [Record<string, string>, string[]][] = [
      [{ externalId }, [username]],
      [{ externalId, userType: 'Robot', enabled: 'true', search: 'grace' }, [username]],
      [{ externalId, createdSince: '2026-01-01' }, [username]],
      [{ externalId, userType: 'Person' }, []],
      [{ externalId, search: 'ada' }, []],
      [{ externalId, createdSince: '2999-01-01' }, []],
      [{ externalId, group: 'nobody' }, []],
      [{ externalId, search: randomUUID() }, []],
      [{ externalId: `${externalId} ` }, []],
      [{ externalId: externalId.toUpperCase() }, []],
      [{ externalId: '%' }, []],
      [{ externalId: '' }, []],
    ];
    for (const [query, expected] of cases) {
      const { users, ...rest } = await list({ ...query, total: 'true' });
      expect([query, users.map((user) => user.username), rest]).toEqual([
        query,
        expected,
        { total: expected.length, totalIsExact: true },
      ]);
    }
  });

  it('is for SystemAdministrators to set: others get 403, and users do not change their own', async () => {
    const idpAdmin = await organization.addUser({ username: newName(), roles: ['IdpAdministrator'] });
    const user = await organization.addUser({ username: newName(), password: 'a password of the user' });
    for (const by of [idpAdmin, user]) {
      expect((await patch(user.username, { externalId: newId() }, { by })).status).toBe(403);
      expect((await create({ externalId: newId() }, { by })).status).toBe(403);
    }
    const directory = createDirectoryRequests(organization);
    const changes = { externalId: newId(), nickname: 'Nick' };
    expect(await directory.post(directoryPaths.profileChanges, { ...proven(user), changes })).toEqual({
      ...{ outcome: 'refused', fields: ['externalId'] },
    });
    expect(await read(user.username)).not.toHaveProperty('externalId');
  });

  it('is shown to a third-party client with scope profile alone', async () => {
    const externalId = newId();
    const username = newName();
    const user = await organization.addUser({ username, externalId });
    for (const [scope, expected] of [
      ['openid profile', externalId],
      ['openid email phone address roles groups', undefined],
    ] as const) {
      const claims = { third_party: true, scope };
      const answer = await send('GET', details(username), undefined, { by: user, claims });
      expect([answer.status, answer.json().externalId]).toEqual([200, expected]);
    }
  });

  it('is named by the audit event of a change, and not told', async () => {
    const externalId = newId();
    const username = await make();
    await patch(username, { externalId });
    const query = new URLSearchParams({ subject: username, type: 'user.changed' });
    const events = await send('GET', `/organization/api/organization/audit-events?${query}`);
    const text = JSON.stringify(events.json<object>());
    expect(events.json<object>()).toMatchObject({ events: [{ details: { fields: ['externalId'] } }] });
    expect(text).not.toContain(externalId);
  });

  it('is absent from users whom the release before makes, and theirs to get', async () => {
    const names = [newName(), newName()];
    for (const username of names) {
      const user = buildUser({ username, userType: 'Robot' }, undefined, organization.time.now);
      const { external_id: _unknown, ...row } = rowFromUser(user);
      await insertRow(organization.deps.database, 'users', row);
      expect(await read(username)).not.toHaveProperty('externalId');
    }
    const externalId = newId();
    expect((await patch(names[0] ?? '', { externalId })).json()).toMatchObject({ externalId });
    expect(await refusalOf(patch(names[1] ?? '', { externalId }))).toEqual([409, taken]);
  });
});
