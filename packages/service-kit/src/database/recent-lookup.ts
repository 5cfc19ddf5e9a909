import { LRUCache } from 'lru-cache';
import { buildEntryLimit } from '../entry-limit.ts';
import type { Lookup } from './batched-lookup.ts';

/**
 * Milliseconds for which an answer counts as recent. A change that another replica makes counts here within a second:
 * after these milliseconds and the time of one look-up.
 */
const recentFor = 750;
const remembered = 10_000;

/** A look-up that remembers what it found for less than a second. */
export interface RecentLookup<Value, Context = void> {
  /** Gives the value of at most a second ago. Never remembers that a key was not found. */
  find: Lookup<Value, Context>;
  /** The same, for hot paths: where the value is in hand it is no promise. */
  findAtOnce(key: string, context: Context): Value | Promise<Value | undefined>;
  /** Makes the next call of `find` look the key up again. */
  forget(key: string): void;
}

export interface RecentLookupOptions<Value, Context> {
  /** Milliseconds for which an answer counts as recent. */
  recentFor?: number;
  /** Absent: the first caller after the time of an answer asks, and waits. */
  renewal?: Renewal<Value, Context>;
  /** Milliseconds that only grow. */
  now?: () => number;
}

/** A question that nobody waits for, put in time for the answer to be there when the time of the one before is over. */
export interface Renewal<Value, Context> {
  /** Milliseconds after which a caller causes it. */
  after: number;
  /** May gather keys for some milliseconds. */
  lookup: Lookup<Value, Context>;
}

interface Answer<Value> {
  promise: Promise<Value | undefined>;
  /** Undefined until it is there. */
  value: Value | undefined;
  /** Whether the next question was asked. */
  isRenewed: boolean;
}

/** Remembers for less than a second what a lookup found. Callers within that time share one answer. */
export function createRecentLookup<Value extends object, Context = void>(
  lookup: Lookup<Value, Context>,
  { recentFor: ttl = recentFor, renewal, now }: RecentLookupOptions<Value, Context> = {},
): RecentLookup<Value, Context> {
  // The cache takes 0 for no time at all.
  const perf = now === undefined ? performance : { now: () => now() + 1 };
  const time = now === undefined ? {} : { perf, ttlResolution: 0 };
  const answers = new LRUCache<string, Answer<Value>>({ ttl, ...time, ...buildEntryLimit(remembered) });

  const begin = (by: Lookup<Value, Context>, key: string, context: Context): Answer<Value> => ({
    promise: by(key, context),
    value: undefined,
    isRenewed: false,
  });
  const ask = (key: string, context: Context): Answer<Value> => {
    const answer = begin(lookup, key, context);
    answers.set(key, answer);
    const forgetThis = () => {
      if (answers.peek(key) === answer) answers.delete(key);
    };
    const keep = (value: Value | undefined) => {
      answer.value = value;
      if (value === undefined) forgetThis();
    };
    answer.promise.then(keep, forgetThis);
    return answer;
  };
  /** The time of the next answer begins when it is asked for. One that comes after a `forget` is dropped. */
  const renew = (by: Lookup<Value, Context>, key: string, answer: Answer<Value>, context: Context) => {
    answer.isRenewed = true;
    const start = perf.now();
    const next = begin(by, key, context);
    const replace = (value: Value | undefined) => {
      next.value = value;
      if (answers.peek(key) !== answer) return;
      if (value === undefined) answers.delete(key);
      else answers.set(key, next, { start });
    };
    next.promise.then(replace, () => {});
  };
  const get = (key: string, context: Context): Answer<Value> => {
    const answer = answers.get(key);
    if (answer === undefined) return ask(key, context);
    if (renewal !== undefined && !answer.isRenewed && answers.getRemainingTTL(key) < ttl - renewal.after) {
      renew(renewal.lookup, key, answer, context);
    }
    return answer;
  };

  return {
    find: (key, context) => get(key, context).promise,
    findAtOnce(key, context) {
      const { value, promise } = get(key, context);
      return value ?? promise;
    },
    forget: (key) => void answers.delete(key),
  };
}
