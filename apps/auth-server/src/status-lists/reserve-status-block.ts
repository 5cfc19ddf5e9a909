import { OAuthError } from '@gatehouse/shared';
import { listExpiresAt } from '../protocol/token-status.ts';
import type { StatusLists } from './status-lists.ts';
import type { StatusOwner } from './status-owner.ts';
import type { StatusStore } from './status-store.ts';

/** Indices of one list that this process gives out to one client. */
export interface Block {
  next: number;
  end: number;
  size: number;
}

/** Reserves the client's next block; `used` is the one before it. Throws where the client is not what it was. */
export type ReserveStatusBlock = (owner: StatusOwner, listId: number, used: Block | undefined) => Promise<Block>;

/** Indices a client gets at first, and at most, with one statement. */
const firstBlock = 16;
const largestBlock = 4096;

interface Dependencies {
  statuses: StatusStore;
  /** What is registered under a client_id now. */
  findOwner(clientId: string): Promise<Pick<StatusOwner, 'registrationId' | 'tokenGeneration'> | undefined>;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
}

export function createReserveStatusBlock({ statuses, findOwner, statusLists }: Dependencies): ReserveStatusBlock {
  return async (owner, listId, used) => {
    const { clientId, registrationId, tokenGeneration: generation } = owner;
    // The process that ended the generations before may have been killed halfway.
    if (used === undefined && generation > 0) await statusLists.revokeRegistration(registrationId, generation);
    // A client that uses up its block gets a larger one.
    const size = Math.min(largestBlock, (used?.size ?? firstBlock / 4) * 4);
    const expiresAt = listExpiresAt(listId);
    const first = await statuses.reserve({ listId, registrationId, generation, size, expiresAt });
    checkStillCurrent(owner, await findOwner(clientId));
    return { next: first, end: first + size, size };
  };
}

/**
 * Another replica may have deleted the client a moment ago, or ended its access tokens. Either it saw this block, and
 * revoked all that is in it, or the client is gone or another now.
 */
function checkStillCurrent(
  { registrationId, tokenGeneration }: StatusOwner,
  current: Pick<StatusOwner, 'registrationId' | 'tokenGeneration'> | undefined,
): void {
  if (current?.registrationId !== registrationId) {
    throw new OAuthError('invalid_client', 'the client is not registered any more');
  }
  if (current.tokenGeneration === tokenGeneration) return;
  throw new OAuthError('temporarily_unavailable', 'the client was changed a moment ago; try again', { retryAfter: 1 });
}
