import type { Clock, Logger, Repeat } from '@gatehouse/service-kit';
import { DatabaseUnavailableError } from '@gatehouse/service-kit/database';
import type { LapsingClientStore } from '../clients/lapsing-client-store.ts';
import type { RecordFact } from '../events/event.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';

/** Milliseconds. */
const interval = 60_000;
/** Clients that one look finds. */
const batchSize = 100;

interface Dependencies {
  lapsing: Pick<LapsingClientStore, 'list' | 'delete'>;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  record: RecordFact;
  clock: Clock;
}

/** Deletes the clients that registered themselves and that nobody used; gives how many of them it found. */
export type PurgeLapsedClients = () => Promise<number>;

export function createPurgeLapsedClients({ lapsing, statusLists, record, clock }: Dependencies): PurgeLapsedClients {
  return async () => {
    const now = clock();
    const lapsed = await lapsing.list(now, batchSize);
    for (const client of lapsed) {
      // One replica of several deletes it. It issued no token for a day, so none is left that a process killed here would miss.
      if (!(await lapsing.delete(client, now))) continue;
      await statusLists.revokeRegistration(client.registrationId);
      await record({ type: 'client.deleted', by: 'nobody', client, details: {}, context: undefined });
    }
    return lapsed.length;
  };
}

/** Purges from time to time, until it is told to stop. */
export function startPurgingLapsedClients(
  purge: PurgeLapsedClients,
  { repeat, log }: { repeat: Repeat; log: Pick<Logger, 'warn'> },
): () => void {
  let running = false;
  const tick = async () => {
    if (running) return;
    running = true;
    try {
      while ((await purge()) === batchSize);
    } catch (error) {
      // While the database is away, it logs that itself.
      if (!(error instanceof DatabaseUnavailableError)) log.warn({ err: error }, 'purge of unused clients failed');
    } finally {
      running = false;
    }
  };
  return repeat(() => void tick(), interval);
}
