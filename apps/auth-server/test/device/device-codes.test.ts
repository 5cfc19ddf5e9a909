import { createId } from '@gatehouse/service-kit';
import { createGuessCounts, type GuessCounts } from '@gatehouse/service-kit/guess-limit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeviceCodes } from '../../src/codes/device-codes.ts';
import { parseUserCode } from '../../src/codes/user-code.ts';
import { createCodeGuesses } from '../../src/device/code-guesses.ts';
import { createLookUpCode, type LookUpCode } from '../../src/device/look-up-code.ts';
import { buildClient, buildUser, start } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const context = { requestId: 'x', address: '192.0.2.1' };
const full = expect.objectContaining({ code: 'temporarily_unavailable', status: 503, retryAfter: 30 });

describe.each(testDialects)('device codes on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  beforeEach(() => {
    now = start;
  });
  afterAll(() => test.close());

  const draw = (below: number) => Math.floor(Math.random() * below);
  const create = (stores: Pick<TestStores, 'deviceCodes'>) =>
    createDeviceCodes({ ...stores, userCodeKey: Buffer.alloc(32), draw, clock: () => now });
  const { registrationId, clientId } = buildClient();
  const asked = {
    registrationId,
    clientId,
    clientGeneration: 0,
    scope: ['openid'],
    resources: undefined,
    ...{ acrValues: [], maxAge: undefined, publicAddress: undefined },
  };

  it('are refused for a second without a statement, once too many are open', async () => {
    const inserted: Buffer[] = [];
    let open = 10_001;
    const deviceCodes = create({
      deviceCodes: {
        ...test.deviceCodes,
        countOpen: async () => ({ all: open, ofPublic: 0, ofClient: 0, ofNetwork: 0 }),
        insert(code) {
          inserted.push(code.codeHash);
          return test.deviceCodes.insert(code);
        },
      },
    });
    await expect(deviceCodes.issue(asked)).rejects.toEqual(full);
    now = start + 999;
    await expect(deviceCodes.issue(asked)).rejects.toEqual(full);
    expect(inserted).toHaveLength(1);
    expect(await test.deviceCodes.find(inserted[0] as Buffer)).toBeUndefined();
    now = start + 1_000;
    open = 10_000;
    await expect(deviceCodes.issue(asked)).resolves.toHaveProperty('userCode');
    expect(inserted).toHaveLength(2);
    expect(await test.deviceCodes.find(inserted[1] as Buffer)).toMatchObject({ registrationId });
  });

  it('are drawn ten times where each user code is taken', async () => {
    let draws = 0;
    const insert = async () => {
      draws += 1;
      return false;
    };
    const deviceCodes = create({ deviceCodes: { ...test.deviceCodes, insert } });
    await expect(deviceCodes.issue(asked)).rejects.toThrow('10 user codes in turn were taken');
    expect(draws).toBe(10);
  });

  it('are open for ten minutes, and not once they are decided', async () => {
    const deviceCodes = create(test);
    const [first, second] = [await deviceCodes.issue(asked), await deviceCodes.issue(asked)];
    expect(await deviceCodes.findOpen('of nobody')).toBeUndefined();
    now = start + 599_999;
    const times = { endsAt: start + 600_000, expiresAt: start + 1_200_000 };
    expect(await deviceCodes.findOpen(first.userCode)).toMatchObject({ registrationId, ...times });
    expect(await deviceCodes.deny(second.userCode)).toBe(true);
    expect(await deviceCodes.findOpen(second.userCode)).toBeUndefined();
    now = start + 600_000;
    expect(await deviceCodes.findOpen(first.userCode)).toBeUndefined();
    expect(await deviceCodes.deny(first.userCode)).toBe(false);
  });

  describe('that users type', () => {
    it('are read in a text of up to 64 characters', () => {
      expect(parseUserCode('CDFGHJKL'.padEnd(64))).toBe('CDFGHJKL');
      expect(parseUserCode('CDFGHJKL'.padEnd(65))).toBeUndefined();
    });

    const counts = () => createGuessCounts({ database: test.database, clock: () => now });
    const createLookUp = (guessCounts: GuessCounts, find: () => Promise<undefined>): LookUpCode =>
      createLookUpCode({
        codeGuesses: createCodeGuesses({ guessCounts, clock: () => now }),
        deviceCodes: { findOpen: find },
        clients: test.clients,
        findShownAccess: async () => ({ scope: [], claims: [], resources: [] }),
        findLimits: async () => [],
        tell: () => {},
      });
    const none = async () => undefined;
    const broken = new Error('out of reach');
    const fail = () => Promise.reject(broken);

    it('count as no guess where they cannot be looked up', async () => {
      const user = buildUser();
      const failing = createLookUp(counts(), fail);
      for (let times = 0; times < 10; times += 1)
        await expect(failing('BBBB-BBBB', user, context)).rejects.toBe(broken);
      expect(await createLookUp(counts(), none)('BBBB-BBBB', user, context)).toEqual({ outcome: 'wrong' });
    });

    it.each([
      ['a user', 'subject'],
      ['a network', 'network'],
    ] as const)(
      'are answered, where they are one too many of %s, with the time until fewer count',
      async (_who, kind) => {
        const most = { subject: 10, network: 100 };
        let takenBack = 0;
        const takeBack = async () => {
          takenBack += 1;
        };
        const add = async () => ({ takeBack });
        const count = async (by: keyof typeof most) => (by === kind ? most[by] + 1 : most[by]);
        const asked: unknown[] = [];
        let end: number | undefined = start + 1_001;
        const findEnd = async (by: string, _hash: Buffer, limit: number) => {
          asked.push([by, limit]);
          return end;
        };
        const guesses = createCodeGuesses({ guessCounts: { add, count, findEnd }, clock: () => now });
        expect(await guesses.count('user', context)).toEqual({ retryAfter: 2 });
        // They have ended since they were counted.
        end = undefined;
        expect(await guesses.count('user', context)).toEqual({ retryAfter: 1 });
        expect([takenBack, asked]).toEqual([2, Array(2).fill([kind, most[kind]])]);
      },
    );

    it('are a thousand of a /48, a hundred of each of its /64s', async () => {
      const guesses = createCodeGuesses({ guessCounts: counts(), clock: () => now });
      const guess = (address: string) => guesses.count(createId(), { ...context, address });
      const isRefused = async (address: string) => 'retryAfter' in (await guess(address));
      for (let network = 0; network < 10; network += 1) {
        const some = Array.from({ length: 100 }, () => isRefused(`2001:db8:1:${network}::1`));
        expect((await Promise.all(some)).includes(true)).toBe(false);
      }
      expect([await isRefused('2001:db8:1:ffff::1'), await isRefused('2001:db8:2::1')]).toEqual([true, false]);
    });

    it('count for five minutes, and are not too many where ten of a user and a hundred of a network count', async () => {
      const added: unknown[] = [];
      const counted = { takeBack: async () => {} };
      const guessCounts: GuessCounts = {
        add: async (guesses) => {
          added.push(...guesses);
          return counted;
        },
        count: async (by) => ({ subject: 10, network: 100 })[by],
        findEnd: fail,
      };
      expect(await createCodeGuesses({ guessCounts, clock: () => now }).count('user', context)).toBe(counted);
      expect(added).toEqual([{ lifetime: 300_000, subject: expect.any(Buffer), network: expect.any(Buffer) }]);
    });

    it('count as no guess where the limits cannot be read, and are not looked up then', async () => {
      const user = buildUser();
      let looked = 0;
      const find = async () => {
        looked += 1;
        return undefined;
      };
      const failing = createLookUp({ ...counts(), count: fail }, find);
      for (let times = 0; times < 10; times += 1)
        await expect(failing('BBBB-BBBB', user, context)).rejects.toBe(broken);
      expect(looked).toBe(0);
      expect(await createLookUp(counts(), find)('BBBB-BBBB', user, context)).toEqual({ outcome: 'wrong' });
    });
  });
});
