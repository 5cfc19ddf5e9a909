import type { Recording } from './recorder.ts';
import type { TrialTask } from './trial.ts';

/** A request to a worker. */
export type WorkerTask = { kind: 'record'; file: string } | ({ kind: 'try'; file: string } & TrialTask);

export interface WorkerAnswer {
  /** Of a recording; undefined: a test of the file fails without any mutant. */
  recording?: Recording;
  /** Of a trial: whether anything of the file failed. */
  failed?: boolean;
  /** Memory of the worker, in bytes. */
  memory: number;
}
