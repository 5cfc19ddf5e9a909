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
  const choose = ({ outside, tests }: Recording) => {
    if (atLoad) return source in outside || tests.some(({ reach }) => source in reach) ? tests : [];
    return comesBy(outside) ? tests : tests.filter(({ reach }) => comesBy(reach));
  };
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
const shares = new WeakMap<Recording, ReadonlyMap<string, number>>();

function focusOf(source: string, recording: Recording): number {
  const known = shares.get(recording) ?? measureShares(recording);
  shares.set(recording, known);
  return known.get(source) ?? 0;
}

/** Of the mutants that the tests come by, each once, the share of each source file. */
function measureShares({ tests }: Recording): ReadonlyMap<string, number> {
  const run = new Map<string, Set<number>>();
  for (const [source, ids] of tests.flatMap(({ reach }) => Object.entries(reach))) {
    const found = run.get(source) ?? new Set();
    run.set(source, found);
    for (const id of ids) found.add(id);
  }
  const all = [...run.values()].reduce((sum, ids) => sum + ids.size, 0);
  return new Map([...run].map(([source, ids]) => [source, ids.size / all]));
}

/** Loading included, which is what a file takes apart from its tests. */
function timeOf(chosen: Recording['tests'], { milliseconds, tests }: Recording): number {
  const sum = (list: Recording['tests']) => list.reduce((total, test) => total + test.milliseconds, 0);
  return Math.round(milliseconds - sum(tests) + sum(chosen));
}
