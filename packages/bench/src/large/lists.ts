import { idFromBytes } from '@gatehouse/service-kit';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { buildRequest } from '../load/load.ts';
import { percentile } from '../measurement/statistics.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import type { CaseResult } from '../report/case-result.ts';
import type { GoalResult } from '../report/goal.ts';
import { formatColumns } from '../report/table.ts';
import { bulkClientId, bulkId, commonWords, rareWord } from './bulk-rows.ts';

/*
 * The lists of administrators, one request after the other: a person waits for one list at a time. The queries of a kind take
 * turns, so that the slowest of them is among its slowest twentieth.
 */

/** Requests of each kind: those before the measured ones let V8 compile. */
const requests = { warmup: 50, measured: 200 };
/** Objects of a page, as the console asks for them. */
const limit = '50';

interface List {
  name: string;
  port: number;
  path: string;
  /** The member of the answer that has the objects. */
  member: 'clients' | 'users';
  rows: number;
  /** The cursor of the page after the object with number `n`. */
  cursorAfter(n: number): string;
}

type Query = Record<string, string>;

interface Kind {
  name: string;
  /** Milliseconds that p95 may be at most. */
  goal: number;
  queries: readonly Query[];
  /** Queries that find nothing, however many entries they examine. */
  vain?: readonly Query[];
}

interface Row {
  kind: string;
  goal: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  /** Queries that found something where there is nothing, or nothing where there is something. */
  wrong: string[];
}

export const listCases = [
  {
    name: 'clients_list',
    title: 'The list of clients',
    rows: 'clients',
    run: (lab: Lab, rows: number) =>
      measureList(lab, {
        ...{ name: 'clients', port: lab.product.authServer.port, path: '/clients', member: 'clients', rows },
        cursorAfter: bulkClientId,
      }),
  },
  {
    name: 'users_list',
    title: 'The list of users',
    rows: 'users',
    run: (lab: Lab, rows: number) =>
      measureList(lab, {
        ...{ name: 'users', port: lab.product.orgApi.port, path: '/organization/api/organization/user' },
        ...{ member: 'users', rows, cursorAfter: (n) => idFromBytes(bulkId(n)) },
      }),
  },
] as const;

async function measureList(lab: Lab, list: List): Promise<CaseResult> {
  const [token = ''] = await issueAccessTokens(lab.product.authServer.port, [lab.population.administrator]);
  const rows: Row[] = [];
  for (const kind of kindsOf(list)) {
    const row = await measureKind(list, kind, token);
    lab.say(`  ${list.name}, ${row.kind}: p95 ${row.p95.toFixed(1)} ms`);
    rows.push(row);
  }
  return buildResult(rows);
}

/** Each bound of a search is met by one of the queries: a word of all objects, and two common words that never meet. */
function kindsOf({ rows, cursorAfter }: List): Kind[] {
  const [[first, never], [second], [third]] = commonWords;
  const rare = rareWord(Math.floor(rows / 2));
  const search = (...words: string[]): Query => ({ search: words.join(' ') });
  const places = Array.from({ length: 9 }, (_, index) => cursorAfter(Math.floor((index * rows) / 10)));
  return [
    { name: 'a page', goal: 20, queries: [{}, ...places.map((cursor) => ({ cursor }))] },
    {
      ...{ name: 'a search of one word', goal: 30 },
      queries: [search('bulk'), search(first), search(first.slice(0, 2)), search(rare)],
    },
    {
      ...{ name: 'a search of four words', goal: 80 },
      queries: [search(first, second, third, 'bulk'), search(rare, 'bulk', 'example', 'com')],
      vain: [search(first, never, second, third)],
    },
    {
      ...{ name: 'a page with the total', goal: 80 },
      queries: [{}, { enabled: 'true' }, search(first), search(rare)].map((query) => ({ ...query, total: 'true' })),
    },
  ];
}

async function measureKind(list: List, { name, goal, queries, vain = [] }: Kind, token: string): Promise<Row> {
  const finding = queries.map((query) => ({ query, finds: true }));
  const all = [...finding, ...vain.map((query) => ({ query, finds: false }))];
  const times: number[] = [];
  const wrong = new Set<string>();
  for (let turn = 0; turn < requests.warmup + requests.measured; turn += 1) {
    const { query, finds } = all[turn % all.length] ?? { query: {}, finds: true };
    const path = `${list.path}?${new URLSearchParams({ limit, ...query })}`;
    const request = buildRequest({ path, headers: { Authorization: `Bearer ${token}` } });
    const begin = performance.now();
    const [answer = ''] = await exchange(list.port, [request]);
    if (turn >= requests.warmup) times.push(performance.now() - begin);
    const found = (JSON.parse(answer) as Partial<Record<List['member'], unknown[]>>)[list.member] ?? [];
    if (found.length > 0 !== finds) wrong.add(path);
  }
  return { kind: name, goal, p50: percentile(times, 50), p95: percentile(times, 95), wrong: [...wrong] };
}

function buildResult(rows: readonly Row[]): CaseResult {
  const cells = rows.map(({ kind, goal, p50, p95 }) => [kind, p50.toFixed(1), p95.toFixed(1), String(goal)]);
  const wrong = rows.flatMap((row) => row.wrong);
  const table = formatColumns([['', 'p50 ms', 'p95 ms', 'goal ms'], ...cells]);
  return {
    table: wrong.length === 0 ? table : `${table}\n\nFound something in vain, or nothing: ${wrong.join(', ')}`,
    goals: rows.map(judge),
    bars: { unit: 'ms', values: rows.map(({ kind, p95 }) => ({ label: kind, value: p95 })) },
    measured: rows,
    valid: wrong.length === 0,
  };
}

function judge({ kind, goal, p95, wrong }: Row): GoalResult {
  const text = `${kind}: p95 at most ${goal} ms: ${p95.toFixed(1)} ms`;
  return { text, met: wrong.length === 0 ? p95 <= goal : undefined };
}
