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
  /** The tests run nothing of the mutant's module; it loads before them, and what starts before them may use it. */
  onlyLoads?: true;
}

/**
 * Test files with tests that come by a mutant. What runs when its module loads is noticed by the tests in which anything of the
 * module runs, and maybe by those of a file that only loads it, as where a service starts with a schema before them. Pure.
 */
export function chooseTests(source: string, { id, atLoad }: Mutant, recordings: Recordings): ChosenTests[] {
  const comesBy = (reach: Reach) => reach[source]?.includes(id) ?? false;
  if (!atLoad) {
    return listReaching(recordings, ({ outside, tests }) =>
      comesBy(outside) ? tests : tests.filter(({ reach }) => comesBy(reach)),
    );
  }
  const running = listReaching(recordings, ({ tests }) => tests.filter(({ reach }) => source in reach));
  const files = new Set(running.map(({ file }) => file));
  const loading = listReaching(recordings, ({ outside, tests }) => (source in outside ? tests : []));
  const onlyLoading = loading.filter(({ file }) => !files.has(file));
  return [...running, ...onlyLoading.map((chosen) => ({ ...chosen, onlyLoads: true as const }))];
}

function listReaching(
  recordings: Recordings,
  choose: (recording: Recording) => Recording['tests'],
): Omit<ChosenTests, 'onlyLoads'>[] {
  const chosen: Omit<ChosenTests, 'onlyLoads'>[] = [];
  for (const [file, recording] of recordings) {
    const tests = choose(recording);
    if (tests.length === 0) continue;
    const all = tests.length === recording.tests.length;
    chosen.push({
      file,
      tests: all ? undefined : tests.map(({ name }) => name),
      milliseconds: timeOf(tests, recording),
    });
  }
  return chosen;
}

/** Loading included, which is what a file takes apart from its tests. */
function timeOf(chosen: Recording['tests'], { milliseconds, tests }: Recording): number {
  const sum = (list: Recording['tests']) => list.reduce((total, test) => total + test.milliseconds, 0);
  return Math.round(milliseconds - sum(tests) + sum(chosen));
}
