import { migrateDatabase, runStep } from '@gatehouse/service-kit';
import { loadConfig } from './config.ts';
import { organizationSchema } from './storage/typeorm/organization-database.ts';

await runStep(() => migrateDatabase({ url: loadConfig().databaseUrl, ...organizationSchema }));
