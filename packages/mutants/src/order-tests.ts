import type { ChosenTests } from './choose-tests.ts';

/** One run of a test file with a mutant. */
export interface TestRun {
  file: string;
  milliseconds: number;
  killed: boolean;
}

/** What the order depends on of a mutant. */
export interface Sorted {
  source: string;
  atLoad: boolean;
}

/** Which test files to begin with, so that most mutants end with the first. */
export interface TestOrder {
  /**
   * Sorts the quickest first, as it was seen last. The time of a file is divided by its chance, which is its focus, or its share of
   * all kills where that is more, and by 1 and its kills in the same source file. What runs when modules load has kills of its own:
   * tests of the whole interface notice it, whose own tests run nothing of the module. A test of the same package has ten times the
   * chance of one that comes by from elsewhere, and one whose name has a word of the source file's path five times that of others.
   */
  sort(mutant: Sorted, chosen: readonly ChosenTests[]): ChosenTests[];
  onRun(mutant: Sorted, run: TestRun): void;
}

/** Chance of a file whose tests run nothing of the source file. */
const leastChance = 1e-4;
const ofOwnPackage = 10;
const ofOwnWord = 5;

/** `killers`: of mutants that died before. */
export function createTestOrder(killers: readonly (Sorted & { file: string })[]): TestOrder {
  const kills = new Map<string, number>();
  const seen = new Map<string, number>();
  const count = (key: string) => kills.get(key) ?? 0;
  const keyOf = (atLoad: boolean, file = '') => `${atLoad} ${file}`;
  const addKill = ({ source, atLoad }: Sorted, file: string) => {
    for (const key of [keyOf(atLoad), keyOf(atLoad, file), `${source} ${file}`]) kills.set(key, count(key) + 1);
  };
  for (const { file, ...mutant } of killers) addKill(mutant, file);
  const cost = ({ source, atLoad }: Sorted, { file, milliseconds, focus }: ChosenTests) => {
    const share = count(keyOf(atLoad, file)) / Math.max(1, count(keyOf(atLoad)));
    const chance = Math.max(focus, share, leastChance) * nearnessOf(file, source);
    return (seen.get(file) ?? milliseconds) / chance / (1 + count(`${source} ${file}`));
  };
  return {
    sort: (mutant, chosen) => [...chosen].sort((a, b) => cost(mutant, a) - cost(mutant, b)),
    onRun(mutant, { file, milliseconds, killed }) {
      seen.set(file, milliseconds);
      if (killed) addKill(mutant, file);
    },
  };
}

function nearnessOf(file: string, source: string): number {
  const words = new Set(wordsOf(source));
  const hasWord = wordsOf(file).some((word) => words.has(word));
  return (packageOf(file) === packageOf(source) ? ofOwnPackage : 1) * (hasWord ? ofOwnWord : 1);
}

/** Of the file's name, and of the folders below its package's `src` or `test`; a plural is its singular. */
function wordsOf(file: string): string[] {
  const words = file
    .replace(/(\.test)?\.ts$/, '')
    .split('/')
    .slice(3)
    .join('-')
    .split(/[-.]/);
  return words.map((word) => word.replace(/s$/, ''));
}

function packageOf(file: string): string {
  return file.split('/', 2).join('/');
}
