import { AsyncResource } from 'node:async_hooks';
import { DatabaseUnavailableError, isDatabaseOutOfReach } from './database-errors.ts';
import { createLoadAlone } from './load-alone.ts';

/** Finds one thing by its key; undefined where there is none. */
export type Lookup<Value, Context = void> = (key: string, context: Context) => Promise<Value | undefined>;

/** Finds many things at once. `context` is the one of whoever asked first. */
export type LoadMany<Value, Context = void> = (
  keys: readonly string[],
  context: Context,
) => Promise<ReadonlyMap<string, Value>>;

/** Keys that are asked for together at most. */
const largestBatch = 256;
/**
 * Milliseconds for which a question waits for the answer to the one before it. What is looked up meanwhile goes into it
 * as well; a question that gets no answer holds nobody up for longer.
 */
const patience = 20;

interface Batch<Value> {
  keys: Set<string>;
  /** Asks for all of them in the name of the first to ask: with its context, and in its trace. */
  load(): Promise<ReadonlyMap<string, Value>>;
  found: Promise<ReadonlyMap<string, Value>>;
  answerWith(found: Promise<ReadonlyMap<string, Value>>): void;
  /** Asks for one of them, after the question for all failed. */
  loadAlone(key: string): Promise<Value | undefined>;
}

export interface BatchedLookupOptions {
  /** Whether an error is about the place that is asked, and not about a key: then a question for each key is no use. */
  isForAll?(error: unknown): boolean;
  /**
   * Milliseconds from one question to the next while several keys come at a time; 0 where left out. For questions that
   * cost much by themselves: who asks meanwhile shares the next one. After a question for one key the next does not wait.
   */
  pace?: number;
}

function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || isDatabaseOutOfReach(error);
}

/**
 * Asks once for all that is looked up in one turn of the event loop, and once for what several look for. Nothing is
 * kept: the question is put after every one of those who share the answer has asked, so each gets what holds then.
 * A question for several keys that fails is put again key by key, so that a key at fault fails its own askers alone.
 */
export function createBatchedLookup<Value, Context = void>(
  load: LoadMany<Value, Context>,
  { isForAll = isDatabaseAway, pace = 0 }: BatchedLookupOptions = {},
): Lookup<Value, Context> {
  let open: Batch<Value> | undefined;
  let underWay = 0;
  /** Before which the next question is not put: `performance.now()`. */
  let notBefore = 0;

  const ask = (batch: Batch<Value>) => {
    if (open === batch) open = undefined;
    underWay += 1;
    if (batch.keys.size > 1) notBefore = performance.now() + pace;
    const goOn = () => {
      underWay -= 1;
      if (open !== undefined) askInTime(open);
    };
    const found = batch.load();
    found.then(goOn, goOn);
    batch.answerWith(found);
  };
  const askLater = (batch: Batch<Value>, delay: number) => setTimeout(() => open === batch && ask(batch), delay);
  const askInTime = (batch: Batch<Value>) => {
    const delay = notBefore - performance.now();
    if (delay > 0) askLater(batch, delay);
    else ask(batch);
  };
  const askInTurn = (batch: Batch<Value>) => {
    if (underWay === 0) askInTime(batch);
    else askLater(batch, patience);
  };
  const openBatch = (context: Context): Batch<Value> => {
    const keys = new Set<string>();
    let answerWith: Batch<Value>['answerWith'] = () => {};
    const found = new Promise<ReadonlyMap<string, Value>>((resolve) => {
      answerWith = resolve;
    });
    // What AsyncResource.bind does, without the properties that it defines on every function.
    const scope = new AsyncResource('BatchedLookup');
    const inScope = (asked: readonly string[]) => scope.runInAsyncScope(() => load(asked, context));
    // Made when the question for all fails: almost none does.
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
    setImmediate(() => open === batch && askInTurn(batch));
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
