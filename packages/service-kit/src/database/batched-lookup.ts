import { AsyncResource } from 'node:async_hooks';
import { isDatabaseAway } from './database-errors.ts';
import { createLoadAlone } from './load-alone.ts';

/** Finds one thing by its key; undefined where there is none. */
export type Lookup<Value, Context = void> = (key: string, context: Context) => Promise<Value | undefined>;

/** Finds many things by one question. `context` comes from the first caller. */
export type LoadMany<Value, Context = void> = (
  keys: readonly string[],
  context: Context,
) => Promise<ReadonlyMap<string, Value>>;

/** The most keys in one question. */
const largestBatch = 256;
/**
 * Milliseconds for which a question waits for the answer to the question before it. Keys that are looked up meanwhile
 * join the waiting question. A question without an answer delays the next one for no longer than this.
 */
const patience = 20;

interface Batch<Value> {
  keys: Set<string>;
  /** Asks for all keys, with the context and in the trace of the first caller. */
  load(): Promise<ReadonlyMap<string, Value>>;
  found: Promise<ReadonlyMap<string, Value>>;
  answerWith(found: Promise<ReadonlyMap<string, Value>>): void;
  /** Asks for one key, after the question for all keys failed. */
  loadAlone(key: string): Promise<Value | undefined>;
}

export interface BatchedLookupOptions {
  /** Milliseconds for which keys are gathered before they are asked for. Absent: one turn of the event loop. */
  gatherFor?: number;
  /** Whether an error is about the server and not about a key. Then asking key by key does not help. */
  isForAll?(error: unknown): boolean;
}

/**
 * Asks one question for all keys of one turn of the event loop, or of `gatherFor`. Callers that look for the same key share the answer.
 * No answer is kept: a question is sent after each caller that shares it has asked, so no caller gets an older answer.
 * If a question for several keys fails, each key is asked for alone, so a bad key fails only its own callers.
 */
export function createBatchedLookup<Value, Context = void>(
  load: LoadMany<Value, Context>,
  { gatherFor, isForAll = isDatabaseAway }: BatchedLookupOptions = {},
): Lookup<Value, Context> {
  let open: Batch<Value> | undefined;
  let underWay = 0;

  const ask = (batch: Batch<Value>) => {
    if (open === batch) open = undefined;
    underWay += 1;
    const goOn = () => {
      underWay -= 1;
      if (open !== undefined) ask(open);
    };
    const found = batch.load();
    found.then(goOn, goOn);
    batch.answerWith(found);
  };
  const askInTurn = (batch: Batch<Value>) => {
    if (underWay === 0) ask(batch);
    else setTimeout(() => open === batch && ask(batch), patience);
  };
  const openBatch = (context: Context): Batch<Value> => {
    const keys = new Set<string>();
    let answerWith: Batch<Value>['answerWith'] = () => {};
    const found = new Promise<ReadonlyMap<string, Value>>((resolve) => {
      answerWith = resolve;
    });
    // This does what AsyncResource.bind does, but defines no properties on every function.
    const scope = new AsyncResource('BatchedLookup');
    const inScope = (asked: readonly string[]) => scope.runInAsyncScope(() => load(asked, context));
    // Created when the question for all keys fails, which is rare.
    let loadAlone: Batch<Value>['loadAlone'] | undefined;
    const batch: Batch<Value> = {
      keys,
      load: () => inScope([...keys]),
      found,
      answerWith,
      loadAlone(key) {
        loadAlone ??= createLoadAlone({ load: inScope, isForAll });
        return loadAlone(key);
      },
    };
    const gathered = () => open === batch && askInTurn(batch);
    if (gatherFor === undefined) setImmediate(gathered);
    else setTimeout(gathered, gatherFor);
    return batch;
  };

  return async (key, context) => {
    const batch = open ?? openBatch(context);
    open = batch;
    batch.keys.add(key);
    if (batch.keys.size >= largestBatch) ask(batch);
    try {
      return (await batch.found).get(key);
    } catch (error) {
      if (batch.keys.size === 1 || isForAll(error)) throw error;
    }
    return batch.loadAlone(key);
  };
}
