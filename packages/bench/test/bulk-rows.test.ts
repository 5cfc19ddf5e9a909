import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { connectDataSource } from '@gatehouse/service-kit/database/schema';
import { createTestDatabase, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTableWriter, type TableWriter } from '../src/database/table-writer.ts';
import { bulkId, chooseBulkRefreshTokens, insertBulkUsers } from '../src/large/bulk-rows.ts';

it('refresh tokens are chosen from all there are, and others with each turn', () => {
  const counts = { clients: 10, users: 10, refreshTokens: 1_000 };
  const first = chooseBulkRefreshTokens(counts, 100, 1);
  const second = chooseBulkRefreshTokens(counts, 100, 2);
  expect(new Set([...first, ...second]).size).toBe(200);
  expect(first[0]).toMatch(/^[A-Za-z0-9_-]{22}\.0{42}1$/);
});

for (const dialect of testDialects) {
  if (dialect !== 'mysql') continue;
  describe('rows that the database makes', () => {
    let database: TestDatabase;
    let writer: TableWriter;
    beforeAll(async () => {
      database = await createTestDatabase(dialect);
      const dataSource = await connectDataSource({
        url: parseDatabaseUrl(database.url),
        entities: () => [],
        migrations: [],
      });
      const text = [
        'username',
        'username_key',
        'user_type',
        'first_name',
        'last_name',
        'email',
        'roles',
        'organization',
      ];
      await dataSource.query(
        `CREATE TABLE users (id binary(16) PRIMARY KEY, ${text.map((name) => `${name} varchar(255)`).join(', ')},
          locale varchar(35), timezone varchar(64), enabled tinyint, password_changed_at bigint, created_at bigint, updated_at bigint,
          terms_at bigint)`,
      );
      await dataSource.destroy();
      writer = await openTableWriter(database.url);
    });
    afterAll(async () => {
      await writer?.close();
      await database?.drop();
    });

    it('are as many as asked for, with the ids that their numbers say', async () => {
      await insertBulkUsers(writer, 100_003);
      const sql = 'SELECT id, username FROM users ORDER BY id DESC LIMIT 1';
      const [last] = (await writer.run(sql)) as { id: Buffer; username: string }[];
      expect(last).toEqual({ id: bulkId(100_002), username: 'bulk-100002@example.com' });
      const [{ count }] = (await writer.run('SELECT COUNT(*) AS count FROM users')) as [{ count: unknown }];
      expect(Number(count)).toBe(100_003);
    });
  });
}
