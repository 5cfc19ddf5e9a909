import type { Recording } from './recorder.ts';
import type { Turn } from './sweep.ts';

/** What a worker is asked. */
export type WorkerTask =
  | { kind: 'record'; file: string }
  | { kind: 'try'; file: string; source: string; id: number; tests: readonly string[] | undefined }
  | { kind: 'sweep'; file: string; turns: readonly Turn[]; withOthers: boolean };

/** What it answers. */
export interface WorkerAnswer {
  /** Of a recording; undefined: a test of the file fails without any mutant. */
  recording?: Recording;
  /** Of a trial: whether anything of the file failed, and the test that did, where it was one. */
  failed?: boolean;
  test?: string;
  /** Of a sweep: the tests that failed; undefined where the file failed as a whole. */
  failures?: string[];
  /** Memory of the worker, in bytes. */
  memory: number;
}

/** What it says meanwhile: which test of a sweep runs; none between two tests. */
export interface WorkerProgress {
  running: string | null;
}

/** Why it does not answer. */
export interface WorkerEnd {
  /** `timeout`: it said nothing for too long, or took too long; `ended`: its process ended. */
  reason: 'timeout' | 'ended';
  /** The test that ran then, or the first slow one of a sweep that took too long as a whole. */
  test?: string;
}
