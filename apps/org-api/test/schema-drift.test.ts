import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { connectDataSource, migrate } from '@gatehouse/service-kit/database/schema';
import { createTestDatabase, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { organizationSchema } from '../src/schema/organization-schema.ts';

describe.each(testDialects)('the schema of the organization database on %s', (dialect) => {
  let empty: TestDatabase;
  let dataSource: Awaited<ReturnType<typeof connectDataSource>>;

  beforeAll(async () => {
    empty = await createTestDatabase(dialect);
    dataSource = await connectDataSource({ url: parseDatabaseUrl(empty.url), ...organizationSchema });
  });
  afterAll(async () => {
    await dataSource.destroy();
    await empty.drop();
  });

  const missing = async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  };

  it('is what the code expects once it is migrated', async () => {
    expect((await missing()).length).toBeGreaterThan(0);
    await migrate(dataSource);
    expect(await missing()).toEqual([]);
    expect(await dataSource.showMigrations()).toBe(false);
  });

  it('goes all the way down and up again', async () => {
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration({ transaction: 'none' });
    await expect(dataSource.query('SELECT * FROM users')).rejects.toThrow();
    await expect(dataSource.query('SELECT * FROM failed_attempts')).rejects.toThrow();
    await migrate(dataSource);
    expect(await missing()).toEqual([]);
  });
});
