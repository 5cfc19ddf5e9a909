import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBatchedLookup, type Lookup } from '../src/database/batched-lookup.ts';
import { DatabaseUnavailableError } from '../src/database/database-errors.ts';
import { createRecentLookup } from '../src/database/recent-lookup.ts';

interface Thing {
  value: string;
}

/** A turn of the event loop. What was looked up before it is asked for in it. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** An answer that comes when the test opens the gate. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Things that are looked up as in a database: each question is answered when the test says so, and may fail. */
let things: Map<string, Thing>;
let questions: { keys: readonly string[]; context: string | undefined }[];
let answer: () => Promise<void>;
let fault: Error | undefined;
let find: Lookup<Thing, string | undefined>;

beforeEach(() => {
  things = new Map([...'abcdefgh'].map((key) => [key, { value: key.toUpperCase() }]));
  questions = [];
  answer = turn;
  fault = undefined;
  find = createBatchedLookup<Thing, string | undefined>(async (keys, context) => {
    questions.push({ keys, context });
    const found = new Map(things);
    await answer();
    if (fault !== undefined) throw fault;
    return found;
  });
});
const findAll = (keys: Iterable<string>) => Promise.all([...keys].map(async (key) => (await find(key, key))?.value));

describe('a batched lookup', () => {
  // The time that a question waits for the one before it passes when a test says so.
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('asks once for all that is looked up in one turn, with the context of the first', async () => {
    expect(await findAll('abc')).toEqual(['A', 'B', 'C']);
    expect(questions).toEqual([{ keys: ['a', 'b', 'c'], context: 'a' }]);
  });

  it('asks once for what several look for, and finds nothing for a key that is not there', async () => {
    expect(await findAll('aazza')).toEqual(['A', 'A', undefined, undefined, 'A']);
    expect(questions.map(({ keys }) => keys)).toEqual([['a', 'z']]);
  });

  it('keeps nothing: who asks after a question was put gets what holds after that', async () => {
    const before = find('a', undefined);
    await turn();
    things.set('a', { value: 'changed' });
    const after = find('a', undefined);
    expect([(await before)?.value, (await after)?.value]).toEqual(['A', 'changed']);
    expect(questions).toHaveLength(2);
  });

  it('puts what comes before the answer together into the next question', async () => {
    const gate = createGate();
    answer = () => gate.opened;
    const found: Promise<(string | undefined)[]>[] = [];
    for (const keys of ['a', 'b', 'cd', 'e']) {
      found.push(findAll(keys));
      await turn();
    }
    gate.open();
    expect((await Promise.all(found)).flat()).toEqual(['A', 'B', 'C', 'D', 'E']);
    // Nor once more when the longest wait for the first answer would be over.
    await jest.advanceTimersByTimeAsync(1_000);
    expect(questions.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c', 'd', 'e']]);
  });

  it('does not wait for long for an answer that does not come', async () => {
    const gate = createGate();
    answer = () => gate.opened;
    const stuck = find('a', undefined);
    await turn();
    answer = turn;
    const next = find('b', undefined);
    await turn();
    jest.advanceTimersByTime(19);
    expect(questions.map(({ keys }) => keys)).toEqual([['a']]);
    jest.advanceTimersByTime(1);
    expect(await Promise.race([stuck, next])).toEqual({ value: 'B' });
    gate.open();
    expect(await stuck).toEqual({ value: 'A' });
  });

  it('gathers keys for as long as it is told, and asks once for all of them', async () => {
    const findGathered = createBatchedLookup<Thing>(
      async (keys) => {
        questions.push({ keys, context: undefined });
        return new Map(things);
      },
      { gatherFor: 25 },
    );
    const first = findGathered('a');
    await turn();
    jest.advanceTimersByTime(24);
    const second = findGathered('b');
    await turn();
    expect(questions).toEqual([]);
    jest.advanceTimersByTime(1);
    expect([await first, await second]).toEqual([{ value: 'A' }, { value: 'B' }]);
    expect(questions.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  });

  it('asks once for as many keys as one question takes, also where they came before the time to gather was over', async () => {
    const counts: number[] = [];
    const findGathered = createBatchedLookup<Thing>(
      async (keys) => {
        counts.push(keys.length);
        return new Map();
      },
      { gatherFor: 25 },
    );
    await Promise.all(Array.from({ length: 256 }, (_, index) => findGathered(`k${index}`)));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(counts).toEqual([256]);
  });

  it('puts no question for more than 256 keys', async () => {
    const keys = Array.from({ length: 600 }, (_, index) => `k${index}`);
    things = new Map(keys.map((key) => [key, { value: key }]));
    expect(await findAll(keys)).toEqual(keys);
    expect(questions.map((question) => question.keys.length)).toEqual([256, 256, 88]);
  });

  it('tells a failure to each of those who asked together, and to nobody else', async () => {
    fault = new Error('out of reach');
    const outcomes = await Promise.allSettled(['a', 'b'].map((key) => find(key, undefined)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fault = undefined;
    expect(await findAll('ab')).toEqual(['A', 'B']);
  });

  describe('where the question for several keys fails', () => {
    /** Errors by key: of a question that holds the key. */
    let faults: Map<string, Error>;
    let most: number;
    beforeEach(() => {
      faults = new Map();
      most = 0;
      let underWay = 0;
      find = createBatchedLookup<Thing, string | undefined>(async (keys, context) => {
        questions.push({ keys, context });
        underWay += 1;
        most = Math.max(most, underWay);
        await answer();
        underWay -= 1;
        const fault = keys.map((key) => faults.get(key)).find((found) => found !== undefined);
        if (fault !== undefined) throw fault;
        return new Map([...things].filter(([key]) => keys.includes(key)));
      });
    });
    const settle = async (keys: string) => {
      const outcomes = await Promise.allSettled([...keys].map((key) => find(key, key)));
      return outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value?.value : (outcome.reason as Error).message,
      );
    };

    it('fails only those who ask for the key at fault', async () => {
      faults.set('c', new Error('bad key'));
      expect(await settle('abczc')).toEqual(['A', 'B', 'bad key', undefined, 'bad key']);
    });

    it('asks for each key once more, however many look for it, with the context of the first', async () => {
      faults.set('c', new Error('bad key'));
      await settle('aabbcc');
      expect(questions.map(({ keys }) => keys.join(''))).toEqual(['abc', 'a', 'b', 'c']);
      expect(new Set(questions.map(({ context }) => context))).toEqual(new Set(['a']));
    });

    it('asks for no more than four at the same time', async () => {
      const keys = Array.from({ length: 60 }, (_, index) => String.fromCharCode(200 + index)).join('');
      faults.set(keys[30] as string, new Error('bad key'));
      expect((await settle(keys)).filter((outcome) => outcome === 'bad key')).toHaveLength(1);
      expect(questions).toHaveLength(61);
      expect(most).toBe(4);
    });

    it('asks for a key alone once only', async () => {
      faults.set('a', new Error('bad key'));
      expect(await settle('a')).toEqual(['bad key']);
      expect(questions).toHaveLength(1);
    });

    it.each([
      ['the database is not ready', new DatabaseUnavailableError('not connected')],
      ['the server is out of reach', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
      ['no connection becomes free', Object.assign(new Error('none'), { code: 'POOL_TIMEOUT' })],
      ['the queue of the pool is full', Object.assign(new Error('full'), { code: 'POOL_QUEUE_FULL' })],
    ])('fails all at once where %s', async (_what, error) => {
      faults.set('b', error);
      expect(await settle('abc')).toEqual([error.message, error.message, error.message]);
      expect(questions).toHaveLength(1);
    });

    it('stops to ask where the database goes away between the keys', async () => {
      faults.set('a', new Error('bad key'));
      const keys = Array.from({ length: 40 }, (_, index) => String.fromCharCode(200 + index));
      for (const key of keys) faults.set(key, Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
      const outcomes = await settle(`a${keys.join('')}`);
      expect(outcomes[0]).toBe('bad key');
      expect(new Set(outcomes.slice(1))).toEqual(new Set(['gone']));
      expect(questions.length).toBeLessThan(10);
    });

    it('goes by the rule that it is given for what is for all', async () => {
      const load = async (keys: readonly string[]): Promise<Map<string, Thing>> => {
        questions.push({ keys, context: undefined });
        throw new Error('the organization is out of reach');
      };
      const findThere = createBatchedLookup<Thing>(load, { isForAll: () => true });
      await Promise.allSettled(['a', 'b'].map((key) => findThere(key)));
      expect(questions).toHaveLength(1);
    });
  });
});

describe('a recent lookup', () => {
  it('shares an answer for its time', async () => {
    const recent = createRecentLookup(find, { recentFor: 60_000 });
    await Promise.all([recent.find('a', undefined), recent.find('a', undefined)]);
    things.set('a', { value: 'changed' });
    expect(await recent.find('a', undefined)).toEqual({ value: 'A' });
    expect(questions).toHaveLength(1);
  });

  it('asks again after that time', async () => {
    const recent = createRecentLookup(find, { recentFor: 20 });
    expect(await recent.find('a', undefined)).toEqual({ value: 'A' });
    things.set('a', { value: 'changed' });
    await sleep(50);
    expect(await recent.find('a', undefined)).toEqual({ value: 'changed' });
  });

  describe('that is renewed before its time is over', () => {
    const askOnce = async () => {
      const recent = createRecentLookup(find, { recentFor: 60_000, renewal: { after: 20, lookup: find } });
      expect(await recent.find('a', undefined)).toEqual({ value: 'A' });
      await sleep(50);
      return recent;
    };

    it('lets nobody wait: callers get the answer in hand, and the next one when it is there', async () => {
      const recent = await askOnce();
      things.set('a', { value: 'changed' });
      expect(await Promise.all([recent.find('a', undefined), recent.find('a', undefined)])).toEqual([
        { value: 'A' },
        { value: 'A' },
      ]);
      await sleep(50);
      expect(await recent.find('a', undefined)).toEqual({ value: 'changed' });
      expect(questions.length).toBeLessThanOrEqual(3);
    });

    it('counts the time of the next answer from when it was asked for', async () => {
      let time = 0;
      const renewal = { after: 20, lookup: find };
      const recent = createRecentLookup(find, { recentFor: 100, renewal, now: () => time });
      await recent.find('a', undefined);
      const gate = createGate();
      answer = () => gate.opened;
      time = 30;
      await recent.find('a', undefined);
      await turn();
      time = 90;
      gate.open();
      await turn();
      things.set('a', { value: 'changed' });
      time = 131;
      expect(await recent.find('a', undefined)).toEqual({ value: 'changed' });
    });

    it('drops what was asked before it is told to forget', async () => {
      const recent = await askOnce();
      const gate = createGate();
      answer = () => gate.opened;
      await recent.find('a', undefined);
      await turn();
      things.set('a', { value: 'changed' });
      recent.forget('a');
      answer = turn;
      const after = recent.find('a', undefined);
      await sleep(50);
      gate.open();
      await turn();
      expect(await after).toEqual({ value: 'changed' });
      expect(await recent.find('a', undefined)).toEqual({ value: 'changed' });
    });

    it('asks at once where the next answer is that there is none', async () => {
      const recent = await askOnce();
      things.delete('a');
      expect(await recent.find('a', undefined)).toEqual({ value: 'A' });
      await sleep(50);
      expect(await recent.find('a', undefined)).toBeUndefined();
      things.set('a', { value: 'back' });
      expect(await recent.find('a', undefined)).toEqual({ value: 'back' });
    });

    it('keeps the answer in hand where nobody answers, and asks once', async () => {
      const recent = await askOnce();
      fault = new Error('out of reach');
      for (let turns = 0; turns < 3; turns += 1) {
        expect(await recent.find('a', undefined)).toEqual({ value: 'A' });
        await turn();
      }
      expect(questions).toHaveLength(2);
    });
  });

  it('reads its clock at each call, however soon one follows the other', async () => {
    let [time, asked] = [0, 0];
    const count = async () => {
      asked += 1;
      return { asked };
    };
    const recent = createRecentLookup(count, { recentFor: 100, now: () => time });
    const found = [];
    for (time of [0, 50, 100, 101]) found.push((await recent.find('a'))?.asked);
    expect(found).toEqual([1, 1, 1, 2]);
  });

  it('asks again at once for what it is told to forget, also while the answer is on its way', async () => {
    const recent = createRecentLookup(find);
    const first = recent.find('a', undefined);
    await turn();
    things.set('a', { value: 'changed' });
    recent.forget('a');
    const second = recent.find('a', undefined);
    expect([await first, await second]).toEqual([{ value: 'A' }, { value: 'changed' }]);
    expect(await recent.find('a', undefined)).toEqual({ value: 'changed' });
  });

  it('remembers an answer though one that was asked for before comes later, and is none', async () => {
    const recent = createRecentLookup(find);
    const gate = createGate();
    things.delete('a');
    answer = () => gate.opened;
    const first = recent.find('a', undefined);
    await turn();
    recent.forget('a');
    things.set('a', { value: 'there now' });
    answer = turn;
    expect(await recent.find('a', undefined)).toEqual({ value: 'there now' });
    gate.open();
    expect(await first).toBeUndefined();
    things.set('a', { value: 'changed' });
    expect(await recent.find('a', undefined)).toEqual({ value: 'there now' });
  });

  it('remembers neither that something is missing nor that nobody answered', async () => {
    const recent = createRecentLookup(find);
    expect(await recent.find('new', undefined)).toBeUndefined();
    things.set('new', { value: 'there now' });
    expect(await recent.find('new', undefined)).toEqual({ value: 'there now' });
    fault = new Error('out of reach');
    await expect(recent.find('b', undefined)).rejects.toThrow('out of reach');
    fault = undefined;
    expect(await recent.find('b', undefined)).toEqual({ value: 'B' });
  });
});
