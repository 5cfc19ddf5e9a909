import { createTestDatabase, testDialects } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { createMetrics } from '../src/metrics/create-metrics.ts';
import { openMeteredDatabase } from '../src/metrics/metered-database.ts';
import { createId, idToBytes } from '../src/time-ordered-id.ts';
import { silentLog, testSchema, waitUntilReady } from './support/test-service.ts';

const insertSql = 'INSERT INTO failed_attempts (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, ?)';

describe.each(testDialects)('the figures of a database on %s', (dialect) => {
  it('say whether it is ready, how many connections it has, and which statements failed', async () => {
    const metrics = createMetrics();
    const { url, drop } = await createTestDatabase(dialect);
    const options = { url: parseDatabaseUrl(url), ...testSchema, migrateOnStart: true, log: silentLog };
    const database = openMeteredDatabase(metrics, options);
    const read = async () => {
      const lines = (await metrics.print()).split('\n').filter((line) => line.startsWith('gatehouse_database_'));
      return new Map(lines.map((line) => [line.slice('gatehouse_database_'.length, line.lastIndexOf(' ')), line]));
    };
    const readValue = async (name: string) => Number((await read()).get(name)?.split(' ').at(-1));
    try {
      expect(await readValue('ready')).toBe(0);
      await waitUntilReady(database);
      expect(await readValue('ready')).toBe(1);
      const ofPool = ['connections{state="in_use"}', 'connections{state="idle"}', 'connection_requests_waiting'];
      const figures = [...(await read())].filter(([name]) => name.startsWith('connection'));
      expect(figures.map(([name]) => name)).toEqual(dialect === 'mysql' ? ofPool : []);
      // The check of the gauge beside them has a connection.
      const counts = figures.map(([, line]) => Number(line.split(' ').at(-1)));
      expect(counts.reduce((sum, count) => sum + count, 0) > 0).toBe(dialect === 'mysql');

      // A row that is there already is an answer, and no error.
      const row = [idToBytes(createId()), Buffer.alloc(32), Buffer.alloc(32), 1];
      await database.execute(insertSql, row);
      await expect(database.execute(insertSql, row)).rejects.toThrow();
      await expect(database.query('SELECT nothing FROM nowhere')).rejects.toThrow();
      expect(await readValue('errors_total{kind="other"}')).toBe(1);
      for (const kind of ['deadlock', 'out_of_reach']) expect(await readValue(`errors_total{kind="${kind}"}`)).toBe(0);
    } finally {
      await database.close();
      await drop();
    }
  });
});
