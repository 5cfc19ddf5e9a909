import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../lab.ts';
import { readResidentMb } from '../machine/process-usage.ts';
import { median } from '../measurement/statistics.ts';
import type { CaseResult } from '../report/case-result.ts';
import type { GoalResult } from '../report/goal.ts';
import { formatColumns, formatCount } from '../report/table.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import type { BenchCase } from './bench-case.ts';

interface StartRow {
  server: string;
  /** Milliseconds from the start of the process until `/health/ready` answered 200. */
  readyIn: number[];
  /** Megabytes. */
  idleMb: number[];
}

/** Measures the time from the start of a process, on a current schema, to its first good answer; and its memory at rest. */
export const start: BenchCase = {
  name: 'start',
  title: 'Start of a process, and memory at rest',
  async run(lab) {
    const servers = serversOf(lab);
    const rows = servers.map(([server]): StartRow => ({ server, readyIn: [], idleMb: [] }));
    for (let round = 0; round < lab.options.rounds; round += 1) await startAll(servers, rows, lab);
    return buildResult(rows, lab.options.restSeconds);
  },
};

type StartOne = () => Promise<{ started: ServerProcess; stop(): Promise<void> }>;

function serversOf({ product, startBare, startPeer }: Lab): [string, StartOne][] {
  const restart = (name: 'auth-server' | 'org-api') => async () => ({
    started: await product.restart(name),
    stop: async () => {},
  });
  const other = (startOther: () => Promise<ServerProcess>) => async () => {
    const started = await startOther();
    return { started, stop: started.stop };
  };
  return [
    ['Gatehouse, auth-server', restart('auth-server')],
    ['Gatehouse, org-api', restart('org-api')],
    ['node-oidc-provider', other(startPeer)],
    ['bare Fastify', other(startBare)],
  ];
}

/** Starts the processes one after the other, so that none disturbs another. Then all rest together. */
async function startAll(servers: [string, StartOne][], rows: StartRow[], { say, options }: Lab): Promise<void> {
  const running: Awaited<ReturnType<StartOne>>[] = [];
  for (const [index, [server, startOne]] of servers.entries()) {
    const one = await startOne();
    running.push(one);
    rows[index]?.readyIn.push(one.started.readyIn);
    say(`  ${server}: ready after ${Math.round(one.started.readyIn)} ms`);
  }
  // V8 gives back the memory that the start took after 8 to 16 s; a slow machine needs longer.
  await sleep(options.restSeconds * 1000);
  for (const [index, { started, stop }] of running.entries()) {
    rows[index]?.idleMb.push(readResidentMb(started.pid) ?? Number.NaN);
    await stop();
  }
}

function buildResult(rows: readonly StartRow[], restSeconds: number): CaseResult {
  const cells = rows.map(({ server, readyIn, idleMb }) => [
    server,
    formatCount(median(readyIn)),
    `${formatCount(Math.min(...readyIn))} … ${formatCount(Math.max(...readyIn))}`,
    formatCount(median(idleMb)),
  ]);
  return {
    table: formatColumns([['', 'ready after ms', 'min–max', `MB after ${restSeconds} s`], ...cells]),
    goals: rows.filter(({ server }) => server.startsWith('Gatehouse')).flatMap(judgeStart),
    bars: { unit: 'ms', values: rows.map(({ server, readyIn }) => ({ label: server, value: median(readyIn) })) },
    measured: rows,
    valid: true,
  };
}

function judgeStart({ server, readyIn, idleMb }: StartRow): GoalResult[] {
  return [
    { text: `${server}: ready in less than 1,000 ms: ${formatCount(median(readyIn))}`, met: median(readyIn) < 1_000 },
    { text: `${server}: less than 100 MB at rest: ${formatCount(median(idleMb))}`, met: median(idleMb) < 100 },
  ];
}
