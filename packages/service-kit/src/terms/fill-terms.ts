import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/database-errors.ts';
import type { Logger } from '../logging.ts';
import type { Repeat } from '../repeat.ts';
import type { TermedObject, TermStore } from './term-store.ts';
import type { TermTable } from './term-table.ts';

/** Milliseconds: between two times, and before the first, for which no start waits. */
const interval = 60_000;
const firstAfter = 500;
/** Milliseconds by which a change may be stored later than its `updated_at` says: the clocks of replicas differ. */
const overlap = 300_000;
/** Rows of which one statement looks for those without terms. */
const examined = 10_000;
/** Rows that are filled at a time. */
const batchSize = 100;

interface Dependencies<Row> {
  database: Database;
  table: Pick<TermTable, 'objects' | 'objectId' | 'readId' | 'writeId'>;
  terms: Pick<TermStore, 'writeAll'>;
  read(row: Row): TermedObject;
  clock: Clock;
}

type Place = Pick<TermedObject, 'id' | 'updatedAt'>;

/** Writes the terms of all rows that lack them, or changed since they were written. Ends early where it is stopped. */
export type FillTerms = (stopped: AbortSignal) => Promise<void>;

/**
 * Fills the terms of rows that a release before wrote, or a process that was killed. It reads the rows in the order of their changes:
 * all of them at first, and then what changed since the last time. Replicas may do it at the same time.
 */
export function createFillTerms<Row>(deps: Dependencies<Row>): FillTerms {
  const { database, table, terms, read, clock } = deps;
  const { objects, objectId, readId, writeId } = table;
  const inOrder = `FROM ${objects} WHERE updated_at >= ? AND (updated_at > ? OR updated_at = ? AND ${objectId} > ?)`;
  const order = `ORDER BY updated_at, ${objectId} LIMIT`;
  const after = ({ id, updatedAt }: Place) => [updatedAt, updatedAt, updatedAt, id === '' ? '' : writeId(id)];

  /** The last row of so many; undefined where fewer are left. */
  const findEnd = async (start: Place): Promise<Place | undefined> => {
    const sql = `SELECT updated_at, ${objectId} AS id ${inOrder} ${order} 1 OFFSET ${examined - 1}`;
    const [row] = await database.query<{ updated_at: number; id: never }>(sql, after(start));
    return row && { id: readId(row.id), updatedAt: Number(row.updated_at) };
  };
  const listDue = async (start: Place, end: Place | undefined): Promise<Row[]> => {
    const until = end === undefined ? '' : `AND updated_at <= ? AND (updated_at < ? OR ${objectId} <= ?)`;
    const values = end === undefined ? [] : [end.updatedAt, end.updatedAt, writeId(end.id)];
    const sql = `SELECT * ${inOrder} ${until} AND terms_at <> updated_at ${order} ${batchSize}`;
    return database.query<Row>(sql, [...after(start), ...values]);
  };
  /** Fills a batch, and gives where the next one begins; undefined after the last. */
  const fillBatch = async (start: Place): Promise<Place | undefined> => {
    const end = await findEnd(start);
    const due = (await listDue(start, end)).map(read);
    await terms.writeAll(due);
    return due.length === batchSize ? due.at(-1) : end;
  };

  let since = 0;
  return async (stopped) => {
    const startedAt = clock();
    let place: Place | undefined = { id: '', updatedAt: since };
    while (place !== undefined && !stopped.aborted) {
      const batchAt = performance.now();
      place = await fillBatch(place);
      // The other half of the time is for requests.
      if (place !== undefined) await sleep(performance.now() - batchAt, undefined, { ref: false });
    }
    if (place === undefined) since = Math.max(0, startedAt - overlap);
  };
}

/** Fills soon and then every minute, until it is stopped. */
export function startFillingTerms(
  fill: FillTerms,
  { repeat, log }: { repeat: Repeat; log: Pick<Logger, 'warn'> },
): () => Promise<void> {
  const closing = new AbortController();
  let filling: Promise<void> | undefined;
  const tick = () => {
    filling ??= fill(closing.signal)
      .catch((error: unknown) => {
        // While the database is away, it logs that itself.
        if (!(error instanceof DatabaseUnavailableError))
          log.warn({ err: error }, 'terms of the search could not be filled');
      })
      .finally(() => {
        filling = undefined;
      });
  };
  const first = setTimeout(tick, firstAfter);
  const stop = repeat(tick, interval);
  return async () => {
    closing.abort();
    clearTimeout(first);
    stop();
    await filling;
  };
}
