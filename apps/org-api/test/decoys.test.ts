import { randomUUID } from 'node:crypto';
import { testDialects } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { createFindDecoy } from '../src/passwords/decoys.ts';
import { createSharedKeyStore } from '../src/users/shared-key-store.ts';
import { createAdministratorRequests, createDirectoryRequests } from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

/** By bcrypt of cost 9, about 20 ms: hundreds of times the hash of the tests. */
const bcrypt = '$2b$09$6VRY.TpIBxMmp6FtTZv/A.XLT.FSeZCbuUd6qQb6T87UNgc8ObbHq';
const pbkdf2 = '$pbkdf2-sha512$i=1000$c2FsdA$Z3wIrhUDSPqR1vO7mRBX9F3o3e8pB8Lr0dC0b5Xn2oQ';
const decoys = {
  bcrypt: `$2b$09$${'.'.repeat(53)}`,
  pbkdf2: `$pbkdf2-sha512$i=1000$AAAAAAAAAAA$${'A'.repeat(43)}`,
};

async function importUsers(organization: Organization, hashes: readonly string[]) {
  const { send } = await createAdministratorRequests(organization);
  const lines = hashes.map((passwordHash) => ({ username: `${randomUUID()}@example.com`, passwordHash }));
  const { app } = organization;
  const answer = await send('GET', 'user?limit=1');
  const admin = await organization.deps.users.findByUsername('administrator@example.com');
  expect(answer.statusCode).toBe(200);
  if (admin === undefined) throw new Error('there is no administrator');
  const imported = await app.inject({
    ...{ method: 'POST', url: '/organization/api/organization/user-imports' },
    headers: {
      authorization: `Bearer ${await organization.accessToken(admin)}`,
      'content-type': 'application/x-ndjson',
    },
    payload: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(imported.statusCode).toBe(200);
  return lines;
}

describe.each(testDialects)('the decoys of names that nobody has, on %s', (dialect) => {
  const setUp = async () => {
    const organization = await startOrganization(dialect);
    const { database } = organization.deps;
    const create = () =>
      createFindDecoy({ database, sharedKeys: createSharedKeyStore(database), clock: () => organization.time.now });
    return { organization, create, findDecoy: create() };
  };
  const names = Array.from({ length: 2_000 }, (_, index) => `nobody${index}@example.com`);
  /** The share of the names that got each. */
  const countShares = async (findDecoy: (name: string) => Promise<string | undefined>) => {
    const found = await Promise.all(names.map(findDecoy));
    const shareOf = (decoy: string | undefined) => found.filter((one) => one === decoy).length / names.length;
    return { bcrypt: shareOf(decoys.bcrypt), pbkdf2: shareOf(decoys.pbkdf2), ours: shareOf(undefined) };
  };

  it('are of our form where nobody was imported', async () => {
    const { organization, findDecoy } = await setUp();
    await organization.addUser({ username: 'user@example.com', password: 'a password of the user' });
    expect(await countShares(findDecoy)).toEqual({ bcrypt: 0, pbkdf2: 0, ours: 1 });
    await organization.close();
  });

  it('have the forms of the stored hashes in their shares, the same for a name at each replica', async () => {
    const { organization, create, findDecoy } = await setUp();
    await importUsers(organization, [...Array(40).fill(bcrypt), ...Array(40).fill(pbkdf2)]);
    for (let one = 0; one < 119; one += 1) await organization.addUser({ username: `${randomUUID()}@example.com` });
    const shares = await countShares(findDecoy);
    expect(shares.bcrypt).toBeCloseTo(0.2, 1);
    expect(shares.pbkdf2).toBeCloseTo(0.2, 1);
    expect(shares.ours).toBeCloseTo(0.6, 1);
    const other = create();
    for (const name of names.slice(0, 50)) {
      expect(await other(name.toUpperCase())).toBe(await findDecoy(name));
    }
    await organization.close();
  });

  it('follow the stored hashes within a minute', async () => {
    const { organization, findDecoy } = await setUp();
    const [first] = await importUsers(organization, [bcrypt]);
    expect((await countShares(findDecoy)).bcrypt).toBeCloseTo(0.5, 1);
    const directory = createDirectoryRequests(organization);
    await directory.checkPassword({ username: first?.username ?? '' }, { password: 'a password of then' });
    organization.time.now += 59_999;
    expect((await countShares(findDecoy)).bcrypt).toBeCloseTo(0.5, 1);
    organization.time.now += 1;
    await findDecoy('nobody@example.com');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await countShares(findDecoy)).toEqual({ bcrypt: 0, pbkdf2: 0, ours: 1 });
    await organization.close();
  });

  it('take the time of those that are stored', async () => {
    const { organization } = await setUp();
    const directory = createDirectoryRequests(organization);
    const [imported] = await importUsers(organization, Array(100).fill(bcrypt));
    /** Milliseconds of the cores for one wrong password, the least of five. */
    const measure = async (username: string) => {
      const times: number[] = [];
      for (let tries = 0; tries < 5; tries += 1) {
        const before = process.cpuUsage();
        const answer = await directory.checkPassword({ username }, { password: `a wrong password ${tries}` });
        expect(answer.outcome).toBe('wrong');
        const { user, system } = process.cpuUsage(before);
        times.push((user + system) / 1000);
      }
      return Math.min(...times);
    };
    const stored = await measure(imported?.username ?? '');
    // One name in a hundred gets one of ours.
    const unknown = [await measure('nobody@example.com'), await measure('no-one@example.com')];
    expect(Math.max(...unknown)).toBeGreaterThan(stored / 3);
    expect(Math.min(...unknown)).toBeLessThan(stored * 3);
    await organization.close();
  });
});
