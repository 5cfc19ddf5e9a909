import type { Recordings } from './record-tests.ts';
import type { Reach, Recording } from './recorder.ts';
import type { Mutant } from './syntax/mutant.ts';

/** Tests of one file that come by a mutant. */
export interface ChosenTests {
  file: string;
  /** Undefined: all, because the mutant runs outside of them. */
  tests: string[] | undefined;
  /** Their time without any mutant. */
  milliseconds: number;
}

/**
 * Test files with tests that come by a mutant: those of the same package first, the quickest of these first. Any test of a file
 * that loads a module may notice what runs when the module loads. Pure.
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
    });
  }
  const distanceOf = (file: string) => (packageOf(file) === packageOf(source) ? 0 : 1);
  return chosen.sort((a, b) => distanceOf(a.file) - distanceOf(b.file) || a.milliseconds - b.milliseconds);
}

/** Loading included, which a file takes apart from its tests. */
function timeOf(chosen: Recording['tests'], { milliseconds, tests }: Recording): number {
  const sum = (list: Recording['tests']) => list.reduce((total, test) => total + test.milliseconds, 0);
  return Math.round(milliseconds - sum(tests) + sum(chosen));
}

function packageOf(file: string): string {
  return file.split('/', 2).join('/');
}
