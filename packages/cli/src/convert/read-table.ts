import { StepError } from '../failures.ts';
import { readSource } from './read-source.ts';

/** A row of a table, by the names of its columns without regard to case; undefined where it has no value. */
export type Row = (column: string) => string | undefined;

/** A table that can be read several times. */
export interface Table extends Iterable<Row> {
  has(column: string): boolean;
}

/** Opens a table that has these columns. Throws a StepError where one of them is missing. */
export type OpenTable = (columns: readonly string[]) => Table;

/**
 * Reads a table whose first line has the names of the columns: CSV (RFC 4180), or the columns with tabs between that
 * `mysql --batch` prints. Throws a StepError where one of the columns is missing.
 */
export function readTable(path: string, columns: readonly string[]): Table {
  const text = readSource(path);
  const end = text.search(/[\r\n]|$/);
  const parse = text.slice(0, end).includes('\t') ? parseTabs : parseCommas;
  const [head = []] = parse(text, path);
  const indices = new Map(head.map((name, index) => [String(name).trim().toLowerCase(), index]));
  const has = (column: string) => indices.has(column.toLowerCase());
  requireColumns(`the first line of ${path}`, columns, has);
  return {
    has,
    *[Symbol.iterator]() {
      let isHead = true;
      for (const fields of parse(text, path)) {
        if (!isHead) yield (column) => fields[indices.get(column.toLowerCase()) ?? -1];
        isHead = false;
      }
    },
  };
}

export function requireColumns(of: string, columns: readonly string[], has: Table['has']): void {
  const missing = columns.find((column) => !has(column));
  if (missing !== undefined) throw new StepError('tables', `${of} has no column ${missing}`);
}

type Fields = (string | undefined)[];

/** An empty field, `NULL` and `\N` have no value, unless quotes are around them. */
function* parseCommas(text: string, path: string): Generator<Fields> {
  const field = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  let fields: Fields = [];
  while (field.lastIndex < text.length || fields.length > 0) {
    const at = field.lastIndex;
    const [, quoted, plain = '', end] = field.exec(text) ?? [];
    if (end === undefined) throw new StepError('files', `${path}:${countLines(text, at)} is no CSV`);
    fields.push(quoted === undefined ? findValue(plain) : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (fields.length > 1 || fields[0] !== undefined) yield fields;
    fields = [];
  }
}

const escapes: Record<string, string> = { n: '\n', t: '\t', '0': '\0', '\\': '\\', r: '\r' };

/** `mysql --batch` writes a backslash before what would end a field. */
function* parseTabs(text: string): Generator<Fields> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    yield line
      .split('\t')
      .map((field) => findValue(field)?.replace(/\\(.)/g, (_all, letter: string) => escapes[letter] ?? letter));
  }
}

function findValue(text: string): string | undefined {
  return text === '' || text === 'NULL' || text === '\\N' ? undefined : text;
}

function countLines(text: string, end: number): number {
  return text.slice(0, end).split('\n').length;
}

/** A flag as databases write it. A column of bits has the byte itself. */
export function isTrue(value: string | undefined): boolean {
  return ['1', 'true', 't', 'yes', 'y', '\u0001'].includes(value?.toLowerCase() ?? '');
}

/** A list that stands in one column. */
export function splitList(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** RFC 3339 of a time that a database writes without a zone, which is UTC; undefined for anything else. */
export function findInstant(value: string | undefined): string | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(value ?? '') ?? [];
  const instant = new Date(`${date}T${time}Z`);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}
