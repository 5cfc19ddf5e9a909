import { type Row, type Summary, summarize } from '../measurement/sample.ts';
import { spread } from '../measurement/statistics.ts';

const headings = ['', 'req/s', 'min–max', 'ratio', 'CPU µs', 'p50 ms', 'p99 ms', 'MB', 'errors'];

/** The rows of one case as a Markdown table; ratios are to the row called `reference`. */
export function buildTable(rows: readonly Row[], reference: string): string {
  const referenceRow = rows.find(({ variant }) => variant === reference);
  const base = referenceRow === undefined ? undefined : summarize(referenceRow);
  const cells = rows.map((row) => [row.variant, ...buildCells(summarize(row), base)]);
  return formatColumns([headings, ...cells]);
}

function buildCells(summary: Summary, base: Summary | undefined): string[] {
  const { perSecond, rates, cpuMicros, p50, p99, residentMb, failures } = summary;
  if (summary.void) return ['void', '', '', '', '', '', '', String(failures)];
  const { below, above } = spread(rates);
  const ratio = base === undefined || base.void ? '' : (perSecond / base.perSecond).toFixed(2);
  return [
    formatCount(perSecond),
    `${below} … +${above} %`,
    ratio,
    cpuMicros === undefined ? '' : formatCount(cpuMicros),
    p50.toFixed(1),
    p99.toFixed(1),
    residentMb === undefined ? '' : formatCount(residentMb),
    '0',
  ];
}

/** Aligns the first column left and numbers right, with widths that also read well as plain text. */
export function formatColumns([head = [], ...body]: readonly string[][]): string {
  const widths = head.map((heading, column) =>
    Math.max(3, ...[head, ...body].map((row) => row[column]?.length ?? 0), heading.length),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}

/** Writes 12,300: a whole number, from 1,000 on in tens, because further digits differ from run to run. */
export function formatCount(value: number): string {
  return (value >= 1_000 ? Math.round(value / 10) * 10 : Math.round(value)).toLocaleString('en');
}
