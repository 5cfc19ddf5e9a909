import type { ServiceEvent } from './service-event.ts';

const columns = [
  'time',
  'service',
  'type',
  'outcome',
  'reason',
  'actor',
  'subject',
  'client',
  'address',
  'request',
  'details',
] as const;

/** RFC 4180; a cell that a spreadsheet would take for a formula is made a text. */
export function toCsv(events: readonly ServiceEvent[]): string {
  const rows = events.map((event) =>
    columns.map((column) => {
      if (column === 'actor' || column === 'subject') return event[column]?.name ?? event[column]?.id ?? '';
      return column === 'details' ? JSON.stringify(event.details) : (event[column] ?? '');
    }),
  );
  return [columns, ...rows].map((cells) => `${cells.map(quoteCell).join(',')}\r\n`).join('');
}

function quoteCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
