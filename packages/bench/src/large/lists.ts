import { idFromBytes } from '@gatehouse/service-kit';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { buildRequest } from '../load/load.ts';
import { percentile } from '../measurement/statistics.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import type { CaseResult } from '../report/case-result.ts';
import type { GoalResult } from '../report/goal.ts';
import { formatColumns } from '../report/table.ts';
import { type BulkCounts, bulkClientId, bulkId } from './bulk-rows.ts';
import { kindsOf, type List, type ListKind, type Query } from './list-queries.ts';
import { untilWordsAreWritten } from './words.ts';

/*
 * The lists of administrators, one request after the other: a person waits for one list at a time. The queries of a kind take
 * turns, as often each.
 */

/** Requests of each query: those before the measured ones let V8 compile. */
const requests = { warmup: 20, measured: 100 };
/** Objects of a page, as the console asks for them. */
const limit = '50';

/** Percentiles in milliseconds. */
interface Times {
  p50: number;
  p95: number;
  p99: number;
}

interface QueryRow extends Times {
  query: string;
  /** Whether it found something where there is nothing, or nothing where there is something. */
  wrong: boolean;
}

interface Row extends Times {
  kind: string;
  goal: number;
  queries: QueryRow[];
}

export const listCases = [
  {
    name: 'clients_list',
    title: 'The list of clients',
    run: (lab: Lab, { clients: rows }: BulkCounts) =>
      measureList(lab, {
        ...{ name: 'clients', port: lab.product.authServer.port, path: '/clients', member: 'clients', rows },
        cursorAfter: bulkClientId,
      }),
  },
  {
    name: 'users_list',
    title: 'The list of users',
    run: (lab: Lab, { users: rows }: BulkCounts) =>
      measureList(lab, {
        ...{ name: 'users', port: lab.product.orgApi.port, path: '/organization/api/organization/user' },
        ...{ member: 'users', rows, cursorAfter: (n) => idFromBytes(bulkId(n)) },
      }),
  },
] as const;

async function measureList(lab: Lab, list: List): Promise<CaseResult> {
  const [token = ''] = await issueAccessTokens(lab.product.authServer.port, [lab.population.administrator]);
  await untilWordsAreWritten(list.member === 'clients' ? lab.writers.auth : lab.writers.org, list.member);
  const rows: Row[] = [];
  for (const kind of kindsOf(list)) {
    const row = await measureKind(list, kind, token);
    lab.say(`  ${list.name}, ${row.kind}: p95 ${row.p95.toFixed(1)} ms`);
    rows.push(row);
  }
  return buildResult(rows);
}

async function measureKind(list: List, { name, goal, queries, vain = [] }: ListKind, token: string): Promise<Row> {
  const finding = queries.map((query) => ({ query, finds: true }));
  const all = [...finding, ...vain.map((query) => ({ query, finds: false }))].map((one) => ({
    ...{ ...one, times: [] as number[], wrong: false },
  }));
  for (let turn = 0; turn < requests.warmup + requests.measured; turn += 1) {
    for (const one of all) {
      const path = `${list.path}?${new URLSearchParams({ limit, ...one.query })}`;
      const request = buildRequest({ path, headers: { Authorization: `Bearer ${token}` } });
      const begin = performance.now();
      const [answer = ''] = await exchange(list.port, [request]);
      if (turn >= requests.warmup) one.times.push(performance.now() - begin);
      const found = (JSON.parse(answer) as Partial<Record<List['member'], unknown[]>>)[list.member] ?? [];
      if (found.length > 0 !== one.finds) one.wrong = true;
    }
  }
  const rows = all.map(({ query, times, wrong }) => ({ query: describeQuery(query), ...timesOf(times), wrong }));
  return { kind: name, goal, ...timesOf(all.flatMap(({ times }) => times)), queries: rows };
}

function timesOf(times: readonly number[]): Times {
  return { p50: percentile(times, 50), p95: percentile(times, 95), p99: percentile(times, 99) };
}

function describeQuery(query: Query): string {
  const text = Object.entries(query).map(([name, value]) => `${name}=${name === 'cursor' ? '…' : value}`);
  return text.length === 0 ? 'nothing' : text.join(' ');
}

function buildResult(rows: readonly Row[]): CaseResult {
  const cellsOf = ({ p50, p95, p99 }: Times) => [p50, p95, p99].map((time) => time.toFixed(1));
  const kinds = rows.map((row) => [row.kind, ...cellsOf(row), String(row.goal)]);
  const queries = rows.flatMap((row) => row.queries);
  const wrong = queries.filter((row) => row.wrong).map(({ query }) => query);
  const heads = ['p50 ms', 'p95 ms', 'p99 ms'];
  const tables = [
    formatColumns([['', ...heads, 'goal of p95'], ...kinds]),
    formatColumns([['', ...heads], ...queries.map((row) => [row.query, ...cellsOf(row)])]),
    ...(wrong.length === 0 ? [] : [`Found something in vain, or nothing: ${wrong.join(', ')}`]),
  ];
  return {
    table: tables.join('\n\n'),
    goals: rows.map(judge),
    bars: { unit: 'ms', values: rows.map(({ kind, p95 }) => ({ label: kind, value: p95 })) },
    measured: rows,
    valid: wrong.length === 0,
  };
}

function judge({ kind, goal, p95, queries }: Row): GoalResult {
  const text = `${kind}: p95 at most ${goal} ms: ${p95.toFixed(1)} ms`;
  return { text, met: queries.some(({ wrong }) => wrong) ? undefined : p95 <= goal };
}
