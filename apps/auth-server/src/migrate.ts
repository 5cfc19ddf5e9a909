import { migrateDatabase, runStep } from '@gatehouse/service-kit';
import { loadDatabaseUrl } from './config.ts';
import { authServerSchema } from './storage/typeorm/auth-server-database.ts';

await runStep(() => migrateDatabase({ url: loadDatabaseUrl(), ...authServerSchema }));
