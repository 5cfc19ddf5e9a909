import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { StepError } from '../failures.ts';
import { objectOf, type SourceObject } from './source-value.ts';

/** V8 holds no text of 512 MB; half of that leaves room. */
export const largestFile = 256 * 1024 * 1024;

/** Drops a mark of bytes at the start. Names in another encoding would come with signs in place of their letters. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The files that a path names: itself, or the files with an ending in a folder, in order. */
export function listSources(path: string, ending: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => extname(name) === ending);
    return names.sort(compareNumbers).map((name) => join(path, name));
  } catch (error) {
    throw describeFault(path, error);
  }
}

/** Reads a file as UTF-8. Throws a StepError. */
export function readSource(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > largestFile) throw new StepError('files', `${path} is larger than 256 MiB: export it in several files`);
    return decodeUtf8(readFileSync(path), path);
  } catch (error) {
    throw describeFault(path, error);
  }
}

/** Throws a StepError that names where the bytes are from. */
export function decodeUtf8(bytes: Buffer, from: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new StepError('files', `${from} is not UTF-8: export it so`);
  }
}

/** Reads a file of JSON. Throws a StepError, which shows nothing of the file. */
export function readJsonSource(path: string): unknown {
  const text = readSource(path);
  try {
    return JSON.parse(text);
  } catch {
    throw new StepError('files', `${path} is no JSON`);
  }
}

/** The objects of a file that has one in each line (NDJSON). Throws a StepError that names the line. */
export function* readLines(path: string): Generator<SourceObject> {
  let line = 0;
  for (const [text] of readSource(path).matchAll(/[^\n]*\n?/g)) {
    line += 1;
    if (text.trim() === '') continue;
    try {
      yield objectOf(JSON.parse(text));
    } catch (error) {
      if (error instanceof SyntaxError) throw new StepError('files', `${path}:${line} is no JSON`);
      throw error;
    }
  }
}

/** Of `users-2.json` and `users-10.json` the former first. */
function compareNumbers(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function describeFault(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error : new StepError('files', `${path} cannot be read (${code})`);
}
