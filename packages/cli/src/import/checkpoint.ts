import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Place } from '../bundle/read-lines.ts';
import { readObject } from '../connection/send.ts';
import { StepError } from '../failures.ts';
import type { ItemKind } from './item.ts';
import type { ReportState } from './report.ts';

/** The import that a checkpoint is of. */
export interface ImportIdentity {
  /** The digest of the bundle. */
  bundle: string;
  issuer: string;
  options: Readonly<Record<string, unknown>>;
}

/** How far an import came. */
export interface Progress {
  /** Kinds before this one are done. */
  kind: ItemKind;
  from: Place;
  report: ReportState;
}

export type Checkpoint = ReturnType<typeof createCheckpoint>;

/** Keeps how far an import came in a file, if there is one. */
export function createCheckpoint(file: string | undefined, identity: ImportIdentity) {
  return {
    /** Undefined where an import begins. Throws a StepError where the file is of another import. */
    read(): Progress | undefined {
      const text = file === undefined ? undefined : readIfThere(file);
      if (text === undefined) return undefined;
      const { progress, ...kept } = (readObject(text) ?? {}) as Partial<ImportIdentity> & { progress?: Progress };
      const other = findOther(kept, identity);
      if (other !== undefined || progress === undefined) {
        throw new StepError('checkpoint', `${file} is of ${other ?? 'no import'}: name another file`);
      }
      return progress;
    },
    // A file of its own and a new name: a process that is killed leaves the one or the other whole.
    write(progress: Progress): void {
      if (file === undefined) return;
      const next = `${file}.${process.pid}`;
      try {
        writeFileSync(next, JSON.stringify({ ...identity, progress }), { mode: 0o600 });
        renameSync(next, file);
      } catch (error) {
        throw new StepError('checkpoint', `${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
      }
    },
    /** The import came to its end. */
    remove(): void {
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

function findOther(kept: Partial<ImportIdentity>, { bundle, issuer, options }: ImportIdentity): string | undefined {
  if (kept.bundle !== bundle) return 'another bundle';
  if (kept.issuer !== issuer) return 'an import at another server';
  return isDeepStrictEqual(kept.options, options) ? undefined : 'an import with other options';
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new StepError('checkpoint', `${file} cannot be read (${code})`);
  }
}
