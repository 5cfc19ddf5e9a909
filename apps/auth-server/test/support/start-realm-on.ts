import type { Dialect } from '@gatehouse/service-kit/database';
import { createTestDatabase } from '@gatehouse/test-kit';
import { type Realm, startRealm } from './realm.ts';

/** A realm whose services have databases of this dialect to themselves, which end with the realm. */
export async function startRealmOn(dialect: Dialect, env: Record<string, string> = {}): Promise<Realm> {
  const [database, orgDatabase] = await Promise.all([createTestDatabase(dialect), createTestDatabase(dialect)]);
  const ofAuthServer = { DATABASE_URL: database.url, MIGRATE_ON_START: 'true', ...env };
  const realm = await startRealm(ofAuthServer, { orgDatabaseUrl: orgDatabase.url });
  return {
    ...realm,
    async close() {
      await realm.close();
      await Promise.all([database.drop(), orgDatabase.drop()]);
    },
  };
}
