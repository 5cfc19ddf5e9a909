import type { Watch } from './watch.ts';

/** The parts of the source files that ran: their names, and the numbers of the mutants. */
export type Reach = Readonly<Record<string, readonly number[]>>;

/** The mutants that one test file runs, without any mutant being on. */
export interface Recording {
  /** Time of the whole file, loading included. */
  milliseconds: number;
  /** The mutants that run outside of its tests: when the modules load, and before and after all tests. */
  outside: Reach;
  tests: readonly { name: string; milliseconds: number; reach: Reach }[];
}

export interface Recorder extends Watch {
  read(milliseconds: number): Recording;
}

/** Notes by which mutants each test comes. */
export function createRecorder(): Recorder {
  const tests: { name: string; milliseconds: number; reach: Reach }[] = [];
  let current = new Map<string, Set<number>>();
  const outside = new Map<string, Set<number>>();
  const take = (): Reach => {
    const reach = Object.fromEntries([...current].map(([source, ids]) => [source, [...ids]]));
    current = new Map();
    return reach;
  };
  return {
    ask: (source) => (id) => {
      add(current, source, [id]);
      return false;
    },
    /** Asked before each test: what ran until then belongs to none. */
    isWanted: () => {
      for (const [source, ids] of Object.entries(take())) add(outside, source, ids);
      return true;
    },
    onTestDone: (name, milliseconds) => tests.push({ name, milliseconds, reach: take() }),
    read: (milliseconds) => {
      for (const [source, ids] of Object.entries(take())) add(outside, source, ids);
      const all = Object.fromEntries([...outside].map(([source, ids]) => [source, [...ids]]));
      return { milliseconds, outside: all, tests };
    },
  };
}

function add(reach: Map<string, Set<number>>, source: string, ids: readonly number[]): void {
  const known = reach.get(source) ?? new Set();
  reach.set(source, known);
  for (const id of ids) known.add(id);
}
