import { runStep } from '@gatehouse/service-kit';
import { migrateDatabase } from '@gatehouse/service-kit/database/schema';
import { loadDatabaseUrl } from '../config.ts';
import { organizationSchema } from '../schema/organization-schema.ts';

await runStep(() => migrateDatabase({ url: loadDatabaseUrl(), ...organizationSchema }));
