import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { migrateDatabase } from '@gatehouse/service-kit/database/schema';
import { fillTestDatabase } from '@gatehouse/test-kit';
import { authServerSchema } from '../../src/schema/auth-server-schema.ts';

/** Gives an empty database the tables of auth-server. */
export const fillWithTables = (url: string) =>
  fillTestDatabase(url, 'tables of auth-server', () =>
    migrateDatabase({ url: parseDatabaseUrl(url), ...authServerSchema }),
  );
