import { isDatabaseAway } from './database-errors.ts';

/** Writes one thing; resolves once it is written. */
export type Write<Item> = (item: Item) => Promise<void>;

/** The most things in one statement. */
const largestBatch = 256;

/**
 * Writes all things of one turn of the event loop by one statement. If the statement fails, each thing is written
 * alone, so a bad one fails only its own caller. Where the database is out of reach, all of them fail at once.
 */
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
    try {
      await written;
    } catch (error) {
      if (items.length === 1 || isDatabaseAway(error)) throw error;
      await writeMany([item]);
    }
  };
}
