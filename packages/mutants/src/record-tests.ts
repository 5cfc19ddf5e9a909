import type { createCache } from './cache.ts';
import type { Recording } from './recorder.ts';
import { hashFiles, hashSources } from './test-files.ts';
import type { WorkerProcess } from './worker-process.ts';

/** By test file; a file that fails without any mutant is not there. */
export type Recordings = ReadonlyMap<string, Recording>;

interface Kept {
  hash: string;
  recording: Recording;
}

interface Needs {
  cache: ReturnType<typeof createCache>;
  worker: WorkerProcess;
  note: (text: string) => void;
}

/** Longest time of one test file, in milliseconds. */
const longestFile = 300_000;

/** Runs each test file once, without any mutant, and notes the places that its tests run. A file that did not change since is known. */
export async function recordTests(files: readonly string[], { cache, worker, note }: Needs): Promise<Recordings> {
  const sources = hashSources();
  const recordings = new Map<string, Recording>();
  for (const file of files) {
    const hash = sources + hashFiles([file]);
    const kept = cache.read<Kept>(file);
    if (kept?.hash !== hash) note(`recording ${file}`);
    const recording = kept?.hash === hash ? kept.recording : await record(file, worker);
    if (recording === undefined) {
      note(`${file} fails twice without any mutant: it is left out`);
      continue;
    }
    recordings.set(file, recording);
    cache.write(file, { hash, recording } satisfies Kept);
  }
  return recordings;
}

async function record(file: string, worker: WorkerProcess): Promise<Recording | undefined> {
  const task = { kind: 'record', file } as const;
  const first = await worker.run(task, longestFile);
  return first?.recording ?? (await worker.run(task, longestFile))?.recording;
}
