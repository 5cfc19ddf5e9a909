import { buildEntryLimit, type Clock, toSeconds } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import { listExpiresAt, listIdOf, type TokenStatus } from '../protocol/token-status.ts';
import type { StatusLists } from './status-lists.ts';
import type { StatusStore } from './status-store.ts';

/** The client that an access token is for. */
export interface StatusOwner {
  clientId: string;
  registrationId: string;
  tokenGeneration: number;
  /** Seconds. */
  accessTokenValidity: number;
}

/** The client that is registered under a client_id now. */
export interface FoundOwner extends Pick<StatusOwner, 'clientId' | 'registrationId' | 'tokenGeneration'> {
  /** The instant at which it is deleted unless it is used until then; undefined where no such instant is set. */
  lapsesAt?: number | undefined;
}

/** Notes that a client is used which lapses otherwise; false where it is gone. */
export type NoteOwnersUse = (owner: FoundOwner & { lapsesAt: number }) => Promise<boolean>;

interface Dependencies {
  statuses: StatusStore;
  findOwner(clientId: string): Promise<FoundOwner | undefined>;
  /** Called once for each block of such a client, before the block is used. */
  noteUse: NoteOwnersUse;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
}

/** Indices of one list that this process gives out to one client. */
interface Block {
  next: number;
  end: number;
  size: number;
  /** Reserved before the last index of this one is taken. */
  following?: Block;
}

/** Indices a client gets at first, and at most, with one statement. */
const firstBlock = 16;
const largestBlock = 4096;
/** Indices left in a block of the largest size when the next one is reserved: a busy client waits for none. */
const reserveAt = 1024;

export type StatusAllocation = ReturnType<typeof createStatusAllocation>;

/**
 * Indices are taken from blocks. A row of its own reserves each block for one client, its generation and one list; most
 * tokens cost no statement. A block that a killed process leaves half used is lost, which costs a few bits for an hour.
 */
export function createStatusAllocation(deps: Dependencies) {
  const blocks = new LRUCache<string, Block>(buildEntryLimit(50_000));
  const reserving = new Map<string, Promise<void>>();

  const reserve = async (key: string, listId: number, owner: StatusOwner): Promise<void> => {
    const used = blocks.get(key);
    const block = await reserveBlock(deps, owner, listId, used);
    if (used !== undefined && used.next < used.end) used.following = block;
    else blocks.set(key, block);
  };
  /** One reservation at a time for each client and list, however many tokens wait for it. */
  const reserveOnce = (key: string, listId: number, owner: StatusOwner): Promise<void> => {
    const running = reserving.get(key);
    if (running !== undefined) return running;
    const started = reserve(key, listId, owner).finally(() => reserving.delete(key));
    reserving.set(key, started);
    return started;
  };

  return {
    /** Gives an access token of the client a status of its own. */
    async allocateStatus(owner: StatusOwner): Promise<TokenStatus> {
      const listId = listIdOf(toSeconds(deps.clock()) + owner.accessTokenValidity);
      const key = `${owner.registrationId} ${owner.tokenGeneration} ${listId}`;
      for (;;) {
        const block = blocks.get(key);
        if (block !== undefined && block.next < block.end) {
          block.next += 1;
          const isNearEnd = block.size === largestBlock && block.end - block.next === reserveAt;
          // Where this fails, the caller who finds the block used up tries again, and is told.
          if (isNearEnd) reserveOnce(key, listId, owner).catch(() => {});
          return { listId, index: block.next - 1 };
        }
        if (block?.following === undefined) await reserveOnce(key, listId, owner);
        else blocks.set(key, block.following);
      }
    },
  };
}

/** Reserves the client's next block; `used` is the one before it. Throws where the client is not what it was. */
async function reserveBlock(
  { statuses, findOwner, noteUse, statusLists }: Dependencies,
  owner: StatusOwner,
  listId: number,
  used: Block | undefined,
): Promise<Block> {
  const { clientId, registrationId, tokenGeneration: generation } = owner;
  // The process that ended the generations before may have been killed halfway.
  if (used === undefined && generation > 0) await statusLists.revokeRegistration(registrationId, generation);
  // A client that uses up its block gets a larger one.
  const size = Math.min(largestBlock, (used?.size ?? firstBlock / 4) * 4);
  const expiresAt = listExpiresAt(listId);
  const first = await statuses.reserve({ listId, registrationId, generation, size, expiresAt });
  const current = await findOwner(clientId);
  checkStillCurrent(owner, current);
  const { lapsesAt } = current;
  if (lapsesAt !== undefined && !(await noteUse({ ...current, lapsesAt }))) throw notRegistered();
  return { next: first, end: first + size, size };
}

/**
 * Another replica may have deleted the client a moment ago, or ended its access tokens. Either it saw this block, and
 * revoked all that is in it, or the client is gone or another now.
 */
function checkStillCurrent(
  { registrationId, tokenGeneration }: StatusOwner,
  current: FoundOwner | undefined,
): asserts current is FoundOwner {
  if (current?.registrationId !== registrationId) throw notRegistered();
  if (current.tokenGeneration === tokenGeneration) return;
  throw new OAuthError('temporarily_unavailable', 'an administrator changed the client a moment ago; try again', {
    retryAfter: 1,
  });
}

function notRegistered(): OAuthError {
  return new OAuthError('invalid_client', 'the client is no longer registered');
}
