import { runStep } from '@gatehouse/service-kit';
import { backUp } from '@gatehouse/service-kit/database';
import { loadDatabaseUrl } from '../config.ts';

/** `node dist/backup.js FILE`: the SQLite database of the service as it is at this moment. */
await runStep(() => backUp(loadDatabaseUrl(), process.argv.slice(2)));
