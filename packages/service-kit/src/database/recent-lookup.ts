import { LRUCache } from 'lru-cache';
import type { Lookup } from './batched-lookup.ts';

/**
 * Milliseconds for which an answer counts as recent. A change made elsewhere is heeded here within a second: this,
 * and what is left for the answer's own way.
 */
const recentFor = 750;
const remembered = 10_000;

/** What was found lately, and what has to be found anew. */
export interface RecentLookup<Value, Context = void> {
  /** As it was when it was last looked up, at most a second ago. What was not found is never remembered as missing. */
  find: Lookup<Value, Context>;
  /** The next one to ask is told what holds then. */
  forget(key: string): void;
}

/** Remembers for less than a second what a lookup found; who asks meanwhile shares the one answer. */
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
