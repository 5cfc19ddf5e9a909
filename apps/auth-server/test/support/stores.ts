import { createLogger } from '@gatehouse/service-kit';
import {
  type Database,
  type Dialect,
  openDatabase,
  parseDatabaseUrl,
  untilReady,
} from '@gatehouse/service-kit/database';
import { createTestDatabase } from '@gatehouse/test-kit';
import { authServerSchema } from '../../src/schema/auth-server-schema.ts';
import { createStores } from './create-stores.ts';
import { fillWithTables } from './fill-with-tables.ts';

export const silentLog = createLogger('test', 'silent');

export const waitUntilReady = (database: Pick<Database, 'check'>) => untilReady(database, 20_000);

export type TestStores = Awaited<ReturnType<typeof openStores>>;

/** Every store on an empty, migrated database of its own. */
export async function openStores(dialect: Dialect) {
  const { url, drop } = await createTestDatabase(dialect);
  await fillWithTables(url);
  const open = () =>
    openDatabase({ url: parseDatabaseUrl(url), ...authServerSchema, migrateOnStart: true, log: silentLog });
  const database = open();
  await waitUntilReady(database);
  // A second connection, as another replica has it.
  const replica = open();
  await waitUntilReady(replica);
  return {
    url,
    database,
    replica,
    ...createStores(database),
    onReplica: createStores(replica),
    async close() {
      await Promise.all([database.close(), replica.close()]);
      await drop();
    },
  };
}

/** Runs `work` 16 times at once, on two replicas in turn, and counts how often it said true. */
export async function countWinners(work: (turn: number) => Promise<boolean>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 16 }, (_, turn) => work(turn)));
  return answers.filter((answer) => answer === true).length;
}
