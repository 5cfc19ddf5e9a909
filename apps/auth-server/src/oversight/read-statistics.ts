import type { Clock } from '@gatehouse/service-kit';
import { fieldsProblem } from '@gatehouse/shared';
import { type Measure, type PartKind, type Step, startOf, steps } from '../usage/usage-count.ts';
import type { UsageCountStore, UsageQuery, UsageSum } from '../usage/usage-count-store.ts';
import type { UsageCounts } from '../usage/usage-counts.ts';

/** The ways in which the series of a measure can be parted. */
export const partings = ['outcome', 'grant_type', 'client', 'reason'] as const;
export type Parting = (typeof partings)[number];

export interface StatisticsQuery {
  measure: Measure;
  step: Step;
  /** Milliseconds; the steps that they are in count. */
  from: number | undefined;
  to: number | undefined;
  clientId: string | undefined;
  /** An upstream, an API or an issuer of the acts, by its name. */
  part: { kind: PartKind; name: string } | undefined;
  by: Parting | undefined;
}

/** Amounts by step. Instants are milliseconds. */
export interface Statistics {
  from: number;
  to: number;
  series: { key: string; values: number[] }[];
  /** Of the clients that have no series, and of no client. */
  others: number[] | undefined;
  /** Every process has written its acts before this instant. */
  completeUntil: number;
}

/** Throws a 400 that names each field at fault. */
export type ReadStatistics = (query: StatisticsQuery) => Promise<Statistics>;

/** The counts to read, and the measure that their details are of. */
interface AskedCounts extends UsageQuery {
  measure: Measure;
}

interface Dependencies {
  usageCounts: Pick<UsageCounts, 'write'>;
  usageCountStore: Pick<UsageCountStore, 'list' | 'listGreatest'>;
  clock: Clock;
}

const mostSteps = 744;
const mostClients = 20;
/** Steps that are shown where no beginning is named. */
const usualSteps: Record<Step, number> = { hour: 24, day: 30 };
/** Milliseconds after which every process has written: ten seconds, and some for the way. */
const delay = 15_000;

/** The keys that a detail has by each parting of its measure. `nameTokens` and the facts make details. */
const parts: Record<Measure, Partial<Record<Parting, (detail: string) => string>>> = {
  sign_ins: { outcome: (detail) => detail },
  tokens: {
    outcome: (detail) => detail.split(' ', 1)[0] as string,
    grant_type: (detail) => detail.slice(detail.indexOf(' ') + 1),
  },
  refusals: { reason: (detail) => detail },
};
/** The acts that each takes part in. */
const measureOf: Record<PartKind, Measure> = { upstream: 'sign_ins', resource: 'tokens', issuer: 'tokens' };
/** The beginnings of the details that count where series are not parted by outcomes: successes. */
const counted: Record<Measure, readonly string[]> = {
  sign_ins: ['signed_in', 'session'],
  tokens: ['issued '],
  refusals: [''],
};

export function createReadStatistics({ usageCounts, usageCountStore, clock }: Dependencies): ReadStatistics {
  const sumUp = (sums: readonly UsageSum[], { from, to, step }: UsageQuery): number[] => {
    const values = new Array<number>((to - from) / steps[step].length).fill(0);
    for (const { startsAt, amount } of sums) {
      const index = (startsAt - from) / steps[step].length;
      values[index] = (values[index] as number) + amount;
    }
    return values;
  };
  const listCounted = async ({ measure, ...query }: AskedCounts, subject: string | undefined) => {
    const isCounted = (detail: string) => counted[measure].some((start) => detail.startsWith(start));
    return (await usageCountStore.list(query, subject)).filter(({ detail }) => isCounted(detail));
  };
  const readByClient = async (query: AskedCounts, clientId: string | undefined) => {
    const greatest =
      clientId === undefined
        ? await usageCountStore.listGreatest(query, counted[query.measure], mostClients)
        : [clientId];
    const series = await Promise.all(
      greatest.map(async (key) => ({ key, values: sumUp(await listCounted(query, key), query) })),
    );
    if (clientId !== undefined) return { series, others: undefined };
    const all = sumUp(await listCounted(query, undefined), query);
    // A process may write between two reads.
    const others = all.map((sum, index) =>
      Math.max(
        0,
        series.reduce((rest, { values }) => rest - (values[index] as number), sum),
      ),
    );
    return { series, others };
  };
  const readByDetail = async (query: AskedCounts, subject: string | undefined, by: Parting | undefined) => {
    const nameKey = by === undefined ? () => 'total' : (parts[query.measure][by] as (detail: string) => string);
    const sums = await (by === 'outcome' ? usageCountStore.list(query, subject) : listCounted(query, subject));
    const byKey = new Map<string, UsageSum[]>(by === undefined ? [['total', []]] : []);
    for (const sum of sums) byKey.set(nameKey(sum.detail), [...(byKey.get(nameKey(sum.detail)) ?? []), sum]);
    const series = [...byKey].map(([key, ofKey]) => ({ key, values: sumUp(ofKey, query) }));
    return { series: series.sort((one, other) => (one.key < other.key ? -1 : 1)), others: undefined };
  };

  return async ({ measure, step, clientId, part, by, ...asked }) => {
    const now = clock();
    const { length } = steps[step];
    const to = startOf(step, (asked.to ?? now) + length - 1);
    const from = startOf(step, asked.from ?? to - usualSteps[step] * length);
    if (part !== undefined) checkPart(part.kind, { measure, clientId, by });
    checkQuery({ measure, by, count: (to - from) / length });
    const query = { step, measure, ledger: part?.kind ?? measure, from, to };
    await usageCounts.write();
    const found = await (by === 'client'
      ? readByClient(query, clientId)
      : readByDetail(query, part?.name ?? clientId, by));
    return { from, to, ...found, completeUntil: Math.min(to, now - delay) };
  };
}

function checkPart(
  kind: PartKind,
  { measure, clientId, by }: Pick<StatisticsQuery, 'measure' | 'clientId' | 'by'>,
): void {
  const refuse = (detail: string) => fieldsProblem([{ field: kind, detail }]);
  if (measure !== measureOf[kind]) throw refuse(`must stand with measure=${measureOf[kind]}`);
  if (clientId !== undefined || by === 'client') throw refuse('must not stand with client or by=client');
}

function checkQuery({ measure, by, count }: { measure: Measure; by: Parting | undefined; count: number }): void {
  const ways = [...Object.keys(parts[measure]), 'client'];
  if (by !== undefined && !ways.includes(by)) {
    throw fieldsProblem([{ field: 'by', detail: `must be one of ${ways.join(', ')} with this measure` }]);
  }
  if (count <= 0) throw fieldsProblem([{ field: 'to', detail: 'must be after from' }]);
  if (count > mostSteps)
    throw fieldsProblem([{ field: 'from', detail: `must be at most ${mostSteps} steps before to` }]);
}
