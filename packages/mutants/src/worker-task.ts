import type { Recording } from './recorder.ts';

/** What a worker is asked. */
export type WorkerTask =
  | { kind: 'record'; file: string }
  | { kind: 'try'; file: string; source: string; id: number; tests: readonly string[] | undefined };

/** What it answers. */
export interface WorkerAnswer {
  /** Of a recording; undefined: a test of the file fails without any mutant. */
  recording?: Recording;
  /** Of a trial: whether anything of the file failed, and the test that did, where it was one. */
  failed?: boolean;
  test?: string;
  /** Memory of the worker, in bytes. */
  memory: number;
}
