import { type Clock, createId, idToBytes, type Logger, type Repeat } from '@gatehouse/service-kit';
import { DatabaseUnavailableError } from '@gatehouse/service-kit/database';
import {
  type Ledger,
  type Measure,
  measures,
  type PartKind,
  partKinds,
  startOf,
  steps,
  type UsageCount,
} from './usage-count.ts';
import type { UsageCountStore } from './usage-count-store.ts';

/** Milliseconds between two writes. */
const writeInterval = 10_000;
/** Subjects of a ledger that a process counts in a day, and of these the busiest that it writes. */
const mostCounted = 10_000;
const mostWritten = 1_000;
/** Rows of one statement. */
const batchSize = 1_000;
/** Rows of hours that are over, and wait for the database. */
const mostWaiting = 50_000;

/** The acts of this hour and of this day, so far. */
interface Counter {
  hour: number;
  day: number;
  isChanged: boolean;
}
/** By the subject, undefined for all together; then by the detail. */
type CountersOfSubjects = Map<string | undefined, Map<string, Counter>>;

/** Counts acts. Returns at once and never throws. */
export type CountUsage = (measure: Measure, detail: string, clientId: string | undefined) => void;

/** Counts acts of what took part in them, by its name. Returns at once and never throws. */
export type CountPart = (kind: PartKind, detail: string, name: string) => void;

/** Counts in memory; writes every ten seconds, by rows that no other process writes. A killed process loses the acts of the last ten. */
export interface UsageCounts {
  count: CountUsage;
  countPart: CountPart;
  /** Writes the counts; never rejects. */
  write(): Promise<void>;
  /** The same, and no more. */
  close(): Promise<void>;
}

interface Dependencies {
  store: Pick<UsageCountStore, 'put'>;
  clock: Clock;
  repeat: Repeat;
  log: Pick<Logger, 'warn'>;
}

export function createUsageCounts({ store, clock, repeat, log }: Dependencies): UsageCounts {
  const writer = idToBytes(createId());
  const countersOf = new Map<Ledger, CountersOfSubjects>(
    [...measures, ...partKinds].map((ledger) => [ledger, new Map()]),
  );
  let hour = startOf('hour', clock());
  let hourEndsAt = hour + steps.hour.length;
  /** Of hours that are over. */
  let waiting: UsageCount[] = [];

  const bump = (counters: CountersOfSubjects, subject: string | undefined, detail: string): void => {
    let details = counters.get(subject);
    if (details === undefined) {
      if (counters.size > mostCounted) return;
      details = new Map();
      counters.set(subject, details);
    }
    const counter = details.get(detail);
    if (counter === undefined) {
      details.set(detail, { hour: 1, day: 1, isChanged: true });
      return;
    }
    counter.hour += 1;
    counter.day += 1;
    counter.isChanged = true;
  };
  /** The counts that changed since they were taken last. */
  const takeChanged = (): { counts: UsageCount[]; counters: Counter[] } => {
    const taken: { counts: UsageCount[]; counters: Counter[] } = { counts: [], counters: [] };
    for (const [ledger, ofSubjects] of countersOf) {
      for (const [subject, details] of listWritten(ofSubjects)) {
        for (const [detail, counter] of details) {
          if (!counter.isChanged) continue;
          counter.isChanged = false;
          taken.counters.push(counter);
          const of = { ledger, detail, subject };
          taken.counts.push({ ...of, step: 'hour', startsAt: hour, amount: counter.hour });
          taken.counts.push({ ...of, step: 'day', startsAt: startOf('day', hour), amount: counter.day });
        }
      }
    }
    return taken;
  };
  const beginHour = (now: number): void => {
    waiting = [...waiting, ...takeChanged().counts].slice(-mostWaiting);
    const isNewDay = startOf('day', hour) !== startOf('day', now);
    hour = startOf('hour', now);
    hourEndsAt = hour + steps.hour.length;
    for (const ofSubjects of countersOf.values()) {
      if (isNewDay) ofSubjects.clear();
      for (const details of ofSubjects.values()) for (const counter of details.values()) counter.hour = 0;
    }
  };

  const put = async (counts: readonly UsageCount[]): Promise<void> => {
    for (let from = 0; from < counts.length; from += batchSize) {
      await store.put(writer, counts.slice(from, from + batchSize));
    }
  };
  const writeAll = async (): Promise<void> => {
    const now = clock();
    if (now >= hourEndsAt) beginHour(now);
    const over = waiting;
    waiting = [];
    await put(over).catch((error: unknown) => {
      waiting = [...over, ...waiting].slice(-mostWaiting);
      throw error;
    });
    const taken = takeChanged();
    const ofHour = hour;
    await put(taken.counts).catch((error: unknown) => {
      if (ofHour === hour) for (const counter of taken.counters) counter.isChanged = true;
      else waiting = [...taken.counts, ...waiting].slice(-mostWaiting);
      throw error;
    });
  };
  let writing: Promise<void> | undefined;
  /** Counts that could not be written go with the next. */
  const writeOnce = (): Promise<void> => {
    writing ??= writeAll()
      .catch((error: unknown) => {
        // While the database is away, it logs that itself.
        if (!(error instanceof DatabaseUnavailableError)) log.warn({ err: error }, 'counts of use were not written');
      })
      .finally(() => {
        writing = undefined;
      });
    return writing;
  };
  const write = async () => {
    await writing;
    await writeOnce();
  };
  const stop = repeat(() => void writeOnce(), writeInterval);

  /** The counters of this hour. */
  const countersNow = (ledger: Ledger): CountersOfSubjects => {
    const now = clock();
    if (now >= hourEndsAt) beginHour(now);
    return countersOf.get(ledger) as CountersOfSubjects;
  };

  return {
    count(measure, detail, clientId) {
      const counters = countersNow(measure);
      bump(counters, undefined, detail);
      if (clientId !== undefined) bump(counters, clientId, detail);
    },
    countPart: (kind, detail, name) => bump(countersNow(kind), name, detail),
    write,
    async close() {
      stop();
      await write();
    },
  };
}

/** All together, and the busiest subjects of the day. One that is overtaken keeps the rows it has. */
function listWritten(ofSubjects: CountersOfSubjects): Iterable<[string | undefined, Map<string, Counter>]> {
  if (ofSubjects.size <= mostWritten + 1) return ofSubjects;
  const sumOf = (details: Map<string, Counter>) => [...details.values()].reduce((sum, { day }) => sum + day, 0);
  const ranked = [...ofSubjects].map(([subject, details]) => ({ subject, details, sum: sumOf(details) }));
  // All together are at least as many as those of any client.
  ranked.sort(
    (one, other) => Number(other.subject === undefined) - Number(one.subject === undefined) || other.sum - one.sum,
  );
  return ranked.slice(0, mostWritten + 1).map(({ subject, details }) => [subject, details]);
}
