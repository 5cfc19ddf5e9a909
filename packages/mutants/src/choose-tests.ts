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
}

/**
 * Test files with tests that come by a mutant. What runs when its module loads is noticed by the tests in which anything of the
 * module runs, or before which anything of it ran, as where a service starts with a schema. Pure.
 */
export function chooseTests(source: string, { id, atLoad }: Mutant, recordings: Recordings): ChosenTests[] {
  const comesBy = (reach: Reach) => reach[source]?.includes(id) ?? false;
  return listReaching(recordings, ({ outside, tests }) => {
    if (!atLoad) return comesBy(outside) ? tests : tests.filter(({ reach }) => comesBy(reach));
    const ofModule = tests.filter(({ reach }) => source in reach);
    return ofModule.length === 0 && source in outside ? tests : ofModule;
  });
}

function listReaching(recordings: Recordings, choose: (recording: Recording) => Recording['tests']): ChosenTests[] {
  const chosen: ChosenTests[] = [];
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
