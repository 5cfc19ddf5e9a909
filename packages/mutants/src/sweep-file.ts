import { createTurnPlan, type TurnPlan } from './plan-turns.ts';
import type { Recording } from './recorder.ts';
import type { MutantName, Turn } from './sweep.ts';
import type { WorkerProcess } from './worker-process.ts';
import type { WorkerEnd } from './worker-task.ts';

/** A test that fails with a mutant. */
export interface Kill extends MutantName {
  test: string;
}

/** Runs between two confirmations, each of which takes a run or two. */
const runsAtOnce = 6;
/** A run of fewer mutants is not worth it: they are tried one by one. */
const fewestMutants = 4;
/** After so many runs with fewer kills the rest is tried one by one, which costs less. */
const fewestKills = 2;
/** A test that takes longer than so many times the time of its file, and this beside, likely runs without end: it is tried alone. */
const patience = { times: 2, milliseconds: 2_500 };

/** What turns of one file are run with. */
interface Round {
  file: string;
  /** What the file takes without any mutant. */
  milliseconds: number;
  worker: WorkerProcess;
  /** Called for a mutant that stops the file, or spoils other tests: it costs too much here, and is tried alone later. */
  onSetAside: (mutant: MutantName) => void;
}

/**
 * Runs a test file with a few mutants for each of its tests, again and again with others, and tells which killed. A kill is
 * seen twice, the second time in a run in which all tests without a mutant pass: what one mutant left behind kills no other.
 */
export async function sweepFile({
  recording,
  isPending,
  onKilled,
  ...round
}: Omit<Round, 'milliseconds'> & {
  recording: Recording;
  /** Whether nothing killed the mutant yet. */
  isPending: (mutant: MutantName) => boolean;
  onKilled: (kill: Kill) => void;
}): Promise<void> {
  const run = { milliseconds: recording.milliseconds, ...round };
  const suspected = new Set<MutantName>();
  const plan = createTurnPlan(recording, (mutant) => isPending(mutant) && !suspected.has(mutant));
  let kills: number;
  do {
    const failing = await findFailing(plan, { suspected, run });
    kills = 0;
    for (const turns of shareOut(failing)) {
      for (const { test, mutants } of await confirm(turns, run)) {
        kills += 1;
        for (const mutant of mutants) onKilled({ test, ...mutant });
      }
    }
    suspected.clear();
  } while (kills >= fewestKills || plan.hasSuspects());
}

/** Tests that fail with a mutant, by whatever fault. Meanwhile the mutant is `suspected`. */
async function findFailing(
  plan: TurnPlan,
  { suspected, run }: { suspected: Set<MutantName>; run: Round },
): Promise<Turn[]> {
  const found: Turn[] = [];
  for (let count = 0; count < runsAtOnce; count += 1) {
    const fewest = plan.hasSuspects() ? 1 : fewestMutants;
    const turns = plan.next();
    if (turns.reduce((sum, { mutants }) => sum + mutants.length, 0) < fewest) break;
    for (const turn of await runAll(turns, run)) {
      plan.onFailed(turn);
      if (turn.mutants.length > 1) continue;
      found.push(turn);
      for (const mutant of turn.mutants) suspected.add(mutant);
    }
  }
  return found;
}

/** Those of the turns whose tests fail. */
async function runAll(turns: readonly Turn[], round: Round): Promise<Turn[]> {
  if (turns.length === 0) return [];
  const failures = await runTurns(turns, false, round);
  if (failures instanceof Set) return turns.filter(({ test }) => failures.has(test));
  // One of them stops everything, likely the one of the test that ran then.
  const stopping = turns.length === 1 ? turns[0] : turns.find(({ test }) => test === failures.test);
  if (stopping === undefined) return inHalves(turns, (half) => runAll(half, round));
  const isGroup = stopping.mutants.length > 1;
  if (!isGroup) for (const mutant of stopping.mutants) round.onSetAside(mutant);
  const others = turns.filter((turn) => turn !== stopping);
  return [...(isGroup ? [stopping] : []), ...(await runAll(others, round))];
}

/** Those that fail again, beside tests without a mutant that pass. */
async function confirm(turns: readonly Turn[], round: Round): Promise<readonly Turn[]> {
  const failures = await runTurns(turns, true, round);
  const own = new Set(turns.map(({ test }) => test));
  const isClean = failures instanceof Set && [...failures].every((test) => own.has(test));
  if (isClean) return turns.filter(({ test }) => failures.has(test));
  if (turns.length > 1) return inHalves(turns, (half) => confirm(half, round));
  for (const mutant of turns.flatMap(({ mutants }) => mutants)) round.onSetAside(mutant);
  return [];
}

/** Turns for each run: a test once, and each second one of those that failed, so that the others show what these leave behind. */
function shareOut(turns: readonly Turn[]): Turn[][] {
  const layers: Turn[][] = [];
  for (const turn of turns) {
    const layer = layers.find((other) => other.every(({ test }) => test !== turn.test));
    if (layer === undefined) layers.push([turn]);
    else layer.push(turn);
  }
  const halves = layers.flatMap((layer) => [0, 1].map((half) => layer.filter((_turn, index) => index % 2 === half)));
  return halves.filter((half) => half.length > 0);
}

async function inHalves(turns: readonly Turn[], action: (half: Turn[]) => Promise<readonly Turn[]>): Promise<Turn[]> {
  const middle = Math.ceil(turns.length / 2);
  return [...(await action(turns.slice(0, middle))), ...(await action(turns.slice(middle)))];
}

/** Names of the tests that failed, or why the file did not come to its end. */
async function runTurns(
  turns: readonly Turn[],
  withOthers: boolean,
  { file, milliseconds, worker }: Round,
): Promise<Set<string> | Pick<WorkerEnd, 'test'>> {
  const task = { kind: 'sweep', file, turns, withOthers } as const;
  const answer = await worker.run(task, milliseconds * patience.times + patience.milliseconds);
  if ('reason' in answer) return answer;
  return answer.failures === undefined ? {} : new Set(answer.failures);
}
