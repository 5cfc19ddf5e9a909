import { planTurns, type Wanted } from './plan-turns.ts';
import type { Recording } from './recorder.ts';
import type { Turn } from './sweep.ts';
import type { WorkerProcess } from './worker-process.ts';
import type { WorkerEnd } from './worker-task.ts';

/** A round with fewer turns is not worth it: their mutants are tried one by one. */
const fewestTurns = 4;
/** After a round with fewer kills the rest is tried one by one, which costs less. */
const fewestKills = 2;
/** A test that takes longer than so many times the time of its file, and this beside, likely runs without end: it is tried alone. */
const patience = { times: 2, milliseconds: 2_500 };

/** What turns of one file are run with. */
interface Round {
  file: string;
  /** What the file takes without any mutant. */
  milliseconds: number;
  worker: WorkerProcess;
  /** Called for a turn that stops the file, or spoils other tests: it costs too much here, and is tried alone later. */
  onSetAside: (turn: Turn) => void;
}

/**
 * Runs a test file with a mutant for each of its tests, again and again with others, and tells which turns killed. A kill is
 * seen twice, the second time in a run in which all tests without a mutant pass: what one mutant left behind kills no other.
 */
export async function sweepFile({
  recording,
  wanted,
  onKilled,
  ...round
}: Omit<Round, 'milliseconds'> & {
  recording: Recording;
  wanted: Wanted & { onTried(turn: Turn): void };
  onKilled: (turn: Turn) => void;
}): Promise<void> {
  const run = { milliseconds: recording.milliseconds, ...round };
  let kills: number;
  do {
    const turns = planTurns(recording, wanted);
    if (turns.length < fewestTurns) return;
    for (const turn of turns) wanted.onTried(turn);
    const failing = await findFailing(turns, run);
    kills = 0;
    // Each second one, so that the tests of the others show what these leave behind.
    for (const half of [0, 1]) {
      const own = failing.filter((_turn, index) => index % 2 === half);
      for (const turn of await confirm(own, run)) {
        kills += 1;
        onKilled(turn);
      }
    }
  } while (kills >= fewestKills);
}

/** Turns whose tests fail, by whatever fault. */
async function findFailing(turns: readonly Turn[], round: Round): Promise<Turn[]> {
  if (turns.length === 0) return [];
  const failures = await runTurns(turns, false, round);
  if (failures instanceof Set) return turns.filter(({ test }) => failures.has(test));
  // One of them stops everything, likely the one of the test that ran then.
  const stopping = turns.length === 1 ? turns[0] : turns.find(({ test }) => test === failures.test);
  if (stopping === undefined) return inHalves(turns, (half) => findFailing(half, round));
  round.onSetAside(stopping);
  const others = turns.filter((turn) => turn !== stopping);
  return findFailing(others, round);
}

/** Those that fail again, beside tests without a mutant that pass. */
async function confirm(turns: readonly Turn[], round: Round): Promise<Turn[]> {
  const [first] = turns;
  if (first === undefined) return [];
  const failures = await runTurns(turns, true, round);
  const own = new Set(turns.map(({ test }) => test));
  const isClean = failures instanceof Set && [...failures].every((test) => own.has(test));
  if (isClean) return turns.filter(({ test }) => failures.has(test));
  if (turns.length > 1) return inHalves(turns, (half) => confirm(half, round));
  round.onSetAside(first);
  return [];
}

async function inHalves(turns: readonly Turn[], action: (half: Turn[]) => Promise<Turn[]>): Promise<Turn[]> {
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
