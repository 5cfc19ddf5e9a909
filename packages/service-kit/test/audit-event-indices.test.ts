import { explainRows, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AuditEntry, auditReasons, createBuildAuditEvent } from '../src/audit/audit-event.ts';
import { type AuditQuery, createAuditEventStore } from '../src/audit/audit-event-store.ts';
import { auditEventTable } from '../src/audit/audit-event-table.ts';
import type { Database } from '../src/database/database.ts';
import { createId } from '../src/time-ordered-id.ts';
import { openTestDatabase } from './support/test-service.ts';

const start = 1_700_000_000_000;
const rowCount = 20_000;
const limit = 51;
const people = Array.from({ length: 50 }, (_, i) => ({
  kind: 'user' as const,
  id: createId(),
  name: `user${i}@example.com`,
}));
const types = ['sign_in.succeeded', 'sign_in.refused', 'user.changed', 'token.revoked'] as const;
const reasons = ['wrong_credentials', 'second_step_due', undefined, undefined, undefined] as const;

const single: Record<string, Omit<AuditQuery, 'limit'>> = {
  nothing: {},
  type: { types: ['user.changed'] },
  'several types': { types: ['user.changed', 'token.revoked', 'client.changed'] },
  'a name that acts': { actor: 'USER7@example.com' },
  'an id that acts': { actor: people[7]?.id },
  'a name that is acted on': { subject: 'user9@example.com' },
  'an id that is acted on': { subject: people[9]?.id },
  'a client': { clientId: 'client-7' },
  'a request': { requestId: 'request-700' },
  'a reason': { reason: 'second_step_due' },
  'an address': { address: '192.0.2.7' },
  refusals: { outcome: 'refused' },
  successes: { outcome: 'succeeded' },
  time: { from: start + 1_000, to: start + 15_000 },
};
/** Filters that have an index each. */
const keys = ['types', 'actor', 'subject', 'clientId', 'requestId', 'reason', 'address'];
const filters: typeof single = {
  ...single,
  'type and actor': { types: ['user.changed'], actor: 'user7@example.com' },
  'actor and subject': { actor: 'user7@example.com', subject: people[8]?.id },
  'refusals of a client': { outcome: 'refused', clientId: 'client-7' },
  'client and address': { clientId: 'client-7', address: '192.0.2.7' },
  everything: {
    types: ['user.changed', 'sign_in.refused'],
    actor: people[7]?.id,
    subject: 'user8@example.com',
    clientId: 'client-8',
    requestId: 'request-800',
    outcome: 'refused',
    reason: 'wrong_credentials',
    address: '192.0.2.8',
    from: start,
    to: start + 9_000,
  },
};

describe.each(testDialects)('reading audit events on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let cursor = '';

  beforeAll(async () => {
    test = await openTestDatabase(dialect);
    const store = createAuditEventStore(test.database, 365);
    let now = start;
    const buildEvent = createBuildAuditEvent(() => now);
    const events = Array.from({ length: rowCount }, (_, i) => {
      now = start + i;
      const type = types[i % types.length] as AuditEntry['type'];
      const reason = reasons[i % reasons.length];
      return buildEvent({
        type,
        actor: people[i % 49] ?? { kind: 'anonymous' },
        subject: people[i % 50],
        clientId: `client-${i % 47}`,
        ...(reason && { reason }),
        context: { requestId: `request-${i % 5000}`, address: `192.0.2.${i % 53}` },
      });
    });
    for (let i = 0; i < events.length; i += 500) await store.insert(events.slice(i, i + 500));
    cursor = events[rowCount / 2]?.id ?? '';
    if (dialect === 'mysql') await test.database.query(`ANALYZE TABLE ${auditEventTable}`);
  }, 120_000);
  afterAll(() => test.close());

  const word = dialect === 'mysql' ? explainRows : 'EXPLAIN QUERY PLAN';

  /** What the database says of how it answers the very statement that the store sends. */
  const explain = async (query: AuditQuery) => {
    const plan: Record<string, unknown>[] = [];
    const explaining: Database = {
      ...test.database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        plan.push(...(await test.database.query<Record<string, unknown>>(`${word} ${sql}`, parameters)));
        return [] as Row[];
      },
    };
    await createAuditEventStore(explaining, 365).list(query);
    return plan;
  };

  const listKeys = (query: object) => Object.keys(query).filter((name) => keys.includes(name));

  const expectIndex = (step: Record<string, unknown>, query: Omit<AuditQuery, 'limit'>) => {
    if (dialect === 'mysql') {
      expect(step.key).toEqual(expect.any(String));
      // With few events that the filter takes, by the ids alone it would scan all others.
      if (listKeys(query).length === 1) expect(step.key).not.toBe('PRIMARY');
      // MySQL may intersect the indices of two filters, and sort what both agree on: never the table.
      if (step.type !== 'index_merge') expect(String(step.Extra)).not.toMatch(/filesort|temporary/i);
      else {
        expect(String(step.Extra)).toContain('intersect');
        expect(listKeys(query).length).toBeGreaterThan(1);
      }
    } else {
      expect(String(step.detail)).toMatch(/USING (COVERING )?INDEX|INTEGER PRIMARY KEY/);
      // By the index of ids alone it would scan all events for those that the filter takes.
      if (listKeys(query).length > 0 || query.from !== undefined || query.outcome === 'refused')
        expect(String(step.detail)).toMatch(/^SEARCH/);
    }
  };

  const pages: [string, Omit<AuditQuery, 'limit'>][] = Object.entries(filters);
  it.each(pages)(
    'by %s takes an index and does not sort the table, on the first page and on a later one',
    async (name, query) => {
      for (const after of [undefined, cursor]) {
        const plan = await explain({ ...query, after, limit });
        // A list for each type; of refusals alone one for each reason.
        expect(plan).toHaveLength(query.types?.length ?? (name === 'refusals' ? auditReasons.length : 1));
        for (const step of plan) expectIndex(step, query);
      }
    },
  );

  it('would show a sort, so that the tests above mean something', async () => {
    const plan = await test.database.query(`${word} SELECT * FROM ${auditEventTable} ORDER BY actor_name LIMIT 51`);
    expect(JSON.stringify(plan)).toMatch(/filesort|TEMP B-TREE/i);
  });
});
