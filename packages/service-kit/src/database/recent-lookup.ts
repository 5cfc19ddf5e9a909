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

/** Remembers for less than a second what a lookup found. Callers within that time share one answer. */
export function createRecentLookup<Value extends object, Context = void>(
  lookup: Lookup<Value, Context>,
  options: { recentFor?: number } = {},
): RecentLookup<Value, Context> {
  const answers = new LRUCache<string, Promise<Value | undefined>>({
    max: remembered,
    ttl: options.recentFor ?? recentFor,
  });

  const ask = (key: string, context: Context) => {
    const answer = lookup(key, context);
    answers.set(key, answer);
    const forgetThis = () => {
      if (answers.peek(key) === answer) answers.delete(key);
    };
    answer.then((value) => value ?? forgetThis(), forgetThis);
    return answer;
  };

  return {
    find: (key, context) => answers.get(key) ?? ask(key, context),
    forget: (key) => void answers.delete(key),
  };
}
