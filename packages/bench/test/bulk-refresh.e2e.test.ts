import {
  call,
  createTestDatabase,
  type Gatehouse,
  startGatehouse,
  type TestDatabase,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTableWriter, type TableWriter } from '../src/database/table-writer.ts';
import { chooseBulkRefreshTokens, insertBulkRefreshTokens, insertBulkUsers } from '../src/large/bulk-rows.ts';
import { type Population, populate } from '../src/product/population.ts';

const counts = { clients: 0, users: 10, refreshTokens: 40 };
const describeOnMysql = testDialects.includes('mysql') ? describe : describe.skip;

describeOnMysql('refresh tokens that the database makes', () => {
  const databases: TestDatabase[] = [];
  const writers: TableWriter[] = [];
  let gatehouse: Gatehouse;
  let population: Population;

  const createDatabase = async () => {
    const database = await createTestDatabase('mysql');
    databases.push(database);
    return database.url;
  };
  const openWriter = async (url: string) => {
    const writer = await openTableWriter(url);
    writers.push(writer);
    return writer;
  };

  beforeAll(async () => {
    const [authUrl, orgUrl] = [await createDatabase(), await createDatabase()];
    gatehouse = await startGatehouse({
      dialect: 'mysql',
      env: { 'auth-server': { DATABASE_URL: authUrl }, 'org-api': { DATABASE_URL: orgUrl } },
    });
    const [auth, org] = [await openWriter(authUrl), await openWriter(orgUrl)];
    population = await populate({ auth, org }, { robots: 1, people: 1, coldClients: 1 });
    await insertBulkUsers(org, counts.users);
    const { users, refreshTokens: count } = counts;
    await insertBulkRefreshTokens(auth, population, { count, users, expiresAt: Date.now() + 12 * 3_600_000 });
  }, 60_000);
  afterAll(async () => {
    for (const writer of writers) await writer.close();
    await gatehouse?.stop();
    for (const database of databases) await database.drop();
  });

  it('are rotated by auth-server, as the large run rotates them', async () => {
    const { clientId, secret } = population.webClient;
    for (const token of chooseBulkRefreshTokens(counts, 10, 1)) {
      const form = { grant_type: 'refresh_token', refresh_token: token };
      const answer = await call(`${gatehouse.authUrl}/oauth/token`, {
        basic: [clientId, secret],
        form,
      });
      expect([answer.status, answer.json()]).toEqual([
        200,
        expect.objectContaining({ refresh_token: expect.any(String) }),
      ]);
    }
  });
});
