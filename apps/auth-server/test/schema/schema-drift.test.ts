import { type Dialect, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { connectDataSource, migrate } from '@gatehouse/service-kit/database/schema';
import { createTestDatabase, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { authServerSchema } from '../../src/schema/auth-server-schema.ts';
import { GrantStatuses1700000000012 } from '../../src/schema/migrations/1700000000012-grant-statuses.ts';
import { expiringTables } from '../../src/schema/tables.ts';

const ownTables = [
  'audit_events',
  'authorization_codes',
  'browser_sessions',
  'client_logos',
  'client_origins',
  'client_terms',
  'client_uses',
  'clients',
  'consents',
  'device_codes',
  'failed_attempts',
  'grant_statuses',
  'initial_access_tokens',
  'issuers',
  'known_networks',
  'pushed_requests',
  'refresh_tokens',
  'refusals',
  'remembered_browsers',
  'request_budgets',
  'resource_scopes',
  'resources',
  'revocations',
  'session_participants',
  'signing_keys',
  'status_blocks',
  'status_revocations',
  'upstream_attempts',
  'upstream_domains',
  'upstreams',
  'usage_counts',
  'used_identifiers',
];

describe.each(testDialects)('schema on %s', (dialect: Dialect) => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase(dialect);
    dataSource = await connectDataSource({ url: parseDatabaseUrl(database.url), ...authServerSchema });
    await migrate(dataSource);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database.drop();
  });

  const listTables = async () => {
    const sql =
      dialect === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
    const rows = (await dataSource.query(sql)) as { name: string }[];
    return rows
      .map(({ name }) => name)
      .filter((name) => name !== 'schema_migrations')
      .sort();
  };
  /** The first column of every index and key of a table. */
  const listLeadingColumns = async (table: string) => {
    const sql =
      dialect === 'sqlite'
        ? `SELECT i.name FROM pragma_index_list('${table}') AS l, pragma_index_info(l.name) AS i WHERE i.seqno = 0`
        : `SELECT column_name AS name FROM information_schema.statistics WHERE table_schema = DATABASE()
            AND table_name = '${table}' AND seq_in_index = 1`;
    return ((await dataSource.query(sql)) as { name: string }[]).map(({ name }) => name);
  };
  const findDrift = async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  };

  it('is, once migrated, just what the entities say', async () => {
    expect(await listTables()).toEqual(ownTables);
    expect(await findDrift()).toEqual([]);
  });

  it('notices a drift, so that the test above means something', async () => {
    await dataSource.query('ALTER TABLE revocations ADD COLUMN stray varchar(10)');
    expect(await findDrift()).not.toEqual([]);
    await dataSource.query('ALTER TABLE revocations DROP COLUMN stray');
    expect(await findDrift()).toEqual([]);
  });

  it('has an index that leads with expires_at on every table whose rows expire', async () => {
    const expiring = dataSource.entityMetadatas
      .filter((entity) => entity.columns.some(({ databaseName }) => databaseName === 'expires_at'))
      .map(({ tableName }) => tableName);
    expect(expiring.sort()).toEqual([...expiringTables].sort());
    for (const table of expiring)
      expect([table, await listLeadingColumns(table)]).toEqual([table, expect.arrayContaining(['expires_at'])]);
  });

  it('has an index for each way refresh tokens are ended', async () => {
    expect(await listLeadingColumns('refresh_tokens')).toEqual(
      expect.arrayContaining(['id', 'grant_id', 'session_id']),
    );
  });

  it('has an index for each way codes, participants, blocks and revocations are looked for', async () => {
    const looked = {
      authorization_codes: ['code_hash', 'grant_id', 'session_id', 'user_id'],
      device_codes: ['code_hash', 'user_code_hash', 'grant_id', 'user_id', 'open_until'],
      refresh_tokens: ['user_id'],
      session_participants: ['session_id', 'tell_at'],
      status_blocks: ['list_id', 'registration_id'],
      status_revocations: ['list_id'],
      consents: ['user_id'],
      grant_statuses: ['list_id', 'grant_id', 'subject_list_id', 'registration_id'],
    };
    for (const [table, columns] of Object.entries(looked))
      expect([table, await listLeadingColumns(table)]).toEqual([table, expect.arrayContaining(columns)]);
  });

  it('ends every exchanged token on its way down: the release before would not end it with its grant', async () => {
    const row = (listId: number, index: number, subject: number) => [listId, index, 1, subject, listId * 1000];
    const columns =
      'list_id, status_index, subject_list_id, subject_index, expires_at, grant_id, registration_id, generation';
    const id = dialect === 'mysql' ? "REPEAT('a', 16)" : 'zeroblob(16)';
    const rows = [row(9, 1, 1), row(9, 1, 2), row(9, 2, 1)];
    for (const values of rows) {
      await dataSource.query(`INSERT INTO grant_statuses (${columns}) VALUES (${values.join(', ')}, ${id}, ${id}, 0)`);
    }
    await dataSource.query(
      'INSERT INTO status_revocations (list_id, first_index, size, expires_at) VALUES (9, 2, 1, 9000)',
    );
    const runner = dataSource.createQueryRunner();
    await new GrantStatuses1700000000012().down(runner);
    const sql = 'SELECT first_index, size FROM status_revocations WHERE list_id = 9 ORDER BY first_index';
    const revoked = (await dataSource.query(sql)) as { first_index: number; size: number }[];
    expect(revoked.map(({ first_index, size }) => [first_index, size])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    await new GrantStatuses1700000000012().up(runner);
    await runner.release();
    expect(await findDrift()).toEqual([]);
  });

  it('goes down to nothing and up again', async () => {
    for (const _migration of dataSource.migrations) await dataSource.undoLastMigration({ transaction: 'none' });
    expect(await listTables()).toEqual([]);
    await migrate(dataSource);
    expect(await listTables()).toEqual(ownTables);
    expect(await findDrift()).toEqual([]);
  });
});
