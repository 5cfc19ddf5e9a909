import { type Line, type Place, readLines } from '../bundle/read-lines.ts';
import { readObject } from '../connection/send.ts';
import { conclude, type Item, type ItemKind, itemKinds, type Outcome } from './item.ts';

/** Lines of one kind, and lines of no kind between them, which are told as they are. */
export interface Batch {
  items: Item[];
  told: Outcome[];
  /** Where the next batch begins. */
  end: Place;
}

interface Reading {
  kind: ItemKind;
  /** Whether this pass tells of notes, and of lines that are no object. */
  tellsOthers: boolean;
  from: Place;
  mostLines: number;
}

/** Bytes: of the 1 MiB that a request may have, hashes that are wrapped take more than they did in the file. */
const mostBytes = 960 * 1024;

/** Reads the lines of one kind. */
export async function* readBatches(path: string, reading: Reading): AsyncGenerator<Batch> {
  let batch: Batch = { items: [], told: [], end: reading.from };
  let bytes = 0;
  for await (const line of readLines(path, reading.from)) {
    const found = findMeaning(line, reading);
    if (found === undefined) continue;
    const size = 'text' in found ? Buffer.byteLength(found.text) + 1 : 0;
    if (bytes + size > mostBytes || batch.items.length + batch.told.length >= reading.mostLines) {
      yield batch;
      batch = { items: [], told: [], end: batch.end };
      bytes = 0;
    }
    if ('text' in found) batch.items.push(found);
    else batch.told.push(found);
    batch.end = line.end;
    bytes += size;
  }
  if (batch.items.length + batch.told.length > 0) yield batch;
}

/** Undefined where this pass has nothing to do with the line. */
function findMeaning({ text = '', fault, end: { line } }: Line, reading: Reading): Item | Outcome | undefined {
  const isHead = line === 1;
  if (isHead || (text.trim() === '' && fault === undefined)) return undefined;
  // The usual form of a line. Spares the reading of all lines in each pass.
  const written = /^\{"kind":"(\w+)"/.exec(text)?.[1];
  if (written !== undefined && written !== reading.kind && isPassedOver(written, reading)) return undefined;
  const members = readObject(text);
  const kind = written ?? members?.kind;
  if (kind === reading.kind) {
    const item = { kind: reading.kind, line, text, members: members ?? {} };
    return members === undefined ? conclude(item, 'refused', [{ field: 'line', detail: 'must be JSON' }]) : item;
  }
  if (isPassedOver(kind, reading)) return undefined;
  if (members === undefined) return refuseLine(line, 'line', fault ?? 'must be a JSON object');
  if (kind === 'note') return passNote(line, members);
  return refuseLine(line, 'kind', `must be one of ${[...itemKinds, 'note'].join(', ')}`);
}

/** Lines of another kind have a pass of their own, or none. */
function isPassedOver(kind: unknown, { tellsOthers }: Reading): boolean {
  return !tellsOthers || itemKinds.some((known) => known === kind);
}

function refuseLine(line: number, field: string, detail: string): Outcome {
  return { line, kind: 'line', about: 'line', result: 'refused', problems: [{ field, detail }] };
}

function passNote(line: number, { about, problem, value }: Record<string, unknown>): Outcome {
  const [told, field, detail] = [about, problem, value].map((text) => (typeof text === 'string' ? text : ''));
  return {
    ...{ line, kind: 'note', about: told ?? '', result: 'note' },
    problems: [{ field: field ?? '', detail: detail ?? '' }],
  };
}
