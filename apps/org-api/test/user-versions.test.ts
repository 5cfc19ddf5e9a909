import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const member = (username: string) => `/organization/api/organization/user/userId/${encodeURIComponent(username)}`;

describe.each(testDialects)('the version of a user on %s', (dialect) => {
  let organization: Organization;
  let admin: User;
  let names = 0;
  beforeAll(async () => {
    organization = await startOrganization(dialect);
    admin = await organization.addUser({ username: 'admin@example.com', roles: ['SystemAdministrator'] });
  });
  afterAll(() => organization.close());

  interface Options {
    body?: object;
    ifMatch?: string;
    by?: User;
  }
  const send = async (
    method: 'GET' | 'PATCH' | 'DELETE',
    username: string,
    { body, ifMatch, by = admin }: Options = {},
  ) =>
    organization.app.inject({
      method,
      url: member(username),
      headers: {
        ...bearer(await organization.accessToken(by)),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const fresh = async (): Promise<string> => {
    names += 1;
    return (await organization.addUser({ username: `versioned.${names}@example.com` })).username;
  };
  const tagOf = async (username: string) => String((await send('GET', username)).headers.etag);

  it('is read by both administrators and DirectoryReaders, with the record, and by nobody else', async () => {
    const username = await fresh();
    for (const role of ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'] as const) {
      const by = await organization.addUser({ username: `${role}@example.com`, roles: [role] });
      const answer = await send('GET', username, { by });
      expect([role, answer.statusCode, answer.headers['cache-control']]).toEqual([role, 200, 'no-store']);
      expect(answer.headers.etag).toMatch(/^"[0-9a-z]+"$/);
      expect(answer.json()).toMatchObject({ username, enabled: true });
    }
    const nobody = await organization.addUser({ username: 'nobody@example.com' });
    for (const [by, of, status] of [
      [nobody, username, 403],
      [nobody, 'unheard.of@example.com', 403],
      [admin, 'unheard.of@example.com', 404],
    ] as const) {
      const answer = await send('GET', of, { by });
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
    }
    expect((await organization.app.inject({ method: 'GET', url: member(username) })).statusCode).toBe(401);
  });

  it('goes with no answer of the documented call', async () => {
    const username = await fresh();
    const url = `/organization/api/organization/user/allDetails/userId/${encodeURIComponent(username)}`;
    const { statusCode, headers } = await organization.app.inject({
      method: 'GET',
      url,
      headers: bearer(await organization.accessToken(admin)),
    });
    expect([statusCode, headers.etag]).toEqual([200, undefined]);
  });

  it('that is named by a change lets it be made once, and gives the next one', async () => {
    const username = await fresh();
    const ifMatch = await tagOf(username);
    const changed = await send('PATCH', username, { body: { firstName: 'Ada' }, ifMatch });
    expect([changed.statusCode, changed.json().firstName]).toEqual([200, 'Ada']);
    expect(changed.headers.etag).not.toBe(ifMatch);
    expect(await tagOf(username)).toBe(changed.headers.etag);
    const now = (await send('GET', username)).json();
    for (const options of [
      { body: { nickname: 'Bea' }, ifMatch },
      { body: { roles: ['DirectoryReader'] }, ifMatch },
    ]) {
      const refused = await send('PATCH', username, options);
      expect([refused.statusCode, refused.headers['content-type']]).toEqual([412, 'application/problem+json']);
      expect(refused.json()).toMatchObject({ detail: 'changed meanwhile', current: now });
    }
    expect((await send('DELETE', username, { ifMatch })).statusCode).toBe(412);
    expect((await send('GET', username)).json()).toEqual(now);
    expect((await send('PATCH', username, { body: { firstName: 'Cleo' } })).statusCode).toBe(200);
    expect((await send('PATCH', username, { body: { firstName: 'Dora' }, ifMatch: '*' })).statusCode).toBe(200);
    expect((await send('DELETE', username, { ifMatch: await tagOf(username) })).statusCode).toBe(204);
    expect((await send('DELETE', username, { ifMatch: '*' })).statusCode).toBe(404);
  });

  it('cannot be misread: anything but one strong tag is 400, once the caller may change users', async () => {
    const username = await fresh();
    for (const ifMatch of ['bare', 'W/"weak"', '"one", "two"']) {
      const refused = await send('PATCH', username, { body: { firstName: 'Ada' }, ifMatch });
      expect([refused.statusCode, refused.json().detail]).toEqual([400, expect.stringContaining('If-Match')]);
    }
    const by = await organization.addUser({ username: 'reader@example.com', roles: ['DirectoryReader'] });
    expect((await send('PATCH', username, { body: {}, ifMatch: 'bare', by })).statusCode).toBe(403);
  });

  it('is that of the last administrator too: who names an older one is told so, and not of the role', async () => {
    const ifMatch = await tagOf(admin.username);
    const fewer = { body: { roles: [] } };
    expect((await send('PATCH', admin.username, { body: { nickname: 'Root' } })).statusCode).toBe(200);
    expect((await send('PATCH', admin.username, { ...fewer, ifMatch })).statusCode).toBe(412);
  });

  it('of forty changes and deletions at once lets exactly one be made', async () => {
    const username = await fresh();
    const ifMatch = await tagOf(username);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0
          ? send('DELETE', username, { ifMatch })
          : send('PATCH', username, { body: { [index % 2 === 0 ? 'nickname' : 'firstName']: `N${index}` }, ifMatch }),
      ),
    );
    const done = answers.filter(({ statusCode }) => statusCode < 300);
    expect(done).toHaveLength(1);
    const isDeleted = done[0]?.statusCode === 204;
    expect((await send('GET', username)).statusCode).toBe(isDeleted ? 404 : 200);
    const others = answers.filter((answer) => !done.includes(answer)).map(({ statusCode }) => statusCode);
    expect(others.filter((status) => status !== 412 && !(isDeleted && status === 404))).toEqual([]);
  });
});
