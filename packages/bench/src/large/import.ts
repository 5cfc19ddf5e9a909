import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hash } from '@node-rs/argon2';
import type { Lab } from '../lab.ts';
import { startBeside } from '../load/start-beside.ts';
import { runStreams, type Stream, type StreamResult } from '../load/streams.ts';
import { readCpuMicros, readResidentMb } from '../machine/process-usage.ts';
import { argon2Parameters } from '../product/population.ts';
import type { CaseResult } from '../report/case-result.ts';
import type { GoalResult } from '../report/goal.ts';
import { formatColumns, formatCount } from '../report/table.ts';
import { listBcryptUsers, writeBundle } from './import-bundle.ts';
import { makeThemKnown, movedPeople, movedStream, otherPeople } from './import-others.ts';
import { untilWordsAreWritten } from './words.ts';

const cli = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));
const strangers = fileURLToPath(new URL('../load/stranger-load.js', import.meta.url));
/** Wrong guesses a second of strangers. */
const strangerRate = 50;

/** People of one phase who come by a hash that moved in. */
const mostMoved = 1_000;

/** 1,000,000 users in six minutes. */
const usersPerSecond = 1_000_000 / 360;
/** Megabytes above rest. */
const mostMemory = 100;
/** Milliseconds, of p99. */
const mostWaiting = 1_000;
/** Milliseconds between two readings of memory. */
const memoryEvery = 200;

interface Phase {
  name: string;
  seconds: number;
  /** Of org-api: the most megabytes above those at rest, and seconds of CPU. */
  peakMb: number;
  cpuSeconds: number;
  others: StreamResult[];
}

/** A whole import by `gatehouse import`, on all cores, while others sign in and ask for details; and what follows it. */
export async function measureImport(lab: Lab, users: number): Promise<CaseResult> {
  const { product, cores, databases, population, say } = lab;
  await product.restart('auth-server', { TRUST_PROXY: 'loopback' });
  await product.restart('org-api');
  const pids = [process.pid, databases.pid, product.authServer.pid, product.orgApi.pid];
  for (const pid of pids) if (pid !== undefined) cores.release(pid);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-import-'));
  try {
    const bundle = join(folder, 'bundle.jsonl');
    await writeBundle(bundle, { users, passwordHash: await hash(population.password, argon2Parameters) });
    await sleep(lab.options.restSeconds * 1_000);
    const rest = readResidentMb(product.orgApi.pid) ?? Number.NaN;
    await makeThemKnown(lab);
    const measure = async (name: string, during: () => Promise<unknown>, more: Stream[] = []): Promise<Phase> => {
      const streams = [...(await otherPeople(lab, more.length > 0)), ...more];
      const phase = await measurePhase(lab, { name, streams, rest, during });
      say(`  ${name}: ${phase.seconds.toFixed(0)} s, ${phase.peakMb.toFixed(0)} MB above rest`);
      return phase;
    };
    const window = () => sleep(lab.options.settleSeconds * 2_000 + lab.options.seconds * 1_000);
    const count = Math.min(mostMoved, Math.floor(users / 20));
    const moved = (first: number) => [movedPeople(lab, listBcryptUsers({ first, count }))];
    const besideStrangers = async () => {
      const stop = startBeside(lab.children, strangers, [String(product.authServer.port), String(strangerRate)]);
      await window();
      say(`  strangers were answered ${await stop()}`);
    };
    const phases = [
      await measure('alone', window),
      await measure(`${strangerRate} wrong guesses a second`, besideStrangers),
      await measure(importOf(users), () => runImport(lab, bundle)),
      await measure('while their words are written', () => untilWordsAreWritten(lab.writers.org, 'users')),
      await measure('one of ten has a hash by bcrypt 12', window, moved(0)),
      await measure(`the same, and ${strangerRate} wrong guesses a second`, besideStrangers, moved(count)),
    ];
    return buildResult(phases, { users, rest });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const importOf = (users: number) => `while ${users.toLocaleString('en')} users are imported`;

interface PhaseRun {
  name: string;
  streams: Stream[];
  /** Megabytes. */
  rest: number;
  during(): Promise<unknown>;
}

async function measurePhase(lab: Lab, { name, streams, rest, during }: PhaseRun): Promise<Phase> {
  const { pid } = lab.product.orgApi;
  const cpuBefore = readCpuMicros(pid) ?? Number.NaN;
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, readResidentMb(pid) ?? Number.NaN);
  }, memoryEvery);
  try {
    const { results, value } = await runStreams(lab.children, streams, async () => {
      const begin = performance.now();
      await during();
      return (performance.now() - begin) / 1_000;
    });
    const cpuSeconds = ((readCpuMicros(pid) ?? Number.NaN) - cpuBefore) / 1e6;
    return { name, seconds: value, peakMb: peak - rest, cpuSeconds, others: results };
  } finally {
    clearInterval(timer);
  }
}

async function runImport({ product, population, children }: Lab, bundle: string): Promise<void> {
  const { administrator } = population;
  const child = spawn(process.execPath, [cli, 'import', bundle, '--report', `${bundle}.report`], {
    env: {
      ...process.env,
      GATEHOUSE_ISSUER: product.authServer.url,
      ...{ GATEHOUSE_CLIENT_ID: administrator.clientId, GATEHOUSE_CLIENT_SECRET: administrator.secret },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.add(child);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`gatehouse import ended with ${code}`);
}

function buildResult(phases: readonly Phase[], { users, rest }: { users: number; rest: number }): CaseResult {
  const names = [...new Set(phases.flatMap(({ others }) => others.map(({ name }) => name)))];
  const heads = names.flatMap((name) => [`${name}: p50`, 'p99', 'most ms']);
  const cells = phases.map(({ name, seconds, peakMb, cpuSeconds, others }) => [
    ...[name, seconds.toFixed(0), peakMb.toFixed(0), cpuSeconds.toFixed(0)],
    ...names.flatMap((wanted) => timesOf(others.find((one) => one.name === wanted))),
    ...[othersOf(others), movedOf(others)].map((some) => formatCount(countFailures(some))),
  ]);
  const imported = phases.find(({ name }) => name === importOf(users));
  const goals = imported === undefined ? [] : [...judgeImport(imported, users), ...phases.slice(1).map(judgeOthers)];
  return {
    table: `${formatColumns([['', 's', 'MB', 'CPU s', ...heads, 'errors', 'of bcrypt'], ...cells])}\n\n${legend(rest)}`,
    goals,
    bars: { unit: 's', values: phases.map(({ name, seconds }) => ({ label: name, value: seconds })) },
    measured: { users, rest, phases },
    valid: phases.every(
      ({ others }) => countFailures(othersOf(others)) === 0 && others.every(({ requests }) => requests > 0),
    ),
  };
}

const legend = (rest: number) =>
  `MB: the most of org-api above the ${rest.toFixed(0)} MB at rest. CPU s: of org-api. Errors: of sign-ins and user details, and of sign-ins by bcrypt.`;

/** Nothing was promised of those who move in by a slow hash. */
const othersOf = (results: readonly StreamResult[]) => results.filter(({ name }) => name !== movedStream);
const movedOf = (results: readonly StreamResult[]) => results.filter(({ name }) => name === movedStream);
const countFailures = (results: readonly StreamResult[]) => results.reduce((sum, { failures }) => sum + failures, 0);

function timesOf(result: StreamResult | undefined): string[] {
  return result === undefined ? ['', '', ''] : [result.p50, result.p99, result.max].map((time) => formatCount(time));
}

function judgeImport({ seconds, peakMb }: Phase, users: number): GoalResult[] {
  const rate = users / seconds;
  const goal = `at least ${formatCount(usersPerSecond)} users a second (1,000,000 in 6 minutes)`;
  return [
    { text: `import: ${goal}: ${formatCount(rate)}`, met: rate >= usersPerSecond },
    { text: `import: org-api at most ${mostMemory} MB above rest: ${peakMb.toFixed(0)}`, met: peakMb <= mostMemory },
  ];
}

function judgeOthers({ name, others }: Phase): GoalResult {
  const p99 = Math.max(...othersOf(others).map((one) => one.p99));
  const text = `others, ${name}: p99 below ${mostWaiting} ms: ${formatCount(p99)}`;
  return { text, met: p99 < mostWaiting };
}
