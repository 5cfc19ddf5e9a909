import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { type AuditEvent, createBuildAuditEvent } from '../src/audit/audit-event.ts';
import { createWaitingEvents, type WaitingEvents } from '../src/audit/waiting-events.ts';
import { DatabaseUnavailableError } from '../src/database/database-errors.ts';

const away = new DatabaseUnavailableError('out of reach');
const refused = new Error('NOT NULL constraint failed');

describe('events that wait for the database', () => {
  const buildEvent = createBuildAuditEvent(() => 1_700_000_000_000);
  const createEvents = (...names: string[]) =>
    names.map((name) => buildEvent({ type: 'sign_out', actor: { kind: 'user', name } }));
  const namesOf = (events: readonly AuditEvent[]) => events.map(({ actor }) => actor.name).join(' ');
  let statements: string[];
  let counts: { stored: number; dropped: number; failed: number };
  let lines: object[];
  /** What is wrong with a statement that stores the events of these names; undefined where nothing is. */
  let findFault: (names: string) => Error | undefined;
  let waiting: WaitingEvents;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance'] });
    statements = [];
    counts = { stored: 0, dropped: 0, failed: 0 };
    lines = [];
    findFault = () => undefined;
    waiting = createWaitingEvents({
      store: {
        async insert(events) {
          const names = namesOf(events);
          statements.push(names);
          const fault = findFault(names);
          if (fault !== undefined) throw fault;
        },
        list: async () => [],
      },
      log: pino({}, { write: (line) => void lines.push(JSON.parse(line)) }),
      count: (outcome, amount = 1) => {
        counts[outcome] += amount;
      },
    });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are stored together after a second', async () => {
    waiting.add(createEvents('a'));
    waiting.add(createEvents('b', 'c'));
    await jest.advanceTimersByTimeAsync(999);
    expect(statements).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect([statements, counts]).toEqual([['a b c'], { stored: 3, dropped: 0, failed: 0 }]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are tried by one statement each second while the database is away, also a single one', async () => {
    findFault = () => away;
    waiting.add(createEvents('a'));
    await jest.advanceTimersByTimeAsync(2_000);
    expect([statements, counts.stored]).toEqual([['a', 'a'], 0]);
    findFault = () => undefined;
    await jest.advanceTimersByTimeAsync(10_000);
    expect([statements, counts.stored]).toEqual([['a', 'a', 'a'], 1]);
  });

  it('go on waiting where the database goes away while the one that it refuses is looked for', async () => {
    findFault = (names) => {
      if (statements.length === 3) return away;
      return names.includes('bad') ? refused : undefined;
    };
    waiting.add(createEvents('a', 'b', 'bad', 'c'));
    await waiting.flush();
    expect([statements, counts]).toEqual([['a b bad c', 'a', 'b'], { stored: 1, dropped: 0, failed: 0 }]);
    await waiting.flush();
    expect(statements.slice(3)).toEqual(['b bad c', 'b', 'bad', 'c']);
    expect(counts).toEqual({ stored: 3, dropped: 0, failed: 1 });
    expect(lines).toEqual([expect.objectContaining({ audit: [expect.objectContaining({ type: 'sign_out' })] })]);
  });

  it('are dropped as far as there is no room for them, and the others wait', () => {
    waiting.add(createEvents('early').flatMap((event) => Array<AuditEvent>(9_999).fill(event)));
    waiting.add(createEvents('last', 'late', 'later'));
    expect(counts.dropped).toBe(2);
    expect(lines).toEqual([expect.objectContaining({ level: 50, events: 2 })]);
    expect(waiting.stop()).toBe(10_000);
  });

  it('leave no timer where there are none, nor once nobody stores them any more', () => {
    waiting.add([]);
    expect(jest.getTimerCount()).toBe(0);
    waiting.add(createEvents('a'));
    expect(jest.getTimerCount()).toBe(1);
    expect(waiting.stop()).toBe(1);
    expect([jest.getTimerCount(), counts.dropped]).toEqual([0, 1]);
  });
});
