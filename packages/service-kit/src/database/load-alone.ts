/** Questions at the same time for one batch. */
const lanes = 4;

interface Options<Value> {
  load(keys: readonly string[]): Promise<ReadonlyMap<string, Value>>;
  /** Whether an error is about the server and not about a key. */
  isForAll(error: unknown): boolean;
}

/**
 * Asks for the keys of one batch one by one, and for each key once. After an error for which `isForAll` holds, the
 * waiting keys get the same error without a question.
 */
export function createLoadAlone<Value>({
  load,
  isForAll,
}: Options<Value>): (key: string) => Promise<Value | undefined> {
  const asked = new Map<string, Promise<Value | undefined>>();
  const lastOfLane: Promise<unknown>[] = [];
  let forAll: { error: unknown } | undefined;

  const ask = async (key: string, before: Promise<unknown> | undefined): Promise<Value | undefined> => {
    await before;
    if (forAll !== undefined) throw forAll.error;
    try {
      return (await load([key])).get(key);
    } catch (error) {
      if (isForAll(error)) forAll = { error };
      throw error;
    }
  };

  return (key) => {
    const known = asked.get(key);
    if (known !== undefined) return known;
    const lane = asked.size % lanes;
    const answer = ask(key, lastOfLane[lane]);
    asked.set(key, answer);
    lastOfLane[lane] = answer.catch(() => {});
    return answer;
  };
}
