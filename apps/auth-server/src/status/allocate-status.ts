import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { Client } from '../clients/client.ts';
import type { ClientStore, StatusStore } from '../storage/stores.ts';
import { listExpiresAt, listIdOf, type TokenStatus } from './token-status.ts';

/** Gives each access token of a client a status of its own. */
export type AllocateStatus = (client: Client) => Promise<TokenStatus>;

/** Indices a client gets at first, and at most, with one statement. */
const firstBlock = 16;
const largestBlock = 4096;

interface Block {
  next: number;
  end: number;
  size: number;
}

interface Dependencies {
  statuses: StatusStore;
  clients: Pick<ClientStore, 'find'>;
  clock: Clock;
}

/**
 * Indices are taken from blocks, each reserved for one client and one list by a row of its own; most tokens cost no
 * statement. A block that a killed process leaves half used is lost, which costs a few bits for an hour.
 */
export function createAllocateStatus({ statuses, clients, clock }: Dependencies): AllocateStatus {
  const blocks = new LRUCache<string, Block>({ max: 50_000 });
  const reserving = new Map<string, Promise<Block>>();

  const reserve = async (key: string, listId: number, { clientId, registrationId }: Client): Promise<Block> => {
    // A client that uses up its block gets a larger one.
    const size = Math.min(largestBlock, (blocks.get(key)?.size ?? firstBlock / 4) * 4);
    const first = await statuses.reserve({ listId, registrationId, size, expiresAt: listExpiresAt(listId) });
    // Another replica may have deleted the client a moment ago. Either it saw this block, and revoked all that is in it,
    // or the client is gone now.
    const current = await clients.find(clientId);
    if (current?.registrationId !== registrationId) {
      throw new OAuthError('invalid_client', 'the client is not registered any more');
    }
    const block = { next: first, end: first + size, size };
    blocks.set(key, block);
    return block;
  };
  /** One reservation at a time for each client and list, however many tokens wait for it. */
  const reserveOnce = (key: string, listId: number, client: Client): Promise<Block> => {
    const running = reserving.get(key);
    if (running !== undefined) return running;
    const started = reserve(key, listId, client).finally(() => reserving.delete(key));
    reserving.set(key, started);
    return started;
  };

  return async (client) => {
    const listId = listIdOf(toSeconds(clock()) + client.accessTokenValidity);
    const key = `${client.registrationId} ${listId}`;
    for (;;) {
      const block = blocks.get(key);
      if (block !== undefined && block.next < block.end) {
        block.next += 1;
        return { listId, index: block.next - 1 };
      }
      await reserveOnce(key, listId, client);
    }
  };
}
