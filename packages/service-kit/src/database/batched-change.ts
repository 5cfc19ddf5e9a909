import { createBatchedWrite } from './batched-write.ts';

/** Changes one row on a condition; true for exactly one of those that change it at the same moment. */
export type Change<Item> = (item: Item) => Promise<boolean>;

export interface ChangeMany<Item> {
  /** The row. Two changes of one row take turns. */
  keyOf(item: Item): string;
  /** Changes all rows by one statement, which decides for each by itself, and says how many it changed. */
  change(items: readonly Item[]): Promise<number>;
  /** Reads which changes stand in their rows, where others came first, or an answer of the database was lost. */
  findChanged(items: readonly Item[]): Promise<readonly Item[]>;
}

/**
 * Makes all changes of one turn of the event loop by one statement: the database makes them durable together, which costs
 * it as much as one of them.
 */
export function createBatchedChange<Item>(many: ChangeMany<Item>): Change<Item> {
  const write = createBatchedWrite<Item, ReadonlySet<Item>>(async (items) => new Set(await changeInTurns(many, items)));
  return async (item) => (await write(item)).has(item);
}

async function changeInTurns<Item>(many: ChangeMany<Item>, items: readonly Item[]): Promise<readonly Item[]> {
  const firstOfRow = new Map(items.toReversed().map((item) => [many.keyOf(item), item]));
  const turn = [...firstOfRow.values()].toReversed();
  const count = await many.change(turn);
  const changed = count === turn.length ? turn : await many.findChanged(turn);
  if (turn.length === items.length) return changed;
  const others = items.filter((item) => !turn.includes(item));
  return [...changed, ...(await changeInTurns(many, others))];
}

/** An expression that gives each row its own value, told by `key`, a column; `choose` gives the parameters of one such expression. */
export function chooseByRow<Item>(items: readonly Item[], key: string, keyOf: (item: Item) => Buffer) {
  return {
    choice: `CASE ${key} ${items.map(() => 'WHEN ? THEN ?').join(' ')} END`,
    choose: (value: (item: Item) => unknown) => items.flatMap((item) => [keyOf(item), value(item)]),
  };
}
