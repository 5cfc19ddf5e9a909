import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGuessCounts } from '../src/guess-limit/guess-counts.ts';
import { type Attempt, createGuessLimit } from '../src/guess-limit/guess-limit.ts';
import { createKnownNetworks } from '../src/guess-limit/known-networks.ts';
import { openTestDatabase } from './support/test-service.ts';

const minutes = 60_000;

describe.each(testDialects)('guess limit on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = 1_700_000_000_000;
  const clock = () => now;
  const createReplica = () => {
    const knownNetworks = createKnownNetworks({ database: test.database, clock });
    return { knownNetworks, limit: createGuessLimit({ database: test.database, clock, knownNetworks }) };
  };
  let limit: ReturnType<typeof createGuessLimit>;
  let knownNetworks: ReturnType<typeof createKnownNetworks>;

  beforeAll(async () => {
    test = await openTestDatabase(dialect);
    ({ limit, knownNetworks } = createReplica());
  });
  afterAll(() => test.close());

  /** The seconds to wait of each guess, undefined for one that may be checked. */
  const guess = async (attempt: Attempt, times: number, by = limit) => {
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < times; i += 1) waits.push(await waitOf(attempt, by));
    return waits;
  };
  const waitOf = async (attempt: Attempt, by = limit) => {
    const counted = await by.count(attempt);
    return 'retryAfter' in counted ? counted.retryAfter : undefined;
  };
  /** A limit, and how many statements it sent that write and that read. */
  const createWatched = () => {
    const { database } = test;
    let written = 0;
    let read = 0;
    const execute: typeof database.execute = (...statement) => {
      written += 1;
      return database.execute(...statement);
    };
    const query: typeof database.query = (...statement) => {
      read += 1;
      return database.query(...statement);
    };
    const limited = createGuessLimit({ database: { ...database, execute, query }, clock, knownNetworks });
    return { limited, countWritten: () => written, countRead: () => read };
  };
  const none = (times: number) => Array.from({ length: times }, () => undefined);

  it('lets ten guesses at one subject from one network be checked and refuses the next', async () => {
    const attempt = { subject: 'a@example.com', address: '192.0.2.1' };
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    expect(await guess(attempt, 9)).toEqual(none(9));
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    expect(await guess(attempt, 3)).toEqual([undefined, 300, 300]);
    for (let i = 0; i < 2; i += 1) expect(await limit.findRetryAfter(attempt)).toBe(300);
  });

  it('leaves other subjects at that network alone, and that subject elsewhere', async () => {
    expect(await limit.findRetryAfter({ subject: 'b@example.com', address: '192.0.2.1' })).toBeUndefined();
    expect(await limit.findRetryAfter({ subject: 'a@example.com', address: '192.0.2.2' })).toBeUndefined();
  });

  it('reads one count for all names of a network from which few guesses come, and each name of another', async () => {
    const { limited, countRead } = createWatched();
    const readsFor = async (address: string) => {
      const before = countRead();
      for (let i = 0; i < 5; i += 1) {
        expect(await limited.findRetryAfter({ subject: `name${i}`, address })).toBeUndefined();
      }
      return countRead() - before;
    };
    await guess({ subject: 'quiet@example.com', address: '192.0.2.30' }, 9);
    for (let i = 0; i < 10; i += 1) await guess({ subject: `loud${i}@example.com`, address: '192.0.2.31' }, 1);
    expect(await readsFor('192.0.2.30')).toBe(1);
    // The network once, to find it loud, then its limit with the first name, and each other name.
    expect(await readsFor('192.0.2.31')).toBe(6);
    expect(await readsFor('192.0.2.30')).toBe(0);
    expect(await readsFor('192.0.2.31')).toBe(0);
  });

  it.each([
    ['remembers that a name of 600 characters may go on', 589, 0],
    ['reads the limit of a longer name each time', 590, 1],
  ])('%s', async (_what, length, reads) => {
    const { limited, countRead } = createWatched();
    const address = '192.0.2.42';
    for (let i = 0; i < 10; i += 1) await guess({ subject: `some${i}@example.com`, address }, 1);
    const attempt = { subject: 'x'.repeat(length), address };
    expect(await limited.findRetryAfter(attempt)).toBeUndefined();
    const before = countRead();
    expect(await limited.findRetryAfter(attempt)).toBeUndefined();
    expect(countRead() - before).toBe(reads);
    now += 5 * minutes;
  });

  it.each([
    ['few guesses come', 0],
    ['many guesses come', 10],
  ])('does not remember an answer from before guesses that were counted meanwhile, where %s', async (_what, others) => {
    const address = `192.0.2.${50 + others}`;
    for (let i = 0; i < others; i += 1) await guess({ subject: `other${i}@example.com`, address }, 1);
    const { database } = test;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const held = others === 0 ? 1 : 2;
    const query = async <Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
      reads += 1;
      const isHeld = reads === held;
      const rows = await database.query<Row>(sql, values);
      if (isHeld) await released;
      return rows;
    };
    const limited = createGuessLimit({ database: { ...database, query }, clock, knownNetworks });
    const attempt = { subject: 'meanwhile@example.com', address };
    const early = limited.findRetryAfter(attempt);
    while (reads < held) await nextTurn();
    await Promise.all(Array.from({ length: 10 }, () => waitOf(attempt, limited)));
    release();
    expect(await early).toBeUndefined();
    expect(await limited.findRetryAfter(attempt)).toBe(300);
  });

  it('refuses within a second what another replica counted', async () => {
    const attempt = { subject: 'replica@example.com', address: '192.0.2.32' };
    const replica = createReplica().limit;
    expect(await replica.findRetryAfter(attempt)).toBeUndefined();
    await guess(attempt, 10);
    await sleep(1_000);
    expect(await replica.findRetryAfter(attempt)).toBe(300);
  });

  it('does not mix up a subject and a network that run together', async () => {
    await guess({ subject: 'x', address: 'y1' }, 10);
    expect(await limit.findRetryAfter({ subject: 'xy', address: '1' })).toBeUndefined();
  });

  it('does not count a guess that is taken back, nor one that it refused', async () => {
    const attempt = { subject: 'back@example.com', address: '192.0.2.20' };
    for (let i = 0; i < 15; i += 1) {
      const counted = await limit.count(attempt);
      if ('retryAfter' in counted) throw new Error('refused');
      await counted.takeBack();
    }
    await guess(attempt, 10);
    now += 4 * minutes;
    expect(await guess(attempt, 5)).toEqual([60, 60, 60, 60, 60]);
    now += minutes;
    expect(await guess(attempt, 10)).toEqual(none(10));
  });

  it('says how long to wait, to the second, and forgets when the window has passed', async () => {
    const attempt = { subject: 'c@example.com', address: '192.0.2.3' };
    await guess(attempt, 5);
    now += 2 * minutes;
    await guess(attempt, 5);
    expect(await limit.findRetryAfter(attempt)).toBe(180);
    now += 3 * minutes - 1;
    expect(await limit.findRetryAfter(attempt)).toBe(1);
    now += 1;
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    await guess(attempt, 4);
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    await guess(attempt, 1);
    expect(await limit.findRetryAfter(attempt)).toBe(120);
  });

  it('says when the oldest of ten guesses is forgotten', async () => {
    const attempt = { subject: 'oldest@example.com', address: '192.0.2.22' };
    await guess(attempt, 1);
    now += minutes;
    await guess(attempt, 9);
    expect(await limit.findRetryAfter(attempt)).toBe(240);
  });

  it('says a second where the window passes while it looks', async () => {
    const { database } = test;
    const query = async <Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
      const rows = await database.query<Row>(sql, values);
      if (sql.includes('COUNT(*)')) now += 5 * minutes;
      return rows;
    };
    const slow = createGuessLimit({ database: { ...database, query }, clock, knownNetworks });
    // The limits of a browser are read at once: no other count is read before them.
    const attempt = { subject: 'passing@example.com', address: '192.0.2.23', browser: 'b1' };
    await guess(attempt, 10);
    expect(await slow.findRetryAfter(attempt)).toBe(1);
  });

  it('refuses a network after a hundred wrong guesses, whatever the subjects', async () => {
    const address = '192.0.2.4';
    for (let i = 0; i < 99; i += 1) await guess({ subject: `user${i}@example.com`, address }, 1);
    expect(await limit.findRetryAfter({ subject: 'new@example.com', address })).toBeUndefined();
    expect(await guess({ subject: 'user99@example.com', address }, 1)).toEqual([undefined]);
    for (let i = 0; i < 2; i += 1) {
      expect(await limit.findRetryAfter({ subject: 'new@example.com', address })).toBe(300);
    }
    expect(await guess({ subject: 'new@example.com', address }, 1)).toEqual([300]);
    expect(await limit.findRetryAfter({ subject: 'user0@example.com', address: '192.0.2.5' })).toBeUndefined();
  });

  it('lets a subject that succeeded from that network go on guessing, ten times as ever', async () => {
    const attempt = { subject: 'regular@example.com', address: '192.0.2.4' };
    expect(await guess(attempt, 1)).toEqual([300]);
    await knownNetworks.remember(attempt.subject, attempt.address);
    expect(await limit.findRetryAfter(attempt)).toBeUndefined();
    expect(await guess(attempt, 11)).toEqual([...none(10), 300]);
    expect(await limit.findRetryAfter(attempt)).toBe(300);
  });

  it('gives a browser in which the subject signed in ten guesses of its own, at a network that guessed too much', async () => {
    const browser = { subject: 'browser@example.com', address: '192.0.2.4', browser: 'b1' };
    expect(await guess({ ...browser, browser: undefined }, 1)).toEqual([300]);
    expect(await guess(browser, 11)).toEqual([...none(10), 300]);
    expect(await guess({ ...browser, browser: 'b2' }, 1)).toEqual([undefined]);
    now += 5 * minutes;
  });

  it('refuses a browser after ten wrong guesses at every network, also where nobody else guesses', async () => {
    const subject = 'travels@example.com';
    await guess({ subject, address: '192.0.2.24', browser: 'b1' }, 10);
    const elsewhere = { subject, address: '192.0.2.25' };
    expect(await limit.findRetryAfter(elsewhere)).toBeUndefined();
    expect(await limit.findRetryAfter({ ...elsewhere, browser: 'b1' })).toBe(300);
  });

  it.each([
    ['one process', 1],
    ['two replicas', 2],
  ])('lets no more than ten of sixty guesses at the same moment be checked, at %s', async (_, replicas) => {
    const attempt = { subject: `moment${replicas}@example.com`, address: '192.0.2.6' };
    const limits = Array.from({ length: replicas }, () => createReplica().limit);
    const waits = await Promise.all(
      Array.from({ length: 60 }, (_guess, index) => waitOf(attempt, limits[index % replicas])),
    );
    expect(waits.filter((wait) => wait === undefined).length).toBeLessThanOrEqual(10);
    // Those that were refused do not count: the next ones have what is left.
    const left = 10 - waits.filter((wait) => wait === undefined).length;
    expect(await guess(attempt, left)).toEqual(none(left));
    expect(await createReplica().limit.findRetryAfter(attempt)).toBe(300);
  });

  it('says after a hundred guesses an hour from unknown networks that a name is guessed from many', async () => {
    const subject = 'target@example.com';
    const countFrom = async (address: string) => {
      const counted = await limit.count({ subject, address });
      if ('retryAfter' in counted) throw new Error('refused');
      return counted;
    };
    for (let i = 0; i < 100; i += 1) expect((await countFrom(`198.51.100.${i}`)).isSpread).toBe(false);
    now += 30 * minutes;
    expect((await countFrom('198.51.100.200')).isSpread).toBe(true);
    await knownNetworks.remember(subject, '198.51.100.201');
    expect(await countFrom('198.51.100.201')).toMatchObject({ isKnown: true, isSpread: false });
    now += 30 * minutes;
    expect(await countFrom('198.51.100.202')).toMatchObject({ isKnown: false, isSpread: false });
  });

  it('counts nothing of a name everywhere where only its networks are limited, as for client secrets', async () => {
    const { database } = test;
    const ofSecrets = createGuessLimit({ database, clock, knownNetworks, countsEverywhere: false });
    const countRows = async () => (await database.query('SELECT id FROM failed_attempts')).length;
    const before = await countRows();
    for (let i = 0; i < 102; i += 1) {
      const counted = await ofSecrets.count({ subject: 'client', address: `203.0.113.${i}` });
      expect(counted).toMatchObject({ isKnown: false, isSpread: false });
    }
    expect((await countRows()) - before).toBe(102);
  });

  it('repeats a refusal for a second without writing, for all addresses of the network', async () => {
    const { limited, countWritten } = createWatched();
    const attempt = { subject: 'prefix@example.com', address: '2001:db8:1:2::1' };
    await guess(attempt, 11, limited);
    const before = countWritten();
    expect(await guess({ ...attempt, address: '2001:db8:1:2::2' }, 1, limited)).toEqual([300]);
    expect(countWritten()).toBe(before);
    expect(await guess({ ...attempt, address: '2001:db8:1:3::1' }, 1, limited)).toEqual([undefined]);
  });

  it('repeats the refusal of a network without writing, for all names but those that it knows', async () => {
    const { limited, countWritten } = createWatched();
    const address = '192.0.2.43';
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => limit.count({ subject: `crowd${i}@example.com`, address })),
    );
    expect(await guess({ subject: 'first@example.com', address }, 1, limited)).toEqual([300]);
    const before = countWritten();
    expect(await guess({ subject: 'second@example.com', address }, 1, limited)).toEqual([300]);
    expect(countWritten()).toBe(before);
    await knownNetworks.remember('third@example.com', address);
    expect(await guess({ subject: 'third@example.com', address }, 1, limited)).toEqual([undefined]);
    now += 5 * minutes;
  });

  it.each([
    ['repeats a refusal of a name of 600 characters', 589, 0],
    ['counts once more where the name is longer than any', 590, 2],
  ])('%s', async (_what, length, statements) => {
    const { limited, countWritten } = createWatched();
    const attempt = { subject: 'x'.repeat(length), address: '192.0.2.40' };
    await guess(attempt, 11, limited);
    const before = countWritten();
    expect(await guess(attempt, 1, limited)).toEqual([300]);
    expect(countWritten() - before).toBe(statements);
    now += 5 * minutes;
  });

  it('counts again after a second of refusals', async () => {
    const { limited, countWritten } = createWatched();
    const attempt = { subject: 'patient@example.com', address: '192.0.2.41' };
    await guess(attempt, 11, limited);
    await sleep(1_050);
    const before = countWritten();
    expect(await guess(attempt, 1, limited)).toEqual([300]);
    expect(countWritten()).toBeGreaterThan(before);
  });

  it('does not count a guess whose count could not be read', async () => {
    const { database } = test;
    const query = async <Row>(sql: string, values?: readonly unknown[]): Promise<Row[]> => {
      if (sql.includes('COUNT(*)')) throw new Error('no answer');
      return database.query<Row>(sql, values);
    };
    const failing = createGuessLimit({ database: { ...database, query }, clock, knownNetworks });
    const attempt = { subject: 'unread@example.com', address: '192.0.2.21' };
    for (let i = 0; i < 11; i += 1) await expect(failing.count(attempt)).rejects.toThrow('no answer');
    expect(await guess(attempt, 10)).toEqual(none(10));
  });

  it('counts none where nobody guessed', async () => {
    const counts = createGuessCounts({ database: test.database, clock });
    expect(await counts.count('subject', Buffer.alloc(32))).toBe(0);
  });

  it('stores neither the subject nor the network', async () => {
    const rows = [
      ...(await test.database.query<Record<string, unknown>>('SELECT * FROM failed_attempts')),
      ...(await test.database.query<Record<string, unknown>>('SELECT * FROM known_networks')),
    ];
    expect(rows.length).toBeGreaterThan(100);
    const text = rows.map((row) => Object.values(row).map(String).join('\n')).join('\n');
    expect(text).not.toContain('example.com');
    expect(text).not.toContain('192.0.2');
  });
});
