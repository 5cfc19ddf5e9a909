import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { StepError } from '../failures.ts';
import type { Place } from './project.ts';

/** A file of a project, read. */
export interface ProjectFile {
  path: string;
  content: unknown;
  /** Where a value stands, by the names and indices that lead to it. */
  placeOf(path: readonly (string | number)[]): Place;
}

const endings = ['.yaml', '.yml', '.json'];
const longest = 5 * 1024 * 1024;

/** Reads files, and all files of folders, in order. Throws a StepError that names file and line. */
export function readFiles(paths: readonly string[]): ProjectFile[] {
  return paths.flatMap(listFiles).map(readOne);
}

function listFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const found = readdirSync(path).filter((name) => endings.includes(extname(name)));
    return found.sort().map((name) => join(path, name));
  } catch (error) {
    throw new StepError('files', `${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function readOne(path: string): ProjectFile {
  const bytes = readFileSync(path);
  if (bytes.length > longest) throw new StepError('files', `${path} is longer than 5 MiB`);
  const lineCounter = new LineCounter();
  // The core schema knows no tag beyond JSON; anchors are those of this file.
  const document = parseDocument(bytes.toString(), { version: '1.2', schema: 'core', lineCounter, customTags: [] });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const [text = ''] = fault.message.split('\n');
    throw new StepError(
      'files',
      `${path}:${lineCounter.linePos(fault.pos[0]).line}: ${text.replace(/ at line .*/, '')}`,
    );
  }
  return {
    path,
    content: document.toJS({ maxAliasCount: 100 }),
    placeOf(way) {
      const node = document.getIn(way, true) as { range?: [number] } | undefined;
      return { file: path, line: lineCounter.linePos(node?.range?.[0] ?? 0).line };
    },
  };
}

export function fault({ file, line }: Place, text: string, step = 'files'): StepError {
  return new StepError(step, `${file}:${line}: ${text}`);
}
