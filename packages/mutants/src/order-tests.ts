import type { ChosenTests } from './choose-tests.ts';

/** One run of a test file with a mutant. */
export interface TestRun {
  file: string;
  milliseconds: number;
  killed: boolean;
}

/** Which test files to begin with, so that most mutants end with the first. */
export interface TestOrder {
  /**
   * Sorts the quickest first, as it was seen last, those that only load the module behind all others. The time of a file is divided
   * by its focus, and by 1, its kills in the same source file and a hundredth of its kills in all, together.
   */
  sort(source: string, chosen: readonly ChosenTests[]): ChosenTests[];
  onRun(source: string, run: TestRun): void;
}

/** Of a file whose tests run nothing of the source file. */
const leastFocus = 1e-4;

/** `killers`: of mutants that died before. */
export function createTestOrder(killers: readonly { source: string; file: string }[]): TestOrder {
  const kills = new Map<string, number>();
  const seen = new Map<string, number>();
  const count = (key: string) => kills.get(key) ?? 0;
  const addKill = (source: string, file: string) => {
    for (const key of [file, `${source} ${file}`]) kills.set(key, count(key) + 1);
  };
  for (const { source, file } of killers) addKill(source, file);
  const cost = (source: string, { file, milliseconds, focus }: ChosenTests) =>
    (seen.get(file) ?? milliseconds) /
    Math.max(focus, leastFocus) /
    (1 + count(`${source} ${file}`) + count(file) / 100);
  return {
    sort: (source, chosen) =>
      [...chosen].sort(
        (a, b) => Number(a.onlyLoads ?? 0) - Number(b.onlyLoads ?? 0) || cost(source, a) - cost(source, b),
      ),
    onRun(source, { file, milliseconds, killed }) {
      seen.set(file, milliseconds);
      if (killed) addKill(source, file);
    },
  };
}
