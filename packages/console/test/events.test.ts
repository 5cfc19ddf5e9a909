import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../src/api/auth-server.ts';
import { toCsv } from '../src/events/csv.ts';
import { mergeEvents } from '../src/events/merge.ts';

const event = (second: number, more: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{ id: `0${second}`, time: `2026-01-01T00:00:0${second}.000Z`, type: 'client.changed', outcome: 'succeeded' },
  ...{ actor: { kind: 'user', name: 'admin@example.com' }, details: {}, ...more },
});
const idsOf = ({ events }: { events: readonly AuditEvent[] }) => events.map(({ id }) => id);

describe('events of several lists', () => {
  it('are one list, the newest first, each once', () => {
    const merged = mergeEvents([
      { service: 'auth-server', events: [event(5), event(1)] },
      { service: 'auth-server', events: [event(5), event(4)] },
      { service: 'org-api', events: [event(3)] },
    ]);
    expect(idsOf(merged)).toEqual(['05', '04', '03', '01']);
    expect(merged.before).toBeUndefined();
  });

  it('end where one of them goes on: below, nobody knows what is missing', () => {
    const merged = mergeEvents([
      { service: 'auth-server', events: [event(9), event(6)], next: 'more' },
      { service: 'org-api', events: [event(8), event(7), event(2)], next: 'more' },
    ]);
    expect(idsOf(merged)).toEqual(['09', '08', '07', '06']);
    expect(merged.before).toBe('06');
  });

  it('are saved as RFC 4180 has it, without a formula', () => {
    const client = '=HYPERLINK("https://evil.example")';
    const csv = toCsv([{ ...event(1, { client, details: { a: 'x, "y"' } }), service: 'auth-server' }]);
    const [head, row, end] = csv.split('\r\n');
    expect(head).toBe('time,service,type,outcome,reason,actor,subject,client,address,request,details');
    expect(row).toBe(
      '2026-01-01T00:00:01.000Z,auth-server,client.changed,succeeded,,admin@example.com,,' +
        `"'=HYPERLINK(""https://evil.example"")",,,"{""a"":""x, \\""y\\""""}"`,
    );
    expect(end).toBe('');
  });
});
