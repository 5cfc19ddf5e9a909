import type { Recording } from './recorder.ts';
import type { Turn } from './sweep.ts';

/** Turns that were taken, and mutants of which no more are wanted. */
export interface Wanted {
  /** Whether the mutant is one that nothing killed yet. */
  isPending(source: string, id: number): boolean;
  isTried(turn: Turn): boolean;
}

/**
 * Gives tests of one file a mutant each that they come by, those mutants first that few tests come by. What runs outside of
 * tests is left out: there the mutant would be on for a part of what it changes. Pure.
 */
export function planTurns({ tests, outside }: Recording, wanted: Wanted): Turn[] {
  const names = tests.map(({ name }) => name);
  const single = tests.filter(({ name }) => names.indexOf(name) === names.lastIndexOf(name));
  const chances = new Map<string, Turn[]>();
  // Tests that come by little show more of it.
  for (const { name, reach } of single.sort((a, b) => sizeOf(a.reach) - sizeOf(b.reach))) {
    for (const [source, ids] of Object.entries(reach)) {
      const elsewhere = new Set(outside[source]);
      for (const id of ids) {
        const turn = { test: name, source, id };
        if (!wanted.isPending(source, id) || elsewhere.has(id) || wanted.isTried(turn)) continue;
        const key = `${source} ${id}`;
        chances.set(key, [...(chances.get(key) ?? []), turn]);
      }
    }
  }
  return chooseTurns([...chances.values()]);
}

function chooseTurns(chances: readonly Turn[][]): Turn[] {
  const taken = new Map<string, Turn>();
  for (const turns of [...chances].sort((a, b) => a.length - b.length)) {
    const turn = turns.find(({ test }) => !taken.has(test));
    if (turn !== undefined) taken.set(turn.test, turn);
  }
  return [...taken.values()];
}

function sizeOf(reach: Recording['tests'][number]['reach']): number {
  return Object.values(reach).reduce((sum, ids) => sum + ids.length, 0);
}
