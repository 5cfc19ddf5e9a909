import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gatehouse/service-kit';
import { bitsOf, createEntityTags } from './entity-tag.ts';
import type { StatusLists } from './status-lists.ts';

/** Milliseconds between two readings of the database, while anybody waits; and after one that failed. */
const interval = 100;
const respite = 1_000;
/** Readers that are answered in one turn of the event loop: other requests come between them. */
const atOnce = 50;

/** A caller that waits for a list to change. */
export interface StatusListReader {
  listId: number;
  /** The bits of the lists in hand (`bitsOf`). */
  bits: readonly string[];
  /** Is called once, when the list says something else, or there is none. */
  changed(): void;
  /** Is called where the list could not be read when the reader came. */
  unread(): void;
}

/** Reads all lists that are waited for at once, however many readers wait. */
export interface StatusListWatch {
  add(reader: StatusListReader): void;
  remove(reader: StatusListReader): void;
}

export function createStatusListWatch({
  statusLists,
  log,
}: {
  statusLists: Pick<StatusLists, 'refresh'>;
  log: Logger;
}): StatusListWatch {
  const readers = new Set<StatusListReader>();
  /** Readers that a reading came back for. They outlast an outage; one that comes during it is told at once. */
  const settled = new WeakSet<StatusListReader>();
  const look = createLook(statusLists, readers, settled);
  let isWatching = false;
  let isFailing = false;

  const giveUpOnNewcomers = (error: unknown) => {
    if (!isFailing) log.warn({ err: error }, 'the status lists that callers wait for cannot be read');
    for (const reader of readers) if (!settled.has(reader)) reader.unread();
  };
  /** Gives the milliseconds until the next look. One that took long is followed by as long a pause. */
  const lookAndTell = async (): Promise<number> => {
    const startedAt = performance.now();
    try {
      await look();
      isFailing = false;
      const took = performance.now() - startedAt;
      return Math.max(interval - took, took);
    } catch (error) {
      giveUpOnNewcomers(error);
      isFailing = true;
      return respite;
    }
  };
  const watch = async () => {
    isWatching = true;
    while (readers.size > 0) await sleep(await lookAndTell(), undefined, { ref: false });
    isWatching = false;
  };

  return {
    add(reader) {
      readers.add(reader);
      if (!isWatching) void watch();
    },
    remove: (reader) => void readers.delete(reader),
  };
}

/** A list is compared only with readers that came before it was read: a later one may have a newer list in hand. */
function createLook(
  statusLists: Pick<StatusLists, 'refresh'>,
  readers: ReadonlySet<StatusListReader>,
  settled: WeakSet<StatusListReader>,
): () => Promise<void> {
  const entityTagOf = createEntityTags();
  return async () => {
    const asking = [...readers];
    const lists = await statusLists.refresh(new Set(asking.map(({ listId }) => listId)));
    const bits = new Map([...lists].map(([listId, list]) => [listId, bitsOf(entityTagOf(list))]));
    let answered = 0;
    for (const reader of asking) {
      settled.add(reader);
      if (!readers.has(reader) || reader.bits.includes(bits.get(reader.listId) ?? '')) continue;
      reader.changed();
      answered += 1;
      if (answered % atOnce === 0) await nextTurn();
    }
  };
}
