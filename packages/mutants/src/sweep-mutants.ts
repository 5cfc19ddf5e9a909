import type { Recordings } from './record-tests.ts';
import type { Reach } from './recorder.ts';
import type { Named } from './result.ts';
import type { Turn } from './sweep.ts';
import { sweepFile } from './sweep-file.ts';
import type { WorkerPool } from './worker-pool.ts';

interface Needs {
  recordings: Recordings;
  pool: WorkerPool;
  /** `milliseconds`: since the kill before. */
  onKilled: (killed: Named, by: { killer: string; test: string; milliseconds: number }) => void;
}

/**
 * Tries many mutants in each run of a test file, one in each of its tests. Most are killed so; those that are left, and those of
 * what runs when modules load, are to be tried one by one.
 */
export async function sweepMutants(mutants: readonly Named[], { recordings, pool, onKilled }: Needs): Promise<void> {
  const keyOf = ({ source, id }: Pick<Turn, 'source' | 'id'>) => `${source} ${id}`;
  const pending = new Map(
    mutants
      .filter(({ mutant }) => !mutant.atLoad)
      .map((swept) => [keyOf({ source: swept.source, id: swept.mutant.id }), swept]),
  );
  let before = performance.now();
  const isPending = (source: string, id: number) => pending.has(keyOf({ source, id }));
  await pool.forEach(sortFiles(recordings, isPending), async (file, worker) => {
    const recording = recordings.get(file);
    if (recording === undefined) return;
    const tried = new Set<string>();
    const nameOf = (turn: Turn) => `${keyOf(turn)} ${turn.test}`;
    const wanted = {
      isPending,
      isTried: (turn: Turn) => tried.has(nameOf(turn)),
      onTried: (turn: Turn) => void tried.add(nameOf(turn)),
    };
    const onTurnKilled = (turn: Turn) => {
      const killed = pending.get(keyOf(turn));
      if (killed === undefined) return;
      pending.delete(keyOf(turn));
      const now = performance.now();
      onKilled(killed, { killer: file, test: turn.test, milliseconds: Math.round(now - before) });
      before = now;
    };
    const onSetAside = (turn: Turn) => void pending.delete(keyOf(turn));
    await sweepFile({ file, recording, wanted, worker, onKilled: onTurnKilled, onSetAside });
  });
}

/** Files that come by many of the mutants in little time first. */
function sortFiles(recordings: Recordings, isPending: (source: string, id: number) => boolean): string[] {
  const countOf = (reach: Reach) =>
    Object.entries(reach).reduce((sum, [source, ids]) => sum + ids.filter((id) => isPending(source, id)).length, 0);
  const worths = [...recordings].map(([file, { tests, milliseconds }]) => {
    const chances = tests.reduce((sum, { reach }) => sum + countOf(reach), 0);
    return { file, worth: chances / milliseconds };
  });
  return worths
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth)
    .map(({ file }) => file);
}
