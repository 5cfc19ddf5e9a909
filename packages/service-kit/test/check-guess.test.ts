import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createCheckGuess, type Guess, type GuessOutcome } from '../src/guess-limit/check-guess.ts';
import { createGuessLimit, type GuessLimit } from '../src/guess-limit/guess-limit.ts';
import { createKnownNetworks, type KnownNetworks } from '../src/guess-limit/known-networks.ts';
import { OverloadedError } from '../src/slow-hash.ts';
import type { Turn } from '../src/turn.ts';
import { createUsedIdentifiers, type UsedIdentifiers } from '../src/used-identifiers/used-identifiers.ts';
import { openTestDatabase } from './support/test-service.ts';

describe.each(testDialects)('checking a guess on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = 1_700_000_000_000;
  const clock = () => now;
  const createReplica = () => {
    const { database } = test;
    const knownNetworks = createKnownNetworks({ database, clock });
    const guessLimit = createGuessLimit({ database, clock, knownNetworks });
    return createCheckGuess({ guessLimit, knownNetworks, turns: createUsedIdentifiers(database), clock });
  };
  let checkGuess: ReturnType<typeof createReplica>;
  let turns: Turn[];
  beforeAll(async () => {
    test = await openTestDatabase(dialect);
    checkGuess = createReplica();
    turns = [];
  });
  afterAll(() => test.close());

  let subjects = 0;
  const newSubject = () => {
    subjects += 1;
    return `user${subjects}@example.com`;
  };
  /** The right secret is `right`; each check is counted. */
  const check = (guess: Guess, by = checkGuess) =>
    by(guess, async (turn) => {
      turns.push(turn);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return guess.secret as GuessOutcome;
    });
  const address = '192.0.2.1';

  it('checks the same guess at the same moment once, and gives all the same answer', async () => {
    const guess = { subject: newSubject(), address, secret: 'right' };
    const before = turns.length;
    const answers = await Promise.all(Array.from({ length: 60 }, () => check(guess)));
    expect(answers).toEqual(Array.from({ length: 60 }, () => ({ outcome: 'right' })));
    expect(turns.length - before).toBe(1);
  });

  it('takes a right guess back, so that no number of them is too many', async () => {
    const guess = { subject: newSubject(), address, secret: 'right' };
    for (let i = 0; i < 25; i += 1) expect(await check(guess)).toEqual({ outcome: 'right' });
    for (let i = 0; i < 10; i += 1) expect(await check({ ...guess, secret: 'wrong' })).toEqual({ outcome: 'wrong' });
    expect(await check(guess)).toEqual({ outcome: 'limited', retryAfter: 300 });
  });

  it('counts the right secret of a disabled user as a wrong one, and does not get to know its network', async () => {
    const guess = { subject: newSubject(), address: '192.0.2.77', secret: 'disabled' };
    for (let i = 0; i < 10; i += 1) expect(await check(guess)).toEqual({ outcome: 'disabled' });
    expect(await check(guess)).toEqual({ outcome: 'limited', retryAfter: 300 });
    expect(turns.at(-1)?.known).toBeUndefined();
  });

  it('checks no more than ten of sixty guesses at the same moment, the right one among them or not, at two replicas', async () => {
    const subject = newSubject();
    const replicas = [createReplica(), createReplica()];
    const before = turns.length;
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => check({ subject, address, secret: `wrong ${i}` }, replicas[i % 2])),
    );
    expect(turns.length - before).toBeLessThanOrEqual(10);
  });

  it('tells the queue whether the name succeeded from this network before, and no other', async () => {
    const subject = newSubject();
    const first = await check({ subject, address: '2001:db8:1:2::3', secret: 'right' });
    expect(first).toEqual({ outcome: 'right' });
    const stranger = { known: undefined, network: '2001:db8:1:2', wideNetwork: '2001:db8:1' };
    expect(turns.at(-1)).toEqual(stranger);
    await check({ subject, address: '2001:db8:1:2::4', secret: 'wrong' });
    expect(turns.at(-1)).toEqual({ ...stranger, known: expect.any(String) });
    await check({ subject, address: '2001:db8:1:3::4', secret: 'wrong' });
    expect(turns.at(-1)?.known).toBeUndefined();
    await check({ subject: newSubject(), address: '2001:db8:1:2::4', secret: 'wrong' });
    expect(turns.at(-1)?.known).toBeUndefined();
  });

  it('does not count what found no place in the queue', async () => {
    const guess = { subject: newSubject(), address, secret: 'x' };
    const full = () => checkGuess(guess, () => Promise.reject(new OverloadedError()));
    for (let i = 0; i < 15; i += 1) await expect(full()).rejects.toThrow(OverloadedError);
    expect(await check({ ...guess, secret: 'right' })).toEqual({ outcome: 'right' });
  });

  it('checks one guess in five seconds for a name that is guessed from many networks, at all replicas together', async () => {
    const subject = newSubject();
    await check({ subject, address: '203.0.113.250', secret: 'right' });
    for (let i = 0; i < 100; i += 1) await check({ subject, address: `203.0.113.${i}`, secret: 'wrong' });
    now = Math.ceil(now / 5_000) * 5_000;
    const replicas = [createReplica(), createReplica()];
    const tryAll = async () => {
      const tries = Array.from({ length: 10 }, (_, i) =>
        check({ subject, address: `198.51.100.${i}`, secret: 'wrong' }, replicas[i % 2]),
      );
      return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
    };
    expect(await tryAll()).toBe(1);
    now += 4_999;
    const refusal = check({ subject, address: '198.51.100.77', secret: 'right' });
    await expect(refusal).rejects.toMatchObject({ status: 503, retryAfter: 1 });
    now += 1;
    expect(await tryAll()).toBe(1);
    // Where the name succeeded before, and in browsers in which it did, nobody notices.
    expect(await check({ subject, address: '203.0.113.250', secret: 'right' })).toEqual({ outcome: 'right' });
    const browser = { subject, address: '198.51.100.78', browser: 'b', secret: 'right' };
    expect(await check(browser)).toEqual({ outcome: 'right' });
  });
});

describe('a name that is guessed from many networks', () => {
  const startOfSpan = 1_700_000_000_000;
  const guess = { subject: 'a@example.com', address: '192.0.2.1', secret: 'x' };
  /** Guesses of a name that is spread; `turns` say whose turn it is. */
  const checkSpread = (now: number, turns?: UsedIdentifiers) => {
    const takeBack = async () => {};
    const guessLimit: GuessLimit = {
      findRetryAfter: async () => undefined,
      count: async () => ({ isKnown: false, isSpread: true, takeBack }),
    };
    const knownNetworks: KnownNetworks = { isKnown: async () => false, remember: takeBack };
    const checkGuess = createCheckGuess({ guessLimit, knownNetworks, clock: () => now, ...(turns && { turns }) });
    return checkGuess(guess, async () => 'wrong');
  };

  it('is checked as any other where there are no turns', async () => {
    expect(await checkSpread(startOfSpan)).toEqual({ outcome: 'wrong' });
  });

  it('has its turn written down until the next span is over, whatever the clocks of others', async () => {
    const ends: number[] = [];
    const use = async (_identifier: Buffer, expiresAt: number) => ends.push(expiresAt) > 0;
    expect(await checkSpread(startOfSpan + 4_999, { use })).toEqual({ outcome: 'wrong' });
    expect(ends).toEqual([startOfSpan + 10_000]);
  });

  it.each([
    [0, 5],
    [999, 5],
    [1_000, 4],
    [4_999, 1],
  ])('is refused %d ms after another took the turn, for %d seconds', async (after, retryAfter) => {
    const refused = checkSpread(startOfSpan + after, { use: async () => false });
    await expect(refused).rejects.toMatchObject({ status: 503, retryAfter });
  });
});
