import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { type AuditEntry, type AuditEvent, type AuditEventType, findRefusedSubject } from '../src/audit/audit-event.ts';
import { createAuditEventStore } from '../src/audit/audit-event-store.ts';
import { auditEventTable } from '../src/audit/audit-event-table.ts';
import { type AuditTrail, createAuditTrail } from '../src/audit/audit-trail.ts';
import type { Database } from '../src/database/database.ts';
import { DatabaseUnavailableError } from '../src/database/database-errors.ts';
import { purgeExpiredBatch } from '../src/database/purge-expired.ts';
import type { CountAuditEvents } from '../src/metrics/audit-events.ts';
import { createId } from '../src/time-ordered-id.ts';
import { openTestDatabase } from './support/test-service.ts';
import { countTimers } from './support/timers.ts';

const day = 86_400_000;
const user = { kind: 'user', id: createId(), name: 'Ada@Example.com' } as const;

const byCount = (one: AuditEvent, other: AuditEvent) => Number(one.details.left_out) - Number(other.details.left_out);

describe('the subject of a refusal', () => {
  const id = createId();
  const context = { requestId: 'request-1', address: '192.0.2.1' };
  const refuse = (parts: Partial<AuditEntry>) =>
    findRefusedSubject({ type: 'sign_in.refused', actor: { kind: 'anonymous' }, context, ...parts });

  it.each<[string, Partial<AuditEntry>, ReturnType<typeof findRefusedSubject>]>([
    ['nobody, where no name was sent', { reason: 'wrong_credentials' }, { kind: 'nobody' }],
    ['unknown, where no client has the name', { reason: 'unknown_client' }, { kind: 'unknown' }],
    ['unknown, where no user has the name', { subject: { kind: 'user', name: 'Ada' } }, { kind: 'unknown' }],
    [
      'a client, by each method',
      { subject: { kind: 'client', id, name: 'my-app' }, details: { method: 'none' } },
      { kind: 'client', key: `${id} none` },
    ],
    [
      'a user, at each place',
      { subject: { kind: 'user', id }, details: { by: 'sign_in_page' } },
      { kind: 'user', key: `${id} sign_in_page` },
    ],
    [
      'who acts, where that is known',
      { actor: { kind: 'user', id }, subject: { kind: 'client', id: createId() } },
      { kind: 'user', key: `${id} ` },
    ],
    [
      'who acts, by the name alone',
      { actor: { kind: 'user', name: 'Ada' }, subject: { kind: 'client', name: 'my-app' } },
      { kind: 'user', key: 'Ada ' },
    ],
  ])('is %s', (_subject, parts, found) => {
    expect(refuse(parts)).toEqual(found);
  });
});

describe.each(testDialects)('the audit trail on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = 1_700_000_000_000;
  const clock = () => now;

  beforeAll(async () => {
    test = await openTestDatabase(dialect);
  });
  beforeEach(async () => {
    await test.database.execute(`DELETE FROM ${auditEventTable}`);
  });
  afterAll(() => test.close());

  const createTrail = (database: Database = test.database, retentionDays = 30) => {
    const lines: Record<string, unknown>[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const counts = { stored: 0, dropped: 0, failed: 0 };
    const count: CountAuditEvents = (outcome, amount = 1) => {
      counts[outcome] += amount;
    };
    const options = { service: 'test', database, retentionDays, clock, log: pino(stream), count };
    return { lines, counts, trail: createAuditTrail(options) };
  };
  const refusal = (address: string, type: AuditEventType = 'sign_in.refused'): AuditEntry => ({
    type,
    reason: 'wrong_credentials',
    actor: { kind: 'anonymous' },
    context: { requestId: 'request-1', address },
  });
  /** The database, not there while `isAway`. */
  const createAbsentDatabase = () => {
    const state = { isAway: true };
    const execute: Database['execute'] = async (...statement) => {
      if (state.isAway) throw new DatabaseUnavailableError('out of reach');
      return test.database.execute(...statement);
    };
    return { state, database: { ...test.database, execute } };
  };

  it('gives back what was written, and what was noted, in the order of time', async () => {
    const { trail, counts } = createTrail();
    const entry = {
      type: 'client.changed',
      actor: user,
      subject: { kind: 'client', id: createId(), name: 'my-app' },
      clientId: 'my-app',
      context: { requestId: 'request-2', address: '2001:db8:1:2:3::4' },
      details: { fields: ['scope', 'redirect_uri'] },
    } as const;
    await trail.write(entry);
    expect(counts).toEqual({ stored: 1, dropped: 0, failed: 0 });
    trail.note(refusal('192.0.2.1'));
    const [refused, changed, ...others] = await trail.list({ limit: 10 });
    expect(others).toEqual([]);
    const { context: _context, ...told } = entry;
    expect(changed).toEqual({
      ...told,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      occurredAt: now,
      outcome: 'succeeded',
      requestId: 'request-2',
      address: '2001:db8:1:2::/64',
    });
    expect(refused).toMatchObject({ outcome: 'refused', reason: 'wrong_credentials', address: '192.0.2.1' });
    expect(refused?.subject).toBeUndefined();
  });

  it('gives back what comes from no request without its members, rather than with nothing in them', async () => {
    const { trail } = createTrail();
    await trail.write({ type: 'client.deleted', actor: { kind: 'service', name: 'test' } });
    const [found] = await trail.list({ limit: 1 });
    expect(Object.entries(found ?? {}).filter(([, value]) => value === null)).toEqual([]);
    expect([found?.requestId, found?.address, found?.subject, found?.reason]).toEqual(Array(4).fill(undefined));
    await trail.close();
  });

  it('cuts names and addresses to what their columns hold, by whole characters', async () => {
    const { trail } = createTrail();
    const name = '\u{1f511}'.repeat(300);
    const context = { requestId: 'request-5', address: 'x'.repeat(100) };
    await trail.write({ type: 'sign_out', actor: { kind: 'user', name }, context });
    const found = await trail.list({ limit: 10, actor: name });
    const actor = { kind: 'user', id: undefined, name: '\u{1f511}'.repeat(255) };
    expect(found).toEqual([expect.objectContaining({ actor, address: 'x'.repeat(64) })]);
  });

  it('keeps no id that is no UUID, and finds nothing after one', async () => {
    const { trail } = createTrail();
    await trail.write({ type: 'sign_out', actor: { kind: 'user', id: 'ada', name: 'Ada' } });
    const [found] = await trail.list({ limit: 10 });
    expect(found?.actor).toEqual({ kind: 'user', id: undefined, name: 'Ada' });
    expect(await trail.list({ limit: 10, after: 'ada' })).toEqual([]);
  });

  it('keeps the order of events of one millisecond', async () => {
    const { trail } = createTrail();
    for (let i = 0; i < 250; i += 1) trail.note({ type: 'sign_out', actor: user, details: { i } });
    const found = await trail.list({ limit: 300 });
    expect(found.map(({ details }) => details.i)).toEqual(Array.from({ length: 250 }, (_, i) => 249 - i));
  });

  it('writes a line at once, with the request id where every line has it', async () => {
    const { trail, lines } = createTrail();
    trail.note(refusal('192.0.2.1'));
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'audit',
        requestId: 'request-1',
        audit: expect.objectContaining({ type: 'sign_in.refused', outcome: 'refused', address: '192.0.2.1' }),
      }),
    ]);
    await trail.close();
  });

  it('stores what waits when it is closed, also what was still to be completed', async () => {
    const { trail, lines } = createTrail();
    const entry = { type: 'sign_out', actor: user } as const;
    trail.note(entry, () => new Promise((resolve) => setTimeout(() => resolve(entry), 50)));
    trail.note(refusal('192.0.2.1'));
    await trail.close();
    const found = await createAuditEventStore(test.database, 30).list({ limit: 10 });
    expect(found.map(({ type }) => type).sort()).toEqual(['sign_in.refused', 'sign_out']);
    expect(lines.map(({ msg }) => msg)).toEqual(['audit', 'audit']);
  });

  it('lists an event whose name is looked up, and waits half a second for it at most', async () => {
    const { trail } = createTrail();
    const listTypes = async () => (await trail.list({ limit: 10 })).map(({ type }) => type);
    const named: AuditEntry = { type: 'sign_out', actor: user };
    trail.note(named, async () => {
      await sleep(100);
      return named;
    });
    expect(await listTypes()).toEqual(['sign_out']);
    const startedAt = performance.now();
    trail.note({ ...named, type: 'sign_in.refused' }, () => new Promise(() => {}));
    expect(await listTypes()).toEqual(['sign_out']);
    expect(performance.now() - startedAt).toBeGreaterThan(450);
    expect(performance.now() - startedAt).toBeLessThan(1_900);
    await trail.close();
  });

  it('stores what is complete before it waits for what is not, and then that', async () => {
    const done: string[] = [];
    const execute: Database['execute'] = async () => done.push('stored');
    const { trail } = createTrail({ ...test.database, execute });
    trail.note({ type: 'sign_out', actor: { kind: 'user', id: user.id } }, async () => {
      await sleep(20);
      done.push('completed');
      return { type: 'sign_out', actor: user };
    });
    trail.note(refusal('192.0.2.1'));
    await trail.close();
    expect(done).toEqual(['stored', 'completed', 'stored']);
  });

  it('leaves no timer behind, and nothing that keeps the process, once it is closed', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance'] });
    try {
      const { trail } = createTrail({ ...test.database, execute: async () => 1 });
      trail.note({ type: 'sign_out', actor: user });
      expect(jest.getTimerCount()).toBeGreaterThan(0);
      const before = countTimers();
      await trail.close();
      expect([jest.getTimerCount(), countTimers()]).toEqual([0, before]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('stores nothing where there is nothing to write', async () => {
    let statements = 0;
    const execute: Database['execute'] = async (...statement) => {
      statements += 1;
      return test.database.execute(...statement);
    };
    const { trail, lines } = createTrail({ ...test.database, execute });
    await trail.write();
    expect([statements, lines]).toEqual([0, []]);
    await trail.close();
  });

  it('tells by its id whom nobody could name, where asking ends in failure or not before the process', async () => {
    const { trail, lines } = createTrail();
    const known: AuditEntry = { type: 'sign_out', actor: { kind: 'user', id: user.id } };
    let nameAtLast = (_: AuditEntry) => {};
    trail.note({ ...known, details: { i: 1 } }, () => Promise.reject(new Error('out of reach')));
    const never = new Promise<AuditEntry>((resolve) => {
      nameAtLast = resolve;
    });
    trail.note({ ...known, details: { i: 2 } }, () => never);
    const context = { requestId: 'request-4', address: '192.0.2.1' };
    trail.note({ ...known, context, details: { i: 3 } }, () => Promise.reject(new Error('out of reach')));
    await trail.close();
    nameAtLast({ type: 'sign_out', actor: user });
    const found = await trail.list({ limit: 10 });
    const actor = { kind: 'user', id: user.id, name: undefined };
    expect(found).toEqual([
      expect.objectContaining({ actor, details: { i: 2 } }),
      expect.objectContaining({ actor, details: { i: 3 } }),
      expect.objectContaining({ actor, details: { i: 1 } }),
    ]);
    expect(lines.filter(({ msg }) => msg === 'audit')).toHaveLength(3);
    const failed = { level: 50, msg: 'an audit event could not be completed', err: { message: 'out of reach' } };
    const failures = lines.filter(({ level }) => level === 50);
    expect(failures).toMatchObject([failed, { ...failed, requestId: 'request-4' }]);
  });

  it('loses nothing but the one event that the database will never take, and its line holds it', async () => {
    const { trail, lines, counts } = createTrail();
    const unstorable = { type: 'sign_out', actor: { kind: null, name: 'Grace' } };
    for (let i = 0; i < 60; i += 1) trail.note({ type: 'sign_out', actor: user, details: { i } });
    trail.note(unstorable as unknown as AuditEntry);
    for (let i = 60; i < 120; i += 1) trail.note({ type: 'sign_out', actor: user, details: { i } });
    const found = await trail.list({ limit: 200 });
    expect(found.map(({ details }) => details.i)).toEqual(Array.from({ length: 120 }, (_, i) => 119 - i));
    const failures = lines.filter(({ level }) => level === 50);
    expect(failures).toEqual([expect.objectContaining({ audit: [expect.objectContaining({ type: 'sign_out' })] })]);
    expect(failures[0]).toMatchObject({ audit: [{ actor: { name: 'Grace' } }] });
    expect(counts).toEqual({ stored: 120, dropped: 0, failed: 1 });
  });

  it('stores what waits by itself within about a second', async () => {
    const { trail } = createTrail();
    trail.note({ type: 'sign_out', actor: user });
    const store = createAuditEventStore(test.database, 30);
    const deadline = Date.now() + 20_000;
    while ((await store.list({ limit: 1 })).length === 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await store.list({ limit: 10 })).toHaveLength(1);
    await trail.close();
  });

  it('never fails what was done: an error line holds the event, and the row follows, once', async () => {
    const { database, state } = createAbsentDatabase();
    const { trail, lines } = createTrail(database);
    await trail.write({ type: 'user.deleted', actor: user, subject: user });
    expect(lines.at(-1)).toMatchObject({ level: 50, audit: [{ type: 'user.deleted', subject: { name: user.name } }] });
    state.isAway = false;
    expect(await trail.list({ limit: 10 })).toHaveLength(1);
    await trail.close();
    expect(await trail.list({ limit: 10 })).toHaveLength(1);
  });

  it.each([3, 1])('says how many stay lines where it is closed without a database: %i', async (events) => {
    const { trail, lines, counts } = createTrail(createAbsentDatabase().database);
    for (let i = 0; i < events; i += 1) trail.note({ type: 'sign_out', actor: user });
    await trail.close();
    expect(lines.filter(({ msg }) => msg === 'audit')).toHaveLength(events);
    expect(lines.at(-1)).toMatchObject({ level: 50, events });
    expect(counts).toEqual({ stored: 0, dropped: events, failed: 0 });
  });

  it('lets ten thousand events wait for the database; the lines of others hold them', async () => {
    const { database, state } = createAbsentDatabase();
    const { trail, lines, counts } = createTrail(database);
    for (let i = 0; i < 10_003; i += 1) trail.note({ type: 'sign_out', actor: user });
    const dropped = lines.filter(({ msg }) => msg !== 'audit');
    expect(dropped).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({
          level: 50,
          events: 1,
          msg: 'too many audit events wait for the database: these stay lines in the log',
        }),
      ),
    );
    expect(counts).toEqual({ stored: 0, dropped: 3, failed: 0 });
    state.isAway = false;
    await trail.close();
    expect(counts).toEqual({ stored: 10_000, dropped: 3, failed: 0 });
  });

  it('stores an event once, however often it is sent', async () => {
    const { trail } = createTrail();
    await trail.write({ type: 'sign_out', actor: user });
    const store = createAuditEventStore(test.database, 30);
    const events = await store.list({ limit: 10 });
    await store.insert(events);
    await store.insert([...events, ...events]);
    expect(await store.list({ limit: 10 })).toEqual(events);
  });

  it('writes down a hundred refusals of one network in five minutes, and still those of others', async () => {
    const { trail, lines } = createTrail();
    for (let i = 0; i < 150; i += 1) trail.note(refusal('192.0.2.7'));
    trail.note(refusal('192.0.2.8'));
    trail.note({ type: 'sign_out', actor: user, context: { requestId: 'request-3', address: '192.0.2.7' } });
    expect(await trail.list({ limit: 500 })).toHaveLength(102);
    expect(lines.filter(({ level }) => level === 40)).toEqual([
      expect.objectContaining({ type: 'sign_in.refused', about: 'nobody', msg: expect.stringContaining('refusals') }),
    ]);
    now += 5 * 60_000 - 1;
    trail.note(refusal('192.0.2.7'));
    expect(await trail.list({ limit: 500 })).toHaveLength(102);
    now += 1;
    trail.note(refusal('192.0.2.7'));
    // And the event that says how many were left out.
    expect(await trail.list({ limit: 500 })).toHaveLength(104);
  });

  it('writes down every event that is no refusal, and every refusal that no request caused', async () => {
    const { trail } = createTrail();
    const context = { requestId: 'request-3', address: '192.0.2.7' };
    const { context: _context, ...uncaused } = refusal('192.0.2.7');
    for (let i = 0; i < 110; i += 1) trail.note({ type: 'sign_out', actor: { kind: 'user', name: 'Ada' }, context });
    for (let i = 0; i < 110; i += 1) trail.note(uncaused);
    expect(await trail.list({ limit: 500 })).toHaveLength(220);
  });

  it('counts every address of one IPv6 network together', async () => {
    const { trail } = createTrail();
    for (let i = 0; i < 150; i += 1) trail.note(refusal(`2001:db8:1:2::${i.toString(16)}`));
    expect(await trail.list({ limit: 500 })).toHaveLength(100);
  });

  it('writes down a thousand refusals of one type in five minutes, and still those of others', async () => {
    const { trail } = createTrail();
    for (let i = 0; i < 1_200; i += 1) trail.note(refusal(`10.0.${i >> 8}.${i & 255}`));
    trail.note(refusal('10.0.0.1', 'client_authentication.refused'));
    expect(await trail.list({ limit: 2_000, types: ['sign_in.refused'] })).toHaveLength(1_000);
    expect(await trail.list({ limit: 2_000, types: ['client_authentication.refused'] })).toHaveLength(1);
  });

  describe('beside a flood of refusals', () => {
    const type = 'client_authentication.refused';
    const about = (subject: AuditEntry['subject'], method: string, address = '192.0.2.7'): AuditEntry => ({
      ...refusal(address, type),
      subject,
      details: { method },
    });
    const createClient = (name: string) => ({ kind: 'client', id: createId(), name }) as const;
    const eventsAbout = async (trail: AuditTrail, subject: string) =>
      (await trail.list({ limit: 100, subject })).map(({ details }) => details.method);

    it('the first three of each existing subject are always written down', async () => {
      const { trail } = createTrail();
      for (let i = 0; i < 1_100; i += 1) trail.note(about(undefined, 'none', `10.0.${i >> 8}.${i & 255}`));
      const other = createClient('other');
      for (let i = 0; i < 1_100; i += 1) trail.note(about(other, 'none', `10.0.${i >> 8}.${i & 255}`));
      const real = createClient('real');
      for (let i = 0; i < 8; i += 1) trail.note(about(real, 'client_secret_basic'));
      expect(await eventsAbout(trail, real.id)).toHaveLength(3);
      await trail.close();
    });

    it('a flood about one subject hides neither another one nor another way of trying to be it', async () => {
      const { trail } = createTrail();
      const [first, second] = [createClient('first'), createClient('second')];
      for (let i = 0; i < 5_000; i += 1) trail.note(about(first, 'none', `10.${i >> 12}.${(i >> 8) & 15}.${i & 255}`));
      for (let i = 0; i < 8; i += 1) trail.note(about(first, 'client_secret_basic'));
      for (let i = 0; i < 8; i += 1) trail.note(about(second, 'none'));
      const methods = await eventsAbout(trail, first.id);
      expect(methods.filter((method) => method === 'client_secret_basic')).toHaveLength(3);
      expect(await eventsAbout(trail, second.id)).toHaveLength(3);
      await trail.close();
    });

    it('existing subjects are as many as ten thousand in five minutes, and not more', async () => {
      const { trail, lines } = createTrail();
      const known = createClient('known');
      trail.note(about(known, 'none'));
      for (let i = 1; i < 11_200; i += 1) trail.note(about(createClient(`c${i}`), 'none', `10.0.${i >> 8}.${i & 255}`));
      expect(lines.filter(({ msg }) => msg === 'audit')).toHaveLength(11_000);
      // Of the ten thousand, each has its second and its third.
      for (let i = 0; i < 3; i += 1) trail.note(about(known, 'none'));
      expect(lines.filter(({ msg }) => msg === 'audit')).toHaveLength(11_002);
      await trail.close();
    });

    it('one event a type, kind of subject and window says how many were left out', async () => {
      const { trail } = createTrail();
      const since = new Date(now).toISOString();
      for (let i = 0; i < 150; i += 1) trail.note(about({ kind: 'user', name: 'nobody@example.com' }, 'none'));
      for (let i = 0; i < 120; i += 1) trail.note(about(undefined, 'none'));
      for (let i = 0; i < 110; i += 1) trail.note(refusal('192.0.2.7'));
      const find = async () =>
        (await trail.list({ limit: 1_000 })).filter(({ reason }) => reason === 'left_out').sort(byCount);
      expect(await find()).toEqual([]);
      now += 5 * 60_000;
      const [some, more, most, ...others] = await find();
      expect(others).toEqual([]);
      const expected = { outcome: 'refused', actor: { kind: 'service', name: 'test' }, subject: undefined };
      const details = { since, about: 'nobody' };
      expect(some).toMatchObject({ ...expected, type: 'sign_in.refused', details: { ...details, left_out: 10 } });
      expect(more).toMatchObject({ ...expected, type, details: { ...details, left_out: 20 } });
      expect(most).toMatchObject({ ...expected, type, details: { ...details, about: 'unknown', left_out: 50 } });
      await trail.close();
      expect(await find()).toHaveLength(3);
    });

    it('what was left out is told within ten seconds of the end of its window, though nobody reads', async () => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance'] });
      try {
        const { trail, lines } = createTrail({ ...test.database, execute: async () => 1 });
        for (let i = 0; i < 101; i += 1) trail.note(refusal('192.0.2.7'));
        const isOfLeftOut = (audit: unknown) => (audit as { reason?: string } | undefined)?.reason === 'left_out';
        const readTold = () => lines.filter(({ audit }) => isOfLeftOut(audit));
        now += 5 * 60_000;
        jest.advanceTimersByTime(9_999);
        expect(readTold()).toEqual([]);
        jest.advanceTimersByTime(1);
        expect(readTold()).toMatchObject([{ audit: { details: { left_out: 1 } } }]);
        await trail.close();
      } finally {
        jest.useRealTimers();
      }
    });

    it('retries of a used refresh token have a budget too: the client that sends them could go on for seconds', async () => {
      const { trail } = createTrail();
      const client = createClient('impatient');
      const repeated: AuditEntry = {
        ...{ type: 'refresh_token.repeated', actor: client, subject: { kind: 'user', id: createId() } },
        ...{ context: { requestId: 'the-request', address: '192.0.2.7' }, details: { by: 'network' } },
      };
      for (let i = 0; i < 150; i += 1) trail.note(repeated);
      await trail.close();
      const found = await createAuditEventStore(test.database, 30).list({ limit: 200 });
      expect(found.filter(({ subject }) => subject?.id === repeated.subject?.id)).toHaveLength(103);
      const leftOut = found.filter(({ type, reason }) => type === 'refresh_token.repeated' && reason === 'left_out');
      expect(leftOut.map(({ details }) => details)).toEqual([
        expect.objectContaining({ left_out: 47, about: 'client' }),
      ]);
    });

    it.each([3, 1])('the end of the process says how many were left out: %i', async (leftOut) => {
      const { trail, lines } = createTrail();
      for (let i = 0; i < 100 + leftOut; i += 1) trail.note(refusal('192.0.2.7'));
      expect(lines.filter(({ level }) => level === 40)).toHaveLength(1);
      await trail.close();
      const found = await createAuditEventStore(test.database, 30).list({ limit: 200 });
      const told = found.filter(({ reason }) => reason === 'left_out').map(({ details }) => details.left_out);
      expect(told).toEqual([leftOut]);
    });
  });

  it('asks nothing for a refusal that is not written down', async () => {
    const { trail } = createTrail();
    const known = refusal('192.0.2.9');
    let asked = 0;
    for (let i = 0; i < 150; i += 1) {
      trail.note(known, async () => {
        asked += 1;
        return known;
      });
    }
    await trail.close();
    expect(asked).toBe(100);
  });

  it('finds by types, by name without regard to case, by id and by time', async () => {
    const { trail } = createTrail();
    const robot = { kind: 'user', id: createId(), name: 'robot@example.com' } as const;
    const first = now;
    await trail.write({ type: 'user.created', actor: user, subject: robot });
    now += 1_000;
    await trail.write({ type: 'user.disabled', actor: user, subject: robot });
    now += 1_000;
    await trail.write({ type: 'user.created', actor: robot, subject: user });
    const find = async (query: object) => (await trail.list({ limit: 10, ...query })).map(({ type }) => type);
    expect(await find({ types: ['user.created'] })).toEqual(['user.created', 'user.created']);
    expect(await find({ types: ['user.disabled', 'user.created', 'sign_out'] })).toEqual([
      'user.created',
      'user.disabled',
      'user.created',
    ]);
    expect(await find({ actor: 'ada@EXAMPLE.com' })).toEqual(['user.disabled', 'user.created']);
    expect(await find({ actor: user.id, types: ['user.disabled'] })).toEqual(['user.disabled']);
    expect(await find({ subject: robot.id.toUpperCase() })).toEqual(['user.disabled', 'user.created']);
    expect(await find({ subject: 'ada@example.com' })).toEqual(['user.created']);
    expect(await find({ subject: 'nobody@example.com' })).toEqual([]);
    expect(await find({ from: first + 1_000 })).toEqual(['user.created', 'user.disabled']);
    expect(await find({ from: first, to: first + 1_000 })).toEqual(['user.created']);
    expect(await find({ to: first })).toEqual([]);
  });

  it('is read completely, and nothing twice, while new events come in', async () => {
    const { trail } = createTrail();
    const before = Array.from(
      { length: 57 },
      (_, i): AuditEntry => ({ type: 'sign_out', actor: user, details: { i } }),
    );
    for (const entry of before) {
      now += 1;
      await trail.write(entry);
    }
    const seen: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await trail.list({ limit: 10, after });
      seen.push(...page.map(({ details }) => details.i));
      after = page.length === 10 ? page.at(-1)?.id : undefined;
      now += 1;
      await trail.write({ type: 'sign_out', actor: user, details: { i: -1 } });
    } while (after !== undefined);
    expect(seen).toEqual(before.map(({ details }) => details?.i).reverse());
  });

  it('is purged of what is older than its retention', async () => {
    const { trail } = createTrail(test.database, 30);
    await trail.write({ type: 'sign_out', actor: user });
    now += day;
    await trail.write({ type: 'sign_out', actor: user });
    expect(await purgeExpiredBatch(test.database, auditEventTable, now + 29 * day - 1)).toBe(0);
    expect(await purgeExpiredBatch(test.database, auditEventTable, now + 29 * day)).toBe(1);
    expect(await trail.list({ limit: 10 })).toHaveLength(1);
  });
});
