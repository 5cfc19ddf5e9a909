import type { ChosenTests } from './choose-tests.ts';

/** The quickest first, but a file that killed mutants of the same source file counts as quicker by as many. */
export interface TestOrder {
  sort(source: string, chosen: readonly ChosenTests[]): ChosenTests[];
  onKill(source: string, killer: string): void;
}

export function createTestOrder(): TestOrder {
  const kills = new Map<string, number>();
  const cost = (source: string, { file, milliseconds }: ChosenTests) =>
    milliseconds / (1 + (kills.get(`${source} ${file}`) ?? 0));
  return {
    sort: (source, chosen) => [...chosen].sort((a, b) => cost(source, a) - cost(source, b)),
    onKill(source, killer) {
      const key = `${source} ${killer}`;
      kills.set(key, (kills.get(key) ?? 0) + 1);
    },
  };
}
