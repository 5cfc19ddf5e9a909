import { setImmediate } from 'node:timers/promises';
import type { Clock, Logger } from '@gatehouse/service-kit';
import { createBatchedLookup, createRecentLookup } from '@gatehouse/service-kit/database';
import type { ChangedClientStore, ChangePlace } from './changed-client-store.ts';
import type { Client } from './client.ts';
import type { ClientOriginStore } from './client-origin-store.ts';
import { isOriginOf, listOrigins } from './client-origins.ts';
import type { ClientStore } from './client-store.ts';

/** Clients in one question, so that a process with many clients answers others in between. */
const pageSize = 500;
/**
 * Milliseconds by which a change may be stored later than its `updated_at` says: the clocks of replicas differ, and a
 * secret is hashed before its client is stored.
 */
const overlap = 60_000;
/** Milliseconds after which everything is read again. It forgets what was deleted. */
const wholeAfter = 3_600_000;
/** Clients of one origin that are looked up at once. */
const groupSize = 100;
/** Milliseconds for which origins are gathered, so that strangers who ask about many cost 40 statements a second. */
const gatherFor = 25;
const longestOrigin = 300;
const couldNotRead = 'the origins of clients could not be read';

/** The origins of all clients' pages, as they were at most a second ago. Where no database answers, those in memory. */
export interface RegisteredOrigins {
  has(origin: string): Promise<boolean>;
}

interface Dependencies {
  changedClients: ChangedClientStore;
  clients: Pick<ClientStore, 'findRecent'>;
  /** Those without rows, if any. */
  builtInClients?: readonly Client[];
  clientOrigins: Pick<ClientOriginStore, 'findAll'>;
  clock: Clock;
  log: Logger;
}

/** The values of the rows of clients when they were read. */
interface Known {
  /** By origin, the client_ids that have it, the newest last. */
  holders: Map<string, Set<string>>;
  /** By client_id. A client that changes its origins over and over takes no more memory than one. */
  originsOf: Map<string, readonly string[]>;
}

/**
 * Keeps the origins of administrators' clients in memory. Strangers can ask about any origin as often as they like. So a
 * question reads what changed since the last one, by one statement for all who ask within a second. The look-up of
 * the client itself, which its own requests share, finds what a deletion or a change took away. Why: ADR 36.
 * Strangers register clients too, so the origins of those are looked up by an index. Why: ADR 58.
 */
export function createRegisteredOrigins(deps: Dependencies): RegisteredOrigins {
  const inMemory = createOriginsInMemory(deps);
  const { clientOrigins, log } = deps;
  const lookup = createBatchedLookup((origins) => clientOrigins.findAll(origins), { gatherFor });
  const indexed = createRecentLookup(lookup);
  const isIndexed = async (origin: string): Promise<boolean> => {
    try {
      return (await indexed.find(origin))?.isHeld ?? false;
    } catch (error) {
      log.warn({ err: error }, couldNotRead);
      return false;
    }
  };
  return {
    async has(origin) {
      // No origin of a page is longer: the name of a host has 253 characters.
      if (!/^https?:\/\//.test(origin) || origin.length > longestOrigin) return false;
      return (await inMemory.has(origin)) || isIndexed(origin);
    },
  };
}

function createOriginsInMemory(deps: Dependencies): RegisteredOrigins {
  const { changedClients, clients, builtInClients = [], clock, log } = deps;
  let known: Known | undefined;
  let since = 0;
  let wholeAt = 0;
  /** While nothing is in memory, all wait for the same. */
  let firstReading: Promise<void> | undefined;

  const readWhole = async (now: number) => {
    wholeAt = now;
    const read: Known = { holders: new Map(), originsOf: new Map() };
    await addChanged(read, changedClients, 0);
    known = read;
    since = now - overlap;
  };
  const refresh = async () => {
    const now = clock();
    if (known === undefined) {
      firstReading ??= readWhole(now).finally(() => {
        firstReading = undefined;
      });
      return firstReading;
    }
    // Nobody waits for it: what is in memory is good until then.
    if (now - wholeAt >= wholeAfter) readWhole(now).catch(warn);
    await addChanged(known, changedClients, since);
    since = now - overlap;
  };
  const warn = (error: unknown) => log.warn({ err: error }, couldNotRead);
  const recent = createRecentLookup<{ known: Known | undefined }>(async () => {
    // Where the database is away, what is in memory goes on.
    await refresh().catch(warn);
    return { known };
  });
  const isHeldBy = async (clientId: string, origin: string): Promise<boolean> => {
    const client = await clients.findRecent(clientId);
    return client !== undefined && isOriginOf(client, origin);
  };

  return {
    async has(origin) {
      const builtIn = builtInClients.filter((client) => isOriginOf(client, origin)).map(({ clientId }) => clientId);
      const registered = (await recent.find('registered'))?.known?.holders.get(origin);
      const ids = builtIn.length === 0 ? registered : new Set([...builtIn, ...(registered ?? [])]);
      return ids !== undefined && isStillHeld(ids, (clientId) => isHeldBy(clientId, origin));
    },
  };
}

async function addChanged(known: Known, changedClients: ChangedClientStore, since: number): Promise<void> {
  let after: ChangePlace | undefined = { clientId: '', updatedAt: since };
  while (after !== undefined) {
    const page = await changedClients.list(after, pageSize);
    for (const client of page) keep(known, client.clientId, listOrigins(client));
    after = page.length === pageSize ? page.at(-1) : undefined;
    // SQLite answers at once: without a pause the process would answer nobody else in between.
    if (after !== undefined) await setImmediate();
  }
}

/** Keeps the origins of a client, in place of those that it had. */
function keep({ holders, originsOf }: Known, clientId: string, origins: readonly string[]): void {
  for (const origin of originsOf.get(clientId) ?? []) {
    const ids = holders.get(origin);
    ids?.delete(clientId);
    if (ids?.size === 0) holders.delete(origin);
  }
  originsOf.set(clientId, origins);
  for (const origin of origins) holders.set(origin, (holders.get(origin) ?? new Set()).add(clientId));
}

/** Whether one of the clients still has the origin. The newest, which likely has, is asked first; those that have not are forgotten. */
async function isStillHeld(ids: Set<string>, isHeldBy: (clientId: string) => Promise<boolean>): Promise<boolean> {
  const newestFirst = [...ids].reverse();
  for (let first = 0, size = 1; first < newestFirst.length; first += size, size = groupSize) {
    const group = newestFirst.slice(first, first + size);
    // Where the database is away, what is in memory counts.
    const held = await Promise.all(group.map((clientId) => isHeldBy(clientId).catch(() => true)));
    for (const [index, clientId] of group.entries()) if (!held[index]) ids.delete(clientId);
    if (held.includes(true)) return true;
  }
  return false;
}
