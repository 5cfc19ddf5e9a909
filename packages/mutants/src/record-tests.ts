import type { Cache } from './cache.ts';
import type { Recording } from './recorder.ts';
import { hashFiles, hashSources } from './test-files.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { WorkerProcess } from './worker-process.ts';

/** By test file; a file that fails without any mutant is not there. */
export type Recordings = ReadonlyMap<string, Recording>;

interface Kept {
  hash: string;
  recording: Recording;
}

/** Longest time of one test file, in milliseconds. */
const longestFile = 300_000;

/** Runs each test file once, without any mutant, and notes what its tests run: those that did not change since are known. */
export async function recordTests(
  files: readonly string[],
  { cache, pool, note }: { cache: Cache; pool: WorkerPool; note: (text: string) => void },
): Promise<Recordings> {
  const sources = hashSources();
  const recordings = new Map<string, Recording>();
  await pool.forEach(files, async (file, worker) => {
    const hash = sources + hashFiles([file]);
    const kept = cache.read<Kept>(file);
    if (kept?.hash === hash) {
      recordings.set(file, kept.recording);
      return;
    }
    note(`recording ${file}`);
    const recording = (await record(file, worker)) ?? (await record(file, worker));
    if (recording === undefined) note(`${file} fails twice without any mutant: it is left out`);
    else recordings.set(file, recording);
    if (recording !== undefined) cache.write(file, { hash, recording } satisfies Kept);
  });
  return recordings;
}

async function record(file: string, worker: WorkerProcess): Promise<Recording | undefined> {
  const answer = await worker.run({ kind: 'record', file }, longestFile);
  return 'reason' in answer ? undefined : answer.recording;
}
