import { expect, it } from '@jest/globals';
import { auditEventTypes } from '../src/audit/audit-event.ts';
import { AuditEventsQuery, instantPattern, parseAuditQuery } from '../src/audit/audit-query.ts';
import { createQueryValidator } from '../src/http/check-query.ts';
import { lowestIdAt } from '../src/time-ordered-id.ts';

const pattern = new RegExp(instantPattern, 'u');
/** What stands for an instant, and is one: JavaScript reads February 30 as a day in March. */
const shape = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;
function isInstant(text: string): boolean {
  const day = text.slice(0, 10);
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  return shape.test(text) && isDay && !Number.isNaN(Date.parse(text));
}

const two = (number: number) => String(number).padStart(2, '0');
const upTo = (end: number) => Array.from({ length: end }, (_, index) => two(index));
const years = ['0000', '0001', '0099', '1900', '1970', '2000', '2023', '2024', '2100', '9999'];
const days = years.flatMap((year) => upTo(14).flatMap((month) => upTo(33).map((day) => `${year}-${month}-${day}`)));
const hours = upTo(26).flatMap((hour) => ['00', '01', '59', '60'].map((minute) => `${hour}:${minute}`));
const seconds = ['', ':00', ':00.0', ':00.000', ':00.001', ':59', ':59.999', ':60', ':59.1234', ':59.'];
const zones = ['Z', '+00:00', '-23:59', '+24:00', '+12:60', '', 'z', '+0100'];
const times = hours.flatMap((hour) => seconds.flatMap((second) => zones.map((zone) => `T${hour}${second}${zone}`)));

it('the description of an instant allows what is one, and nothing else', () => {
  const texts = [...days, ...times.map((time) => `2024-02-29${time}`), '2024-1-1', '', '٢٠٢٤-01-01', '2024-01-01\n'];
  expect(texts.filter((text) => pattern.test(text) !== isInstant(text))).toEqual([]);
  expect(texts.filter((text) => pattern.test(text)).length).toBeGreaterThan(4_000);
});

it('reads a date as its midnight in UTC', () => {
  const query = parseAuditQuery({ limit: 50, from: '2026-01-31', to: '2026-01-31T24:00+01:00' });
  expect(query).toMatchObject({ from: Date.UTC(2026, 0, 31), to: Date.UTC(2026, 0, 31, 23) });
});

it('reads from the lowest id of an instant on; before 1970 there is none', () => {
  expect(lowestIdAt(0x0123456789ab).toString('hex')).toBe(`0123456789ab${'0'.repeat(20)}`);
  expect(lowestIdAt(-1).toString('hex')).toBe('0'.repeat(32));
});

it('takes either end of a time alone, and one instant as both', () => {
  const midnight = Date.UTC(2026, 0, 31);
  const read = (times: { from?: string; to?: string }) => parseAuditQuery({ limit: 50, ...times });
  expect(read({})).toEqual({ limit: 50, after: undefined, from: undefined, to: undefined });
  expect(read({ from: '2026-01-31' })).toMatchObject({ from: midnight, to: undefined });
  expect(read({ to: '2026-01-31' })).toMatchObject({ from: undefined, to: midnight });
  expect(read({ from: '2026-01-31', to: '2026-01-31T00:00Z' })).toMatchObject({ from: midnight, to: midnight });
});

it('refuses an end before the start', () => {
  const read = () => parseAuditQuery({ limit: 50, from: '2026-01-31T00:00:00.001Z', to: '2026-01-31' });
  const errors = [{ field: 'to', detail: 'must not be before from' }];
  expect(read).toThrow(expect.objectContaining({ status: 400, errors }));
});

it('reads several types by comma, each once, and no more than 20', () => {
  const check = createQueryValidator({ schema: AuditEventsQuery });
  const read = (type: string) => parseAuditQuery({ limit: 50, type }).types;
  expect(read('user.changed')).toEqual(['user.changed']);
  expect(read('user.changed,client.changed,user.changed')).toEqual(['user.changed', 'client.changed']);
  const isTaken = (type: string) => Object.hasOwn(check({ type }), 'value');
  expect(auditEventTypes.filter((type) => !isTaken(type))).toEqual([]);
  const most = auditEventTypes.slice(0, 20).join(',');
  const texts = [
    most,
    `${most},user.changed`,
    '',
    ',',
    'user.changed,',
    'user.changed,x',
    'userxchanged',
    'user.changed ',
  ];
  expect(texts.filter(isTaken)).toEqual([most]);
});

it('names the types that there are where another is asked for', () => {
  const check = createQueryValidator({ schema: AuditEventsQuery });
  const detail = `must be one of ${auditEventTypes.join(', ')}; or at most 20 of them, separated by commas`;
  const errors = [{ field: 'type', detail }];
  expect(check({ type: 'sign_in' })).toEqual({ error: expect.objectContaining({ status: 400, errors }) });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::/64', '2001:db8:1:2::/64'],
  ['0:0:0:0::/64', '0:0:0:0::/64'],
])('reads an address as events show it: %s', (address, network) => {
  expect(parseAuditQuery({ limit: 50, address })).toMatchObject({ address: network });
});

it.each(['192.0.2', 'localhost', '192.0.2.7/64', '2001:db8:1:2::/48'])('refuses what is no address: %s', (address) => {
  const read = () => parseAuditQuery({ limit: 50, address, from: '2026-01-31', to: '2026-01-30' });
  const detail = 'must be an IP address, such as 192.0.2.1 or 2001:db8:1:2::1';
  const errors = [
    { field: 'to', detail: 'must not be before from' },
    { field: 'address', detail },
  ];
  expect(read).toThrow(expect.objectContaining({ status: 400, errors }));
});
