import { insertRow } from '@gatehouse/service-kit/database';
import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  bytesOf,
  createAdministratorRequests,
  createDirectoryRequests,
} from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

interface Event {
  type: string;
  actor: { kind: string; id?: string; name?: string };
  subject?: { kind: string; id?: string; name?: string };
  address?: string;
  details: Record<string, unknown>;
}

const password = 'a password of the user';
const erasuresPath = '/organization/api/organization/erasures';
const day = 86_400_000;

let count = 0;

describe.each(testDialects)('the erasure of a user on %s', (dialect) => {
  let organization: Organization;
  let administrator: AdministratorRequests;
  let directory: ReturnType<typeof createDirectoryRequests>;
  let user: User;
  let neighbour: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    administrator = await createAdministratorRequests(organization);
    directory = createDirectoryRequests(organization);
  });
  afterAll(() => organization.close());
  beforeEach(async () => {
    organization.time.now += 2 * day;
    count += 1;
    user = await organization.addUser({ username: `lea_ver!${count}@example.com`, password });
    neighbour = await organization.addUser({ username: `not.leaver!${count}@example.com`, password });
  });

  const erase = (who = user, query = 'erase=true') => administrator.ofUser(who, 'DELETE', `?${query}`);
  const listEvents = async (query: string) => {
    const answer = await administrator.send('GET', `audit-events?limit=200&${query}`);
    return answer.json<{ events: Event[] }>().events;
  };
  const setOwnPassword = async (who: User) => {
    const { statusCode } = await organization.app.inject({
      ...{ method: 'PUT', url: `/organization/api/organization/user/userId/${who.username}/password` },
      headers: bearer(await organization.accessToken(who)),
      ...{ remoteAddress: '203.0.113.7', payload: { oldPassword: password, password: 'another password of the user' } },
    });
    expect(statusCode).toBe(204);
  };
  const joinGroup = async (name: string, add: string[]) => {
    const { id } = (await administrator.send('POST', 'group', { name })).json<{ id: string }>();
    expect((await administrator.send('POST', `group/${id}/members`, { add })).statusCode).toBe(200);
  };
  /** A replica does at its start what each does once a minute. */
  const untilAnotherReplica = async (isDone: () => Promise<boolean>) => {
    const replica = await organization.startReplica();
    try {
      for (let tries = 0; tries < 200; tries += 1) {
        if (await isDone()) return;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error('it is not done');
    } finally {
      await replica.close();
    }
  };
  const listErasures = async (query = '') =>
    (await administrator.send('GET', `erasures?limit=200${query}`)).json<{
      erasures: { id: string; erasedAt: string }[];
    }>().erasures;
  const untilErased = ({ username }: User) =>
    untilAnotherReplica(async () => {
      const sql =
        'SELECT COUNT(*) AS found FROM audit_events WHERE subject_name = ? OR actor_name = ? OR details LIKE ?';
      const [row] = await organization.deps.database.query<{ found: number }>(sql, [
        username,
        username,
        `%"${username}"%`,
      ]);
      return Number(row?.found) === 0;
    });

  it('deletes the user, and puts `erased` for name and address in all events by and about the user', async () => {
    const [group, members] = [`staff ${count}`, [user.username, neighbour.username]];
    await joinGroup(group, members);
    await setOwnPassword(user);
    await setOwnPassword(neighbour);
    await directory.post(directoryPaths.passwordChecks, {
      ...{ username: user.username, password: 'a wrong one', address: '203.0.113.9', requestId: 'r' },
    });
    const before = await listEvents(`subject=${neighbour.id}`);
    expect((await erase()).statusCode).toBe(204);
    expect((await administrator.ofUser(user, 'GET')).statusCode).toBe(404);
    await untilErased(user);

    expect(await listEvents(`subject=${user.username}`)).toEqual([]);
    expect(await listEvents(`actor=${user.username}`)).toEqual([]);
    const about = await listEvents(`subject=${user.id}`);
    expect(about.map(({ type }) => type)).toEqual(expect.arrayContaining(['user.erased', 'user.password_changed']));
    for (const { subject } of about) expect(subject).toEqual({ kind: 'user', id: user.id, name: 'erased' });
    expect(about.filter(({ type }) => type === 'user.deleted')).toEqual([]);
    expect(about.find(({ type }) => type === 'user.erased')).toMatchObject({
      actor: { kind: 'user', name: 'administrator@example.com' },
      details: {},
    });
    const own = about.find(({ type }) => type === 'user.password_changed');
    expect(own).toMatchObject({ actor: { id: user.id, name: 'erased' }, address: 'erased' });
    const [joined] = await listEvents(`type=group.members_changed&subject=${encodeURIComponent(group)}`);
    expect(joined?.details).toEqual({ added: ['erased', neighbour.username], removed: [] });

    expect(await listEvents(`subject=${neighbour.id}`)).toEqual(before);
    expect(before[0]).toMatchObject({ actor: { name: neighbour.username }, address: '203.0.113.7' });
  });

  it('tells auth-server that no name is to stay, and of a deletion alone that the user is gone', async () => {
    await erase();
    await erase(neighbour, 'erase=false');
    const deletedAfter = organization.time.now - day;
    const { deletedUsers } = await directory.post(directoryPaths.settings, { deletedAfter });
    expect(deletedUsers).toContainEqual({ id: user.id, deletedAt: organization.time.now, erased: true });
    expect(deletedUsers).toContainEqual({ id: neighbour.id, deletedAt: organization.time.now });
    await untilErased(user);
    expect(await listEvents(`subject=${neighbour.id}&type=user.deleted,user.erased`)).toMatchObject([
      { type: 'user.deleted', subject: { name: neighbour.username }, details: {} },
    ]);
  });

  it('lists the ids by pages and since an instant, as long as audit events are kept, to a SystemAdministrator', async () => {
    const erasedAt = new Date(organization.time.now).toISOString();
    await erase();
    organization.time.now += 1_000;
    await erase(neighbour);
    const ids = [user.id, neighbour.id].sort();
    expect((await listErasures(`&since=${erasedAt}`)).map(({ id }) => id)).toEqual(ids);
    expect(await listErasures()).toContainEqual({ id: user.id, erasedAt });
    const later = new Date(organization.time.now).toISOString();
    expect((await listErasures(`&since=${later}`)).map(({ id }) => id)).toEqual([neighbour.id]);

    const first = await administrator.send('GET', `erasures?limit=1&since=${erasedAt}`);
    const { nextCursor } = first.json<{ nextCursor: string }>();
    expect(first.json()).toMatchObject({ erasures: [{ id: ids[0] }], nextCursor: ids[0] });
    const second = await administrator.send('GET', `erasures?limit=1&since=${erasedAt}&cursor=${nextCursor}`);
    expect([second.json(), second.headers['cache-control']]).toMatchObject([
      { erasures: [{ id: ids[1] }] },
      'no-store',
    ]);
    expect(second.json()).not.toHaveProperty('nextCursor');

    const reader = await organization.addUser({ username: `reader${count}@example.com`, roles: ['IdpAdministrator'] });
    const headers = bearer(await organization.accessToken(reader));
    expect((await organization.app.inject({ url: erasuresPath, headers })).statusCode).toBe(403);
    const sql = 'SELECT expires_at - erased_at AS kept FROM erasures WHERE user_id = ?';
    const [row] = await organization.deps.database.query<{ kept: number }>(sql, [bytesOf(user)]);
    expect(Number(row?.kept)).toBe(organization.deps.config.auditRetentionDays * day);
  });

  it('finishes an erasure that was cut before the user was deleted', async () => {
    const erasedAt = organization.time.now - day;
    const row = { user_id: bytesOf(user), erased_at: erasedAt, expires_at: erasedAt + 3 * day };
    await insertRow(organization.deps.database, 'erasures', row);
    await untilAnotherReplica(async () => (await organization.deps.users.findById(user.id)) === undefined);
    await untilErased(user);
  });

  it('does nothing by a dry run, for another version, or where it would take the last administrator', async () => {
    expect((await erase(user, 'erase=true&dry_run=true')).statusCode).toBe(200);
    expect((await erase(user, 'erase=perhaps')).statusCode).toBe(400);
    const stale = await organization.app.inject({
      ...{ method: 'DELETE', url: `/organization/api/organization/user/userId/${user.username}?erase=true` },
      headers: {
        ...bearer(
          await organization.accessToken(
            await organization.addUser({ username: `other${count}@example.com`, roles: ['SystemAdministrator'] }),
          ),
        ),
        'if-match': '"1"',
      },
    });
    expect(stale.statusCode).toBe(412);
    const last = await startOrganization(dialect);
    try {
      const alone = await createAdministratorRequests(last);
      const only = await last.addUser({ username: 'only@example.com', password, roles: ['SystemAdministrator'] });
      const refused = await alone.ofUser(only, 'DELETE', '?erase=true');
      expect(refused.statusCode).toBe(409);
      expect((await alone.send('GET', 'erasures')).json()).toEqual({ erasures: [] });
    } finally {
      await last.close();
    }
    expect((await listErasures()).map(({ id }) => id)).not.toContain(user.id);
    expect((await administrator.ofUser(user, 'GET')).statusCode).toBe(200);
  });
});
