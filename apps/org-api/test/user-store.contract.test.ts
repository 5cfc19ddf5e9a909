import { createId } from '@gatehouse/service-kit';
import { listSearchWords } from '@gatehouse/service-kit/terms';
import { type NewUser, roles, type UserChanges } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buildUser } from '../src/users/build-user.ts';
import type { User } from '../src/users/user.ts';
import { createUserListStore } from '../src/users/user-list-store.ts';
import { createUserStore, LastAdministratorError, type UserStore } from '../src/users/user-store.ts';
import { openOrganizationDatabase } from './support/organization.ts';

const now = 1_767_268_800_123;

function person(username: string, more: Partial<NewUser> = {}, hash = 'hash-of-a-password'): User {
  return buildUser({ username, userType: 'Person', ...more }, hash, now);
}

describe.each(testDialects)('user store on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openOrganizationDatabase>>;
  let store: UserStore;
  let replicated: UserStore;

  beforeAll(async () => {
    test = await openOrganizationDatabase(dialect);
    store = createUserStore(test.database);
    replicated = createUserStore(test.onReplica);
  });
  beforeEach(() => test.database.execute('DELETE FROM users'));
  afterAll(() => test.close());

  const insertAll = async (users: User[]) => {
    for (const user of users) expect(await store.insert(user)).toBe(true);
    return users;
  };
  const search = async (text: string) => {
    const filter = { id: undefined, words: listSearchWords(text), facets: [], createdSince: undefined };
    const lists = createUserListStore({ database: test.database, users: store });
    const { users } = await lists.list({ ...filter, place: undefined, limit: 50 });
    return users.map(({ username }) => username);
  };

  it('moves the version of a user with every change, also where a clock is behind', async () => {
    const user = person('versions@example.com', { roles: ['SystemAdministrator'], email: 'versions@example.com' });
    await insertAll([user, person('other@example.com', { roles: ['SystemAdministrator'] })]);
    const earlier = now - 60_000;
    const gate = { condition: '1 = 1', parameters: [] };
    const { passwordChangedAt } = user;
    const move = { before: 'versions@example.com', after: 'moved@example.com', passwordChangedAt, now: earlier, gate };
    const changes: [what: string, change: () => Promise<boolean>][] = [
      ['a member', () => store.update(user.id, { firstName: 'Ada' }, earlier)],
      ['personal data', () => store.update(user.id, { nickname: 'Ada' }, earlier)],
      ['nothing', () => store.update(user.id, {}, earlier)],
      ['a confirmed address', () => store.verifyEmail(user.id, 'versions@example.com', earlier)],
      ['another address', () => store.moveEmail(user.id, move)],
      ['the role of one of two administrators', () => store.update(user.id, { roles: [] }, earlier)],
      ['the password', () => store.replacePassword(user.id, { newHash: 'another', now: earlier, voids: false })],
    ];
    let version = user.updatedAt;
    for (const [what, change] of changes) {
      expect([what, await change()]).toEqual([what, true]);
      const found = await store.findById(user.id);
      expect([what, found?.updatedAt]).toEqual([what, version + 1]);
      version += 1;
    }
    await store.update(user.id, { firstName: 'Bea' }, now + 60_000);
    expect((await store.findById(user.id))?.updatedAt).toBe(now + 60_000);
  });

  it('changes a user for the version that was seen, and no other', async () => {
    const user = person('seen@example.com', { roles: ['SystemAdministrator'] });
    await insertAll([user]);
    for (const changes of [{ firstName: 'Ada' }, { nickname: 'Ada' }, { roles: [] }] satisfies UserChanges[]) {
      expect(await store.update(user.id, changes, now, now - 1)).toBe(false);
    }
    expect(await store.findById(user.id)).toEqual(user);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? store : replicated).update(
          user.id,
          index % 4 < 2 ? { firstName: 'A' } : { nickname: 'A' },
          now,
          now,
        ),
      ),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('gives back a user exactly as it was inserted', async () => {
    const user = person('Ursula.Üser😀@Example.com', {
      firstName: 'Úr\'su"la\\',
      lastName: '用户 😀',
      email: 'other@example.com',
      emailVerified: true,
      enabled: false,
      roles: ['SystemAdministrator', 'DirectoryReader'],
      organization: '',
      locale: 'zh-Hant-TW',
      timezone: 'America/Argentina/Buenos_Aires',
    });
    expect(await store.insert(user)).toBe(true);
    expect(await store.findById(user.id)).toEqual(user);
    expect(await store.findById(user.id.toUpperCase())).toEqual(user);
    expect(await store.findByUsername(user.username)).toEqual(user);
  });

  it('keeps a Robot without a password hash', async () => {
    const robot = buildUser({ username: 'robot@example.com', userType: 'Robot' }, undefined, now);
    await store.insert(robot);
    expect(await store.findById(robot.id)).toEqual(robot);
  });

  it('finds nobody where there is nobody', async () => {
    expect(await store.findById(createId())).toBeUndefined();
    expect(await store.findById("' OR 1=1 --")).toBeUndefined();
    expect(await store.findByUsername('nobody@example.com')).toBeUndefined();
    expect(await store.findByIds([])).toEqual([]);
    expect(await store.findByUsernames([])).toEqual([]);
  });

  it('finds several at once, passing over those that are not there', async () => {
    const [a, b] = await insertAll([person('a@example.com'), person('b@example.com'), person('c@example.com')]);
    const byId = await store.findByIds([a?.id ?? '', createId(), 'no-id', b?.id ?? '']);
    expect(byId.map(({ username }) => username).sort()).toEqual(['a@example.com', 'b@example.com']);
    const byName = await store.findByUsernames(['B@EXAMPLE.COM', 'z@example.com', 'c@example.com']);
    expect(byName.map(({ username }) => username).sort()).toEqual(['b@example.com', 'c@example.com']);
  });

  it('compares usernames without regard to case and composition, and keeps them as written', async () => {
    await insertAll([person('Élan@Example.com')]);
    for (const username of ['élan@example.com', 'ÉLAN@EXAMPLE.COM', 'E\u0301lan@example.com']) {
      expect((await store.findByUsername(username))?.username).toBe('Élan@Example.com');
    }
    expect(await store.insert(person('E\u0301LAN@EXAMPLE.COM'))).toBe(false);
  });

  it('otherwise compares usernames byte for byte', async () => {
    await insertAll([person('elan@example.com'), person('élan@example.com'), person('straße@example.com')]);
    expect(await store.insert(person('strasse@example.com'))).toBe(true);
    expect((await store.findByUsername('elan@example.com'))?.username).toBe('elan@example.com');
    for (const username of ['elan@example.com ', ' elan@example.com', 'elan@example.co_', '%', 'elan@example.com\0']) {
      expect(await store.findByUsername(username)).toBeUndefined();
    }
  });

  it('inserts exactly one of sixteen users of one username at the same moment', async () => {
    const rivals = Array.from({ length: 16 }, (_, i) => person(i % 2 === 0 ? 'One@example.com' : 'one@EXAMPLE.com'));
    const inserted = await Promise.all(rivals.map((user) => store.insert(user)));
    expect(inserted.filter(Boolean)).toHaveLength(1);
    expect(await store.findByUsername('one@example.com')).toEqual(rivals[inserted.indexOf(true)]);
  });

  it('takes a username again once its user is deleted', async () => {
    const user = person('gone@example.com');
    await insertAll([user]);
    expect(await store.delete(user.id)).toBe(true);
    expect(await store.delete(user.id)).toBe(false);
    expect(await store.findById(user.id)).toBeUndefined();
    expect(await store.insert(person('gone@example.com'))).toBe(true);
  });

  it('lists in the order of creation, page by page, each user once', async () => {
    const users = await insertAll(Array.from({ length: 7 }, (_, i) => person(`${9 - i}@example.com`)));
    const seen: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 4; pages += 1) {
      const page = await store.list({ after, limit: 3 });
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1)?.id ?? after;
    }
    expect(seen).toEqual(users.map(({ id }) => id));
  });

  it('searches the start of username, e-mail address, first and last name without regard to case', async () => {
    await insertAll([
      person('anna@example.com', { firstName: 'Ömer', lastName: 'Zola', email: 'QUERY@example.org' }),
      person('bert@example.com', { firstName: 'Xaver', lastName: 'Annan', email: 'bert@example.org' }),
    ]);
    expect(await search('ANN')).toEqual(['anna@example.com', 'bert@example.com']);
    expect(await search('query@')).toEqual(['anna@example.com']);
    expect(await search('xAVER')).toEqual(['bert@example.com']);
    expect(await search('öMER')).toEqual(['anna@example.com']);
    expect(await search('ÖM')).toEqual(['anna@example.com']);
    expect(await search('omer')).toEqual([]);
    expect(await search('nna')).toEqual([]);
    expect(await search('')).toHaveLength(2);
  });

  it.each(['%', '_', '!', '\\', "'", '"', '!%', '%%', '__'])('takes %s in a search for itself', async (text) => {
    await insertAll([person(`${text}odd@example.com`), person('plain@example.com', { firstName: `${text}odd` })]);
    await insertAll([person('other@example.com')]);
    expect((await search(text)).sort()).toEqual([`${text}odd@example.com`, 'plain@example.com'].sort());
    expect(await search(`${text}x`)).toEqual([]);
  });

  it('changes what is given and leaves the rest', async () => {
    const user = person('user@example.com', { firstName: 'Ursula', roles: ['DirectoryReader'] });
    await insertAll([user]);
    const changes = { lastName: 'Neu', enabled: false, roles: [] };
    expect(await store.update(user.id, changes, now + 5)).toBe(true);
    expect(await store.findById(user.id)).toEqual({ ...user, ...changes, updatedAt: now + 5 });
    expect(await store.update(user.id, changes, now + 5)).toBe(true);
    expect(await store.update(createId(), changes, now)).toBe(false);
  });

  it('changes each field on its own', async () => {
    const user = person('user@example.com');
    await insertAll([user]);
    const changes: UserChanges = {
      ...{ firstName: 'Úr', lastName: 'Neu', email: 'other@example.com', enabled: false, roles: ['IdpAdministrator'] },
      ...{ organization: 'Other', locale: 'fr', timezone: 'Europe/Zurich' },
    };
    let expected = user;
    for (const [name, value] of Object.entries(changes)) {
      expected = { ...expected, [name]: value, updatedAt: expected.updatedAt + 1 };
      expect(await store.update(user.id, { [name]: value }, now)).toBe(true);
      expect(await store.findById(user.id)).toEqual(expected);
    }
  });

  it('stores no document where there are no personal data', async () => {
    const user = person('user@example.com', { nickname: 'Uschi' });
    await insertAll([user, person('plain@example.com')]);
    await store.update(user.id, { nickname: null }, now);
    const rows = await test.database.query<{ personal_data: string | null }>('SELECT personal_data FROM users');
    expect(rows.map((row) => row.personal_data)).toEqual([null, null]);
  });

  it('looks up no username that is longer than any', async () => {
    const unasked = createUserStore({ ...test.database, query: () => Promise.reject(new Error('asked')) });
    await expect(unasked.findByUsername('x'.repeat(510))).rejects.toThrow('asked');
    expect(await unasked.findByUsername('x'.repeat(511))).toBeUndefined();
  });

  it('begins at the first user after what is no id', async () => {
    const [first] = await insertAll([person('a@example.com')]);
    expect(await store.list({ after: 'no-id', limit: 1 })).toEqual([first]);
  });

  it('keeps members of personal data that a later release stored', async () => {
    const user = person('user@example.com', { nickname: 'Uschi' });
    await insertAll([user]);
    const stored = async () => {
      const [row] = await test.database.query<{ personal_data: string }>('SELECT personal_data FROM users');
      return JSON.parse(row?.personal_data ?? '{}') as unknown;
    };
    await test.database.execute('UPDATE users SET personal_data = ?', ['{ "pronouns": "she", "nickname": "Uschi" }']);
    expect(await store.update(user.id, { gender: 'female', nickname: null }, now + 1)).toBe(true);
    expect(await stored()).toEqual({ pronouns: 'she', gender: 'female' });
    await test.database.execute('UPDATE users SET personal_data = NULL');
    expect(await store.update(user.id, { gender: null }, now + 2)).toBe(true);
    expect(await store.findById(user.id)).toEqual({ ...user, nickname: undefined, updatedAt: now + 2 });
    expect(await store.update(createId(), { gender: 'female' }, now)).toBe(false);
  });

  it('gives up where other changes of the same personal data win without end', async () => {
    const user = person('user@example.com', { nickname: 'Uschi' });
    await insertAll([user]);
    let tries = 0;
    const execute = async () => {
      tries += 1;
      return 0;
    };
    const losing = createUserStore({ ...test.database, execute });
    await expect(losing.update(user.id, { nickname: 'Ursula' }, now)).rejects.toThrow('1000 times');
    expect(tries).toBe(1_000);
    expect(await store.findById(user.id)).toEqual(user);
  });

  it('loses none of sixteen changes of personal data at the same moment', async () => {
    const user = person('user@example.com', { phoneNumber: '+1234', phoneNumberVerified: true });
    await insertAll([user]);
    const names = ['middleName', 'nickname', 'gender', 'birthdate'] as const;
    const changes = Array.from({ length: 16 }, (_, i) => ({ [names[i % 4] as string]: `value ${i}` }));
    const stored = await Promise.all(changes.map((change) => store.update(user.id, change, now)));
    expect(stored).toEqual(changes.map(() => true));
    const found = await store.findById(user.id);
    for (const name of names) expect(found?.[name]).toMatch(/^value \d+$/);
    expect(found).toMatchObject({ phoneNumber: '+1234', phoneNumberVerified: true });
  });

  it('replaces a password, and says when', async () => {
    const user = person('user@example.com');
    await insertAll([user]);
    expect(await store.replacePassword(user.id, { newHash: 'new', now: now + 9 })).toBe(true);
    const changed = { passwordHash: 'new', passwordChangedAt: now + 9, updatedAt: now + 9 };
    expect(await store.findById(user.id)).toEqual({ ...user, ...changed });
    expect(await store.replacePassword(createId(), { newHash: 'new', now })).toBe(false);
  });

  it('replaces a password only while the old one is the expected one, byte for byte', async () => {
    const user = person('user@example.com', {}, 'Old');
    await insertAll([user]);
    for (const expectedHash of ['old', 'Other', '']) {
      expect(await store.replacePassword(user.id, { newHash: 'new', expectedHash, now })).toBe(false);
    }
    const rivals = Array.from({ length: 8 }, (_, i) => ({ newHash: `new-${i}`, expectedHash: 'Old', now }));
    const replaced = await Promise.all(rivals.map((change) => store.replacePassword(user.id, change)));
    expect(replaced.filter(Boolean)).toHaveLength(1);
    expect((await store.findById(user.id))?.passwordHash).toBe(rivals[replaced.indexOf(true)]?.newHash);
  });

  it('gives roles in their order, the most powerful first', async () => {
    const user = person('user@example.com', { roles: [...roles].reverse() });
    await insertAll([user, person('admin@example.com', { roles: ['SystemAdministrator'] })]);
    expect((await store.findById(user.id))?.roles).toEqual([...roles]);
    await store.update(user.id, { roles: ['DirectoryReader', 'IdpAdministrator'] }, now);
    expect((await store.findById(user.id))?.roles).toEqual(['IdpAdministrator', 'DirectoryReader']);
  });

  it('knows whether there is a system administrator', async () => {
    expect(await store.hasSystemAdministrator()).toBe(false);
    await insertAll([person('idp@example.com', { roles: ['DirectoryReader', 'IdpAdministrator'] })]);
    expect(await store.hasSystemAdministrator()).toBe(false);
    const admin = person('admin@example.com', { roles: ['DirectoryReader', 'SystemAdministrator'] });
    await insertAll([admin]);
    expect(await store.hasSystemAdministrator()).toBe(true);
    for (const cannotRescue of ['enabled = 0', 'password_hash = NULL', "user_type = 'Robot'", "roles = ''"]) {
      await test.database.execute(`UPDATE users SET ${cannotRescue} WHERE username = 'admin@example.com'`);
      expect(await store.hasSystemAdministrator()).toBe(false);
      await test.database.execute("DELETE FROM users WHERE username = 'admin@example.com'");
      await insertAll([admin]);
    }
  });

  describe('the last administrator', () => {
    const admins = ['one', 'two', 'three', 'four'].map((name) =>
      person(`${name}@example.com`, { roles: ['SystemAdministrator', 'DirectoryReader'] }),
    );
    const [one, two] = admins as [User, User];
    const losses: Record<string, (user: User, replica?: UserStore) => Promise<boolean>> = {
      'loses no role': ({ id }, replica = store) =>
        replica.update(id, { roles: ['IdpAdministrator'], firstName: 'X' }, now),
      'is not disabled': ({ id }, replica = store) => replica.update(id, { enabled: false }, now),
      'is not disabled with a change of personal data': ({ id }, replica = store) =>
        replica.update(id, { enabled: false, nickname: 'X' }, now),
      'is not deleted': ({ id }, replica = store) => replica.delete(id),
    };
    const countAdministrators = async () => {
      const users = await store.findByIds(admins.map(({ id }) => id));
      return users.filter(({ enabled, roles: held }) => enabled && held.includes('SystemAdministrator')).length;
    };

    it.each(Object.entries(losses))('%s, whatever Robots and disabled users hold that role', async (_name, lose) => {
      const roles = ['SystemAdministrator'] as const;
      await insertAll([
        one,
        person('disabled@example.com', { roles: [...roles], enabled: false }),
        buildUser({ username: 'robot@example.com', userType: 'Robot', roles: [...roles] }, undefined, now),
      ]);
      await expect(lose(one)).rejects.toThrow(LastAdministratorError);
      expect(await store.findById(one.id)).toEqual(one);
      await insertAll([two]);
      expect(await lose(one)).toBe(true);
      await expect(lose(two)).rejects.toThrow(LastAdministratorError);
    });

    it.each(Object.entries(losses))(
      '%s where all administrators lose theirs at the same moment, at two replicas',
      async (_name, lose) => {
        for (let round = 0; round < 5; round += 1) {
          await test.database.execute('DELETE FROM users');
          await insertAll(admins);
          const turns = admins.map((admin, turn) => lose(admin, turn % 2 === 0 ? store : replicated));
          const outcomes = await Promise.allSettled(turns);
          expect(await countAdministrators()).toBe(1);
          expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
        }
      },
    );

    it('changes in any other way, and every other user in every way', async () => {
      await insertAll([one, person('user@example.com')]);
      expect(await store.update(one.id, { roles: ['SystemAdministrator'], enabled: true }, now)).toBe(true);
      const user = (await store.findByUsername('user@example.com')) as User;
      expect(await store.update(user.id, { roles: [], enabled: false }, now)).toBe(true);
      expect(await store.delete(user.id)).toBe(true);
    });
  });
});
