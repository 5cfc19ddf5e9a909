import { foldUsername } from '@gatehouse/shared';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { isDatabaseAway } from '../database/database-errors.ts';
import { formatNetwork, networkOf } from '../guess-limit/network.ts';
import type { NoteRefusal } from '../http/tell-refusal.ts';
import type { Logger } from '../logging.ts';
import type { CountRefusals } from '../metrics/kept-refusals.ts';
import { createRefusalCounts, type RefusalCounts } from '../refusal-counts.ts';
import type { Repeat } from '../repeat.ts';
import { createIdAt } from '../time-ordered-id.ts';
import type { Refusal } from './refusal.ts';
import { createRefusalStore, type RefusalStore } from './refusal-store.ts';
import { longestReason } from './refusal-table.ts';

/** Milliseconds between two writes. */
const writeInterval = 2_000;
/** Refusals that may wait to be written. */
const mostWaiting = 500;
/** Rows of one statement. */
const batchSize = 250;
/** Milliseconds of a window of the budget. */
const windowLength = 5 * 60_000;

/** The refusals of the last day. A killed process loses those of its last two seconds; the log holds each. */
export interface Refusals extends NoteRefusal, Pick<RefusalStore, 'list' | 'listOfRequest'> {
  /** Writes what waits. Call it before the database is closed. */
  close(): Promise<void>;
}

interface Dependencies {
  database: Database;
  clock: Clock;
  repeat: Repeat;
  log: Pick<Logger, 'warn'>;
  count: CountRefusals;
  /** Is told of each refusal, also of those that are left out. */
  onRefusal?(code: string, clientId: string | undefined): void;
}

/**
 * Keeps refusals in memory, and writes many by one statement. In five minutes a process keeps at most 100 of one network and 1,000 in
 * all, and in addition the first three of each client, so that a flood hides no others. Those left out are counted.
 */
export function createRefusals({ database, clock, repeat, log, count, onRefusal }: Dependencies): Refusals {
  const store = createRefusalStore(database);
  let waiting: Refusal[] = [];
  let sequence = 0;
  let window: { since: number; counts: RefusalCounts; isSpent: boolean } | undefined;

  const leaveOut = (current: NonNullable<typeof window>) => {
    count('left_out');
    if (!current.isSpent) log.warn('more refusals than are kept; the log holds each');
    current.isSpent = true;
  };
  const write = async () => {
    const batch = waiting.slice(0, batchSize);
    if (batch.length === 0) return;
    try {
      await store.insert(batch);
      count('stored', batch.length);
    } catch (error) {
      if (isDatabaseAway(error)) return;
      log.warn({ err: error, refusals: batch.length }, 'refusals could not be kept; the log holds each');
      count('failed', batch.length);
    }
    waiting = waiting.slice(batch.length);
    await write();
  };
  let writing: Promise<void> | undefined;
  const writeOnce = () => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const stop = repeat(() => void writeOnce(), writeInterval);
  /** Also writes those that came while it was writing. */
  const writeAll = async () => {
    await writing;
    await writeOnce();
  };

  return {
    note({ status, code, reason }, { requestId, address, known }, findOperation) {
      onRefusal?.(code, known?.client);
      const now = clock();
      if (window === undefined || now - window.since >= windowLength) {
        window = { since: now, counts: createRefusalCounts(), isSpent: false };
      }
      const isKept = waiting.length < mostWaiting && window.counts.take(networkOf(address), known?.client);
      if (!isKept) return leaveOut(window);
      sequence += 1;
      waiting.push({
        id: createIdAt(now, sequence),
        occurredAt: now,
        requestId,
        operation: findOperation(),
        status,
        code,
        reason: [...(known?.reason ?? reason)].slice(0, longestReason).join(''),
        clientId: known?.client,
        username: known?.user && foldUsername(known.user),
        network: formatNetwork(address).slice(0, 64),
      });
    },
    async list(query) {
      await writeAll();
      return store.list(query);
    },
    async listOfRequest(requestId, limit) {
      await writeAll();
      return store.listOfRequest(requestId, limit);
    },
    async close() {
      stop();
      await writeAll();
    },
  };
}
