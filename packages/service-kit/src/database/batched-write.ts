import { isDatabaseAway } from './database-errors.ts';

/** Writes one thing; resolves once it is written, with what its statement gave. */
export type Write<Item, Result = void> = (item: Item) => Promise<Result>;

/** The most things in one statement. */
const largestBatch = 256;

/**
 * Writes all things of one turn of the event loop by one statement, and gives each caller what the statement gave. If the
 * statement fails, each thing is written alone, so a bad one fails only its own caller. Where the database is out of reach,
 * all of them fail at once.
 */
export function createBatchedWrite<Item, Result = void>(
  writeMany: (items: readonly Item[]) => Promise<Result>,
): Write<Item, Result> {
  let open: { items: Item[]; written: Promise<Result> } | undefined;

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
      return await written;
    } catch (error) {
      if (items.length === 1 || isDatabaseAway(error)) throw error;
      return writeMany([item]);
    }
  };
}
