import { createWriteStream, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { StepError } from '../failures.ts';
import { formatTable } from '../output.ts';
import { type BundleHead, type BundleLine, type BundleSource, bundleVersion, longestLine } from './bundle-line.ts';

/** How many lines of each kind were written, and how many notes of each problem. */
export interface BundleSums {
  lines: Record<BundleLine['kind'], number>;
  notes: Record<string, number>;
}

/**
 * Writes a bundle that the user of the machine alone can read, compressed where its name ends with `.gz`. It holds hashes and secrets of
 * code apps, so a file that is there already is refused: others may be able to read it.
 */
export async function writeBundle(
  path: string,
  { source, now, lines }: { source: BundleSource; now: Date; lines: Iterable<BundleLine> | AsyncIterable<BundleLine> },
): Promise<BundleSums> {
  const sums: BundleSums = { lines: { user: 0, group: 0, client: 0, resource: 0, note: 0 }, notes: {} };
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let isOpen = false;
  file.once('open', () => {
    isOpen = true;
  });
  const head: BundleHead = { kind: 'bundle', version: bundleVersion, source, createdAt: now.toISOString() };
  const text = Readable.from(writeLines(head, lines, sums));
  try {
    await (path.endsWith('.gz') ? pipeline(text, createGzip(), file) : pipeline(text, file));
  } catch (error) {
    if (isOpen) rmSync(path, { force: true });
    throw toStepError(path, error);
  }
  return sums;
}

async function* writeLines(
  head: BundleHead,
  lines: Iterable<BundleLine> | AsyncIterable<BundleLine>,
  sums: BundleSums,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`;
  for await (const line of lines) {
    const text = JSON.stringify(line);
    if (Buffer.byteLength(text) <= longestLine) yield count(line, `${text}\n`, sums);
    else {
      const note = { kind: 'note', about: nameLine(line), problem: 'line_too_long' } as const;
      yield count(note, `${JSON.stringify(note)}\n`, sums);
    }
  }
}

function count(line: BundleLine, text: string, { lines, notes }: BundleSums): string {
  lines[line.kind] += 1;
  if (line.kind === 'note') notes[line.problem] = (notes[line.problem] ?? 0) + 1;
  return text;
}

/** The sums, for people. */
export function formatSums(path: string, { lines, notes }: BundleSums): string {
  const found = Object.entries(lines).filter(([kind, count]) => kind !== 'note' && count > 0);
  const problems = Object.entries(notes).sort(([one], [other]) => one.localeCompare(other));
  const rows = [
    ...found.map(([kind, count]) => [`${kind}s`, String(count)]),
    ...problems.map(([name, count]) => [`note ${name}`, String(count)]),
  ];
  return `${path}\n${formatTable(rows)}`;
}

function nameLine(line: BundleLine): string {
  if (line.kind === 'user') return `user ${line.username}`;
  if (line.kind === 'client') return `client ${line.client_id}`;
  return line.kind;
}

function toStepError(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof StepError) return error;
  const text = code === 'EEXIST' ? 'is there already: name a new file' : `cannot be written (${code})`;
  return new StepError('bundle', `${path} ${text}`);
}
