import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../src/api/auth-server.ts';
import { toCsv } from '../src/events/csv.ts';
import { mergePages } from '../src/parts/merge-pages.ts';

const event: AuditEvent = {
  ...{ id: '01', time: '2026-01-01T00:00:01.000Z', type: 'client.changed', outcome: 'succeeded' },
  ...{ actor: { kind: 'user', name: 'admin@example.com' }, details: {} },
};
const page = (...ids: string[]) => ({ items: ids.map((id) => ({ id })) });
const idsOf = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id);

describe('several lists by time', () => {
  it('are one list, the newest first, each item once', () => {
    const merged = mergePages([page('05', '01'), page('05', '04'), page('03')]);
    expect([idsOf(merged), merged.before]).toEqual([['05', '04', '03', '01'], undefined]);
  });

  it('end where one of them goes on: below, nobody knows what is missing', () => {
    const merged = mergePages([
      { ...page('09', '06'), next: 'more' },
      { ...page('08', '07', '02'), next: 'more' },
    ]);
    expect([idsOf(merged), merged.before]).toEqual([['09', '08', '07', '06'], '06']);
  });
});

describe('events', () => {
  it('are saved as RFC 4180 has it, without a formula', () => {
    const client = '=HYPERLINK("https://evil.example")';
    const csv = toCsv([{ ...event, client, details: { a: 'x, "y"' }, service: 'auth-server' }]);
    const [head, row, end] = csv.split('\r\n');
    expect(head).toBe('time,service,type,outcome,reason,actor,subject,client,address,request,details');
    expect(row).toBe(
      '2026-01-01T00:00:01.000Z,auth-server,client.changed,succeeded,,admin@example.com,,' +
        `"'=HYPERLINK(""https://evil.example"")",,,"{""a"":""x, \\""y\\""""}"`,
    );
    expect(end).toBe('');
  });
});
