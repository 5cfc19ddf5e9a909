import { migrateDatabase, runStep } from '@gatehouse/service-kit';
import { loadDatabaseUrl } from './config.ts';
import { organizationSchema } from './storage/typeorm/organization-database.ts';

await runStep(() => migrateDatabase({ url: loadDatabaseUrl(), ...organizationSchema }));
