import type { Dialect } from '@gatehouse/service-kit/database';
import { createTestDatabase } from '@gatehouse/test-kit';
import { type Realm, type RealmOptions, startRealm } from './realm.ts';

/** A realm whose services have databases of this dialect to themselves, which end with the realm. */
export async function startRealmOn(
  dialect: Dialect,
  env: Record<string, string> = {},
  options: Omit<RealmOptions, 'orgDatabaseUrl'> = {},
): Promise<Realm & { orgDatabaseUrl: string }> {
  const [database, orgDatabase] = await Promise.all([createTestDatabase(dialect), createTestDatabase(dialect)]);
  const ofAuthServer = { DATABASE_URL: database.url, MIGRATE_ON_START: 'true', ...env };
  const realm = await startRealm(ofAuthServer, { ...options, orgDatabaseUrl: orgDatabase.url });
  return {
    ...realm,
    orgDatabaseUrl: orgDatabase.url,
    async close() {
      await realm.close();
      await Promise.all([database.drop(), orgDatabase.drop()]);
    },
  };
}
