import type { Dialect } from '@gatehouse/service-kit/database';
import { createTestDatabase } from '@gatehouse/test-kit';
import { type Realm, startRealm } from './realm.ts';

/** A realm whose auth server has a database of this dialect to itself, which ends with the realm. */
export async function startRealmOn(dialect: Dialect, env: Record<string, string> = {}): Promise<Realm> {
  const database = await createTestDatabase(dialect);
  const realm = await startRealm({ DATABASE_URL: database.url, MIGRATE_ON_START: 'true', ...env });
  return {
    ...realm,
    async close() {
      await realm.close();
      await database.drop();
    },
  };
}
