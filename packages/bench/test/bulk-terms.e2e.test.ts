import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, startGatehouse, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, expect, it } from '@jest/globals';
import { openTableWriter, type TableWriter } from '../src/database/table-writer.ts';
import {
  insertBulkClients,
  insertBulkClientTerms,
  insertBulkUsers,
  insertBulkUserTerms,
} from '../src/large/bulk-rows.ts';

const counts = { clients: 120, users: 110, refreshTokens: 0 };
const databases: TestDatabase[] = [];
const writers: TableWriter[] = [];

afterAll(async () => {
  for (const writer of writers) await writer.close();
  for (const database of databases) await database.drop();
});

async function createDatabase(): Promise<string> {
  const database = await createTestDatabase('mysql');
  databases.push(database);
  return database.url;
}

async function openWriter(url: string): Promise<TableWriter> {
  const writer = await openTableWriter(url);
  writers.push(writer);
  return writer;
}

async function count(writer: TableWriter, rows: string): Promise<number> {
  const [row] = (await writer.run(`SELECT COUNT(*) AS found FROM ${rows}`)) as { found: unknown }[];
  return Number(row?.found);
}

/** The services write the terms of all rows, as they do of those of a release that wrote none. */
async function fillAgain(writer: TableWriter, { objects, terms }: { objects: string; terms: string }): Promise<void> {
  await writer.run(`DELETE FROM ${terms}`);
  await writer.run(`UPDATE ${objects} SET terms_at = 0`);
}

const itOnMysql = testDialects.includes('mysql') ? it : it.skip;

itOnMysql('rows that the database makes have the terms that the services write', async () => {
  const env = {
    'auth-server': { DATABASE_URL: await createDatabase() },
    'org-api': { DATABASE_URL: await createDatabase() },
  };
  const migrated = await startGatehouse({ dialect: 'mysql', env });
  await migrated.stop();
  const [auth, org] = [
    await openWriter(env['auth-server'].DATABASE_URL),
    await openWriter(env['org-api'].DATABASE_URL),
  ];
  await insertBulkUsers(org, counts.users);
  await insertBulkUserTerms(org, counts.users);
  await insertBulkClients(auth, counts, 'no hash');
  await insertBulkClientTerms(auth, counts);
  const readTerms = async () => [
    await auth.run("SELECT * FROM client_terms WHERE client_id LIKE 'bulk-%' ORDER BY client_id, term"),
    await org.run(
      "SELECT t.* FROM user_terms t JOIN users u ON u.id = t.user_id WHERE u.username LIKE 'bulk-%' ORDER BY u.id, t.term",
    ),
  ];
  const made = await readTerms();

  await fillAgain(auth, { objects: 'clients', terms: 'client_terms' });
  await fillAgain(org, { objects: 'users', terms: 'user_terms' });
  const filling = await startGatehouse({ dialect: 'mysql', env });
  try {
    const due = 'terms_at <> updated_at';
    while ((await count(auth, `clients WHERE ${due}`)) + (await count(org, `users WHERE ${due}`)) > 0) await sleep(100);
    expect(await readTerms()).toEqual(made);
  } finally {
    await filling.stop();
  }
});
