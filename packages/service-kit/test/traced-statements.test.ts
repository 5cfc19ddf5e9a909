import { describe, expect, it } from '@jest/globals';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Database } from '../src/database/database.ts';
import type { Logger } from '../src/logging.ts';
import { createReportDelivery, reportExports } from '../src/tracing/report-exports.ts';
import { traceDatabase } from '../src/tracing/trace-database.ts';
import type { SpanDescription, Tracing } from '../src/tracing/tracing.ts';

describe('statements that are traced', () => {
  const create = () => {
    const spans: SpanDescription[] = [];
    const sent: unknown[][] = [];
    const tracing: Pick<Tracing, 'inSpan'> = {
      inSpan(description, work) {
        spans.push(description);
        return work();
      },
    };
    const database = {
      dialect: 'sqlite',
      query: async (...asked: unknown[]) => {
        sent.push(asked);
        return [{ a: 1 }];
      },
      execute: async (...asked: unknown[]) => {
        sent.push(asked);
        return 7;
      },
    } as unknown as Database;
    return { spans, sent, database, traced: traceDatabase(database, tracing as Tracing) };
  };

  it.each([
    ['SELECT * FROM clients WHERE client_id = ?', 'SELECT', 'clients'],
    ['  select 1 as one\n from `users`', 'SELECT', 'users'],
    ['INSERT INTO codes (a) VALUES (?)', 'INSERT', 'codes'],
    ['UPDATE refresh_tokens SET a = ?', 'UPDATE', 'refresh_tokens'],
    ['DELETE FROM consents', 'DELETE', 'consents'],
  ])('have a span by operation and table, without a text or a value: %s', async (sql, operation, table) => {
    const { traced, spans, sent } = create();
    expect(await traced.query(sql, ['secret'], { causal: false })).toEqual([{ a: 1 }]);
    expect(await traced.execute(sql, ['secret'])).toBe(7);
    const attributes = { 'db.system.name': 'sqlite', 'db.operation.name': operation, 'db.collection.name': table };
    expect(spans).toEqual(Array(2).fill({ name: `${operation} ${table}`, kind: 'client', attributes }));
    expect(sent).toEqual([
      [sql, ['secret'], { causal: false }],
      [sql, ['secret'], undefined],
    ]);
  });

  it('have a span of another name where they are none of these', async () => {
    const { traced, spans } = create();
    await traced.query('PRAGMA quick_check');
    const attributes = { 'db.system.name': 'sqlite', 'db.operation.name': 'STATEMENT' };
    expect(spans).toEqual([{ name: 'STATEMENT', kind: 'client', attributes }]);
  });

  it('are described once, for as many as 500', async () => {
    const { traced, spans } = create();
    for (let table = 0; table <= 500; table += 1) await traced.query(`SELECT 1 FROM t${table}`);
    await traced.query('SELECT 1 FROM t0');
    await traced.query('SELECT 1 FROM t499');
    await traced.query('SELECT 1 FROM t500');
    expect([spans[501] === spans[0], spans[502] === spans[499]]).toEqual([true, true]);
    expect([spans[503] === spans[500], spans[503]?.name]).toEqual([false, 'SELECT t500']);
  });

  it('are as they were where tracing is off', () => {
    const { database } = create();
    expect(traceDatabase(database, undefined)).toBe(database);
  });
});

describe('the delivery of spans', () => {
  it('is told to the log when it begins to fail, and when it succeeds again', () => {
    const lines: unknown[][] = [];
    const write =
      (level: string) =>
      (...line: unknown[]) =>
        lines.push([level, ...line]);
    const report = createReportDelivery({ warn: write('warn'), info: write('info') } as unknown as Logger);
    for (const error of [undefined, new TypeError('hush'), new Error('again'), undefined, undefined]) report(error);
    expect(lines).toEqual([
      ['warn', { reason: 'TypeError' }, 'spans cannot be delivered'],
      ['info', 'spans are delivered again'],
    ]);
  });

  it('is what the exporter says of each batch', async () => {
    const results = [{ code: 0 }, { code: 1, error: new TypeError('refused') }, { code: 1 }];
    const told: (string | undefined)[] = [];
    const done: number[] = [];
    let ended = 0;
    const exporter = {
      export: (_spans: unknown, tell: (result: unknown) => void) => tell(results.shift()),
      shutdown: async () => {
        ended += 1;
      },
    } as unknown as SpanExporter;
    const reporting = reportExports(exporter, (error) => told.push(error?.message));
    for (let times = 0; times < 3; times += 1) reporting.export([], ({ code }) => done.push(code));
    await reporting.forceFlush?.();
    await reporting.shutdown();
    expect([told, done, ended]).toEqual([[undefined, 'refused', 'failed'], [0, 1, 1], 1]);
  });
});
