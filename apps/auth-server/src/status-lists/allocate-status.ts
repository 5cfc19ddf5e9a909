import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { LRUCache } from 'lru-cache';
import { listIdOf, type TokenStatus } from '../protocol/token-status.ts';
import { type Block, createReserveStatusBlock } from './reserve-status-block.ts';
import type { StatusLists } from './status-lists.ts';
import type { StatusOwner } from './status-owner.ts';
import type { StatusStore } from './status-store.ts';

/** Gives each access token of a client a status of its own. */
export type AllocateStatus = (owner: StatusOwner) => Promise<TokenStatus>;

interface Dependencies {
  statuses: StatusStore;
  /** What is registered under a client_id now. */
  findOwner(clientId: string): Promise<Pick<StatusOwner, 'registrationId' | 'tokenGeneration'> | undefined>;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
}

/**
 * Indices are taken from blocks. A row of its own reserves each block for one client, its generation and one list; most
 * tokens cost no statement. A block that a killed process leaves half used is lost, which costs a few bits for an hour.
 */
export function createAllocateStatus({ statuses, findOwner, statusLists, clock }: Dependencies): AllocateStatus {
  const reserveStatusBlock = createReserveStatusBlock({ statuses, findOwner, statusLists });
  const blocks = new LRUCache<string, Block>({ max: 50_000 });
  const reserving = new Map<string, Promise<void>>();

  const reserve = async (key: string, listId: number, owner: StatusOwner): Promise<void> => {
    blocks.set(key, await reserveStatusBlock(owner, listId, blocks.get(key)));
  };
  /** One reservation at a time for each client and list, however many tokens wait for it. */
  const reserveOnce = (key: string, listId: number, owner: StatusOwner): Promise<void> => {
    const running = reserving.get(key);
    if (running !== undefined) return running;
    const started = reserve(key, listId, owner).finally(() => reserving.delete(key));
    reserving.set(key, started);
    return started;
  };

  return async (owner) => {
    const listId = listIdOf(toSeconds(clock()) + owner.accessTokenValidity);
    const key = `${owner.registrationId} ${owner.tokenGeneration} ${listId}`;
    for (;;) {
      const block = blocks.get(key);
      if (block !== undefined && block.next < block.end) {
        block.next += 1;
        return { listId, index: block.next - 1 };
      }
      await reserveOnce(key, listId, owner);
    }
  };
}
