import { buildEntryLimit, type Clock, type Logger, type Repeat } from '@gatehouse/service-kit';
import { DatabaseUnavailableError } from '@gatehouse/service-kit/database';
import { LRUCache } from 'lru-cache';
import type { Client } from './client.ts';
import type { GoodSecret } from './client-secret.ts';
import type { ClientUse } from './client-use.ts';
import type { ClientUseStore } from './client-use-store.ts';

/** Milliseconds for which a use that was noted stands for those after it. */
const notedFor = 3_600_000;
/** Uses that a process remembers to have noted, and that wait to be written. */
const mostNoted = 100_000;
/** Milliseconds for which uses are gathered, and the most that one statement writes. */
const gatherFor = 2_000;
const batchSize = 1_000;

type Used = Pick<Client, 'registrationId'>;

/**
 * Notes that clients are used, at most once an hour for each use in each process: a request waits for nothing, and most cost one look
 * into memory. A killed process loses what it noted in the last two seconds.
 */
export interface ClientUses {
  noteToken(client: Used): void;
  noteSecret(client: Used, secret: GoodSecret): void;
  /** Writes what waits. */
  close(): Promise<void>;
}

interface Dependencies {
  store: Pick<ClientUseStore, 'put'>;
  clock: Clock;
  repeat: Repeat;
  log: Pick<Logger, 'warn'>;
}

export function createClientUses({ store, clock, repeat, log }: Dependencies): ClientUses {
  /** When each was noted: a token by the registration, a secret by its hash, which no other one has. */
  const noted = new LRUCache<string, number>(buildEntryLimit(mostNoted));
  const waiting = new Map<string, ClientUse>();

  const note = (key: string, registrationId: string, kind: ClientUse['kind']): void => {
    const usedAt = clock();
    const last = noted.get(key);
    if (last !== undefined && usedAt - last < notedFor) return;
    if (waiting.size >= mostNoted) return;
    noted.set(key, usedAt);
    waiting.set(`${registrationId} ${kind}`, { registrationId, kind, usedAt });
  };

  const write = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, batchSize);
      await store.put(batch.map(([, use]) => use));
      // One that was noted once more meanwhile waits on.
      for (const [name, use] of batch) if (waiting.get(name) === use) waiting.delete(name);
    }
  };
  let writing: Promise<void> | undefined;
  /** Uses that could not be written go with the next. */
  const writeOnce = (): Promise<void> => {
    writing ??= write()
      .catch((error: unknown) => {
        // While the database is away, it logs that itself.
        if (!(error instanceof DatabaseUnavailableError)) log.warn({ err: error }, 'uses of clients were not written');
      })
      .finally(() => {
        writing = undefined;
      });
    return writing;
  };
  const stop = repeat(() => void writeOnce(), gatherFor);

  return {
    noteToken: ({ registrationId }) => note(registrationId, registrationId, 'token'),
    noteSecret: ({ registrationId }, { hash, kind }) => note(hash, registrationId, kind),
    async close() {
      stop();
      await writing;
      await writeOnce();
    },
  };
}
