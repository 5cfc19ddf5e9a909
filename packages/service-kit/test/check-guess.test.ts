import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createCheckGuess, type Guess, type GuessOutcome } from '../src/guess-limit/check-guess.ts';
import { createDrawnTurns } from '../src/guess-limit/drawn-turns.ts';
import { createGuessLimit } from '../src/guess-limit/guess-limit.ts';
import { createKnownNetworks } from '../src/guess-limit/known-networks.ts';
import { OverloadedError } from '../src/slow-hash.ts';
import type { Turn } from '../src/turn.ts';
import { createUsedIdentifiers } from '../src/used-identifiers/used-identifiers.ts';
import { openTestDatabase } from './support/test-service.ts';

describe.each(testDialects)('checking a guess on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = 1_700_000_000_000;
  const clock = () => now;
  const createReplica = () => {
    const { database } = test;
    const knownNetworks = createKnownNetworks({ database, clock });
    const guessLimit = createGuessLimit({ database, clock, knownNetworks });
    const turns = createUsedIdentifiers(database);
    const wait = () => new Promise<void>((resolve) => spans.push(resolve));
    const drawnTurns = createDrawnTurns({ turns, clock, wait });
    return createCheckGuess({ guessLimit, knownNetworks, drawnTurns });
  };
  /** Ends the spans that wait for their end. */
  const spans: (() => void)[] = [];
  const endSpans = (): void => {
    for (const end of spans.splice(0)) end();
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
    const stranger = { kind: 'check', known: undefined, network: '2001:db8:1:2', wideNetwork: '2001:db8:1' };
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
    const replicas = [createReplica(), createReplica()];
    const tryAll = async (from: string) => {
      const tries = Array.from({ length: 10 }, (_, i) =>
        check({ subject, address: `${from}.${i}`, secret: 'wrong' }, replicas[i % 2]),
      );
      while (spans.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 100));
      endSpans();
      return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
    };
    expect(await tryAll('198.51.100')).toBe(1);
    now += 5_000;
    expect(await tryAll('198.51.101')).toBe(1);
    // Where the name succeeded before, and in browsers in which it did, nobody notices.
    expect(await check({ subject, address: '203.0.113.250', secret: 'right' })).toEqual({ outcome: 'right' });
    const browser = { subject, address: '198.51.100.78', browser: 'b', secret: 'right' };
    expect(await check(browser)).toEqual({ outcome: 'right' });
  });

  it('answers a wrong guess for a known name as for any other, where the network guessed too much', async () => {
    const [known, network] = [newSubject(), '192.0.2.200'];
    expect(await check({ subject: known, address: network, secret: 'right' })).toEqual({ outcome: 'right' });
    expect(await check({ subject: known, address: network, secret: 'wrong' })).toEqual({ outcome: 'wrong' });
    for (let i = 0; i < 99; i += 1) await check({ subject: newSubject(), address: network, secret: 'wrong' });
    const limited = { outcome: 'limited', retryAfter: 300 };
    expect(await check({ subject: newSubject(), address: network, secret: 'wrong' })).toEqual(limited);
    expect(await check({ subject: known, address: network, secret: 'wrong' })).toEqual(limited);
    expect(await check({ subject: known, address: network, secret: 'right' })).toEqual({ outcome: 'right' });
  });

  it('counts each secret that is compared for an attempt as a guess', async () => {
    const guess = { subject: newSubject(), address: '192.0.2.201', tries: 2 };
    for (let i = 0; i < 5; i += 1) expect(await check({ ...guess, secret: 'wrong' })).toEqual({ outcome: 'wrong' });
    expect(await check({ ...guess, secret: 'wrong' })).toEqual({ outcome: 'limited', retryAfter: 300 });
  });

  it('takes each of them back where one is right', async () => {
    const guess = { subject: newSubject(), address: '192.0.2.202', tries: 2, secret: 'right' };
    for (let i = 0; i < 12; i += 1) expect(await check(guess)).toEqual({ outcome: 'right' });
  });
});
