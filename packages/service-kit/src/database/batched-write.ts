/** Writes one thing; resolves once it is written. */
export type Write<Item> = (item: Item) => Promise<void>;

/** Things that are written by one statement at most. */
const largestBatch = 256;

/** Writes by one statement what is asked for in one turn of the event loop. What fails, fails for all of them. */
export function createBatchedWrite<Item>(writeMany: (items: readonly Item[]) => Promise<unknown>): Write<Item> {
  let open: { items: Item[]; written: Promise<unknown> } | undefined;

  const openBatch = () => {
    const items: Item[] = [];
    const written = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (open?.items === items) open = undefined;
      return writeMany(items);
    });
    return { items, written };
  };
  return async (item) => {
    open ??= openBatch();
    const { items, written } = open;
    items.push(item);
    if (items.length >= largestBatch) open = undefined;
    await written;
  };
}
