import { runStep } from '@gatehouse/service-kit';
import { migrateDatabase } from '@gatehouse/service-kit/database/schema';
import { loadDatabaseUrl } from '../config.ts';
import { authServerSchema } from '../schema/auth-server-schema.ts';

await runStep(() => migrateDatabase({ url: loadDatabaseUrl(), ...authServerSchema }));
