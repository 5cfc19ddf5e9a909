import { stringify } from 'yaml';
import { toTerminalText } from './terminal-text.ts';

/** Where a command writes. Its result goes to stdout, all else to stderr. */
export interface Output {
  /** The result. `text`: how people read it; YAML where left out, nothing where it is empty. With `--output json` it is the document, alone. */
  print(document: unknown, text?: string): void;
  /** News of what happens meanwhile; nothing with `--quiet`. */
  note(text: string): void;
  /** A text that the user must read to go on, with `--quiet` too. */
  ask(text: string): void;
}

type Write = (text: string) => void;

export function createOutput(
  { json, quiet }: { json: boolean; quiet: boolean },
  out: Write = (text) => process.stdout.write(text),
  error: Write = (text) => process.stderr.write(text),
): Output {
  const ask = (text: string) => error(`${toTerminalText(text)}\n`);
  return {
    print(document, text = stringify(document, { lineWidth: 0 }).trimEnd()) {
      const written = toTerminalText(json ? JSON.stringify(document, null, 2) : text);
      if (written !== '') out(`${written}\n`);
    },
    note: quiet ? () => undefined : ask,
    ask,
  };
}

/** A table of texts, each column as wide as its longest text. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const printed = rows.map((row) => row.map(toTerminalText));
  const widths = printed.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(cell.length, widest[index] ?? 0)),
    [],
  );
  return printed
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
