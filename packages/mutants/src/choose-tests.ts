import type { Recordings } from './record-tests.ts';
import type { Reach, Recording } from './recorder.ts';
import type { Mutant } from './syntax/mutant.ts';

/** Tests of one file that come by a mutant. */
export interface ChosenTests {
  file: string;
  /** Undefined: all, as it runs outside of them. */
  tests: string[] | undefined;
  /** What they take without any mutant. */
  milliseconds: number;
  /** Of what the file's tests run, the share that is in the mutant's source file: much in a test of this rule alone. */
  focus: number;
}

/**
 * Test files with tests that come by a mutant. What runs when its module loads may be noticed by any test of a file that loads it:
 * a function that gives a list runs no place of a mutant, and a service starts with a schema before all tests. Pure.
 */
export function chooseTests(source: string, { id, atLoad }: Mutant, recordings: Recordings): ChosenTests[] {
  const comesBy = (reach: Reach) => reach[source]?.includes(id) ?? false;
  if (!atLoad) {
    return listReaching(source, recordings, ({ outside, tests }) =>
      comesBy(outside) ? tests : tests.filter(({ reach }) => comesBy(reach)),
    );
  }
  return listReaching(source, recordings, ({ outside, tests }) =>
    source in outside || tests.some(({ reach }) => source in reach) ? tests : [],
  );
}

function listReaching(
  source: string,
  recordings: Recordings,
  choose: (recording: Recording) => Recording['tests'],
): ChosenTests[] {
  const chosen: ChosenTests[] = [];
  for (const [file, recording] of recordings) {
    const tests = choose(recording);
    if (tests.length === 0) continue;
    const all = tests.length === recording.tests.length;
    chosen.push({
      file,
      tests: all ? undefined : tests.map(({ name }) => name),
      milliseconds: timeOf(tests, recording),
      focus: focusOf(source, recording),
    });
  }
  return chosen;
}

/** Recordings are large, and asked for each mutant. */
const counts = new WeakMap<Recording, ReadonlyMap<string, number>>();

function focusOf(source: string, recording: Recording): number {
  const known = counts.get(recording) ?? countRun(recording);
  counts.set(recording, known);
  const all = [...known.values()].reduce((sum, count) => sum + count, 0);
  return (known.get(source) ?? 0) / Math.max(1, all);
}

/** How many mutants of each source file the tests come by, each once. */
function countRun({ tests }: Recording): ReadonlyMap<string, number> {
  const run = new Map<string, Set<number>>();
  for (const [source, ids] of tests.flatMap(({ reach }) => Object.entries(reach))) {
    const found = run.get(source) ?? new Set();
    run.set(source, found);
    for (const id of ids) found.add(id);
  }
  return new Map([...run].map(([source, ids]) => [source, ids.size]));
}

/** Loading included, which is what a file takes apart from its tests. */
function timeOf(chosen: Recording['tests'], { milliseconds, tests }: Recording): number {
  const sum = (list: Recording['tests']) => list.reduce((total, test) => total + test.milliseconds, 0);
  return Math.round(milliseconds - sum(tests) + sum(chosen));
}
