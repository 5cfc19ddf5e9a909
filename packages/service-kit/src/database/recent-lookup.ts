import { LRUCache } from 'lru-cache';
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
  /** Makes the next call of `find` look the key up again. */
  forget(key: string): void;
}

export interface RecentLookupOptions<Value, Context> {
  /** Milliseconds for which an answer counts as recent. */
  recentFor?: number;
  /** Absent: the first caller after the time of an answer asks, and waits. */
  renewal?: Renewal<Value, Context>;
}

/** A question that nobody waits for, put in time for the answer to be there when the time of the one before is over. */
export interface Renewal<Value, Context> {
  /** Milliseconds after which a caller causes it. */
  after: number;
  /** May gather keys for some milliseconds. */
  lookup: Lookup<Value, Context>;
}

/** Remembers for less than a second what a lookup found. Callers within that time share one answer. */
export function createRecentLookup<Value extends object, Context = void>(
  lookup: Lookup<Value, Context>,
  { recentFor: ttl = recentFor, renewal }: RecentLookupOptions<Value, Context> = {},
): RecentLookup<Value, Context> {
  type Answer = Promise<Value | undefined>;
  const answers = new LRUCache<string, Answer>({ max: remembered, ttl });
  /** Answers after which the next question was asked. */
  const renewed = new WeakSet<Answer>();

  const ask = (key: string, context: Context) => {
    const answer = lookup(key, context);
    answers.set(key, answer);
    const forgetThis = () => {
      if (answers.peek(key) === answer) answers.delete(key);
    };
    answer.then((value) => value ?? forgetThis(), forgetThis);
    return answer;
  };
  /** The time of the next answer begins when it is asked for. One that comes after a `forget` is dropped. */
  const renew = (by: Lookup<Value, Context>, key: string, answer: Answer, context: Context) => {
    renewed.add(answer);
    const start = performance.now();
    const next = by(key, context);
    const replace = (value: Value | undefined) => {
      if (answers.peek(key) !== answer) return;
      if (value === undefined) answers.delete(key);
      else answers.set(key, next, { start });
    };
    next.then(replace, () => {});
  };

  return {
    find(key, context) {
      const answer = answers.get(key);
      if (answer === undefined) return ask(key, context);
      if (renewal !== undefined && answers.getRemainingTTL(key) < ttl - renewal.after && !renewed.has(answer)) {
        renew(renewal.lookup, key, answer, context);
      }
      return answer;
    },
    forget: (key) => void answers.delete(key),
  };
}
