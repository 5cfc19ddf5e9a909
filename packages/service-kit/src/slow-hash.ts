import { availableParallelism } from 'node:os';
import { ProblemError } from '@gatehouse/shared';
import { type Algorithm, hash, hashRaw, verify } from '@node-rs/argon2';
import { createFairQueue, type FairQueueObserver } from './fair-queue.ts';
import { buildChoreTurn, type Turn } from './turn.ts';

// The library declares its algorithms as an ambient const enum, which separate compilation cannot read.
const argon2id = 2 as Algorithm.Argon2id;

/** Stands for the service itself, where nobody asks for a hash. */
const ownAddress = '';

/** The cost of one hash. */
export interface HashCost {
  /** KiB. */
  memoryCost: number;
  /** Passes over the memory. */
  timeCost: number;
}

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane; about 10 ms. */
const usualCost: HashCost = { memoryCost: 19_456, timeCost: 2 };

/** While hashes wait, results are handed out in groups: one result for this many waiting hashes, … */
const waitingPerResult = 8;
/** … but at most this many results in a group. */
const largestGroup = 8;

/**
 * argon2id off the event loop: a bounded number at a time, with a deadline on the wait. Each hash pushes the event loop's
 * code and data out of the caches of the core that they share. So while many hashes wait, results are held until there
 * are an eighth as many as wait, eight at most. The event loop then handles all of them at once.
 */
export interface SlowHash {
  /** Hashes a new password for the caller at `address`; without one for the service itself. */
  hash(password: string, address?: string): Promise<string>;
  /** Where `stored` is undefined, compares with a decoy and gives false. `turn` says how it waits ({@link createFairQueue}). */
  verify(stored: string | undefined, password: string, turn?: Turn): Promise<boolean>;
  /** Gives 32 bytes of a secret under a salt, the same each time. */
  digest(secret: string, salt: Buffer, turn: Turn): Promise<Buffer>;
  /** Hashes that wait for their turn. */
  waiting(): number;
  /** Hashes that are computed now, and the most at the same time. */
  running(): number;
  readonly concurrency: number;
}

export interface SlowHashOptions {
  /** By default what OWASP recommends. Services run with the default; their tests give a lower cost. */
  cost?: HashCost;
  /** Hashes at the same time. By default fewer than the cores, so that a core is left for other work. */
  concurrency?: number;
  /** Milliseconds after which a waiting hash fails with a 503. */
  maxWait?: number;
  now?: () => number;
  observer?: FairQueueObserver;
}

export function createSlowHash(options: SlowHashOptions = {}): SlowHash {
  const cost = options.cost ?? usualCost;
  const parameters = { algorithm: argon2id, ...cost, parallelism: 1 };
  const decoyHash = buildDecoyHash(cost);
  const concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1);
  const maxWait = options.maxWait ?? 5_000;
  const now = options.now ?? (() => performance.now());
  const queue = createFairQueue({
    concurrency,
    maxWait,
    now,
    refuse: () => new OverloadedError(),
    observer: options.observer,
  });
  const group: (() => void)[] = [];

  const inTurn = async <T>(work: () => Promise<T>, turn: Turn): Promise<T> => {
    try {
      const result = await queue.run(turn, work);
      await inGroup();
      return result;
    } catch (error) {
      handOut();
      throw error;
    }
  };
  const inGroup = () =>
    new Promise<void>((resolve) => {
      group.push(resolve);
      handOut();
    });
  /** Hands the group out once it is complete, at the latest when no hash waits. Runs after every hash, also a failed one. */
  const handOut = () => {
    if (group.length < Math.min(queue.waiting() / waitingPerResult, largestGroup)) return;
    for (const resolve of group.splice(0)) resolve();
  };

  return {
    hash: (password, address = ownAddress) => inTurn(() => hash(password, parameters), buildChoreTurn(address)),
    verify: (stored, password, turn = buildChoreTurn(ownAddress)) =>
      inTurn(async () => {
        const matches = await verify(stored ?? decoyHash, password);
        return matches && stored !== undefined;
      }, turn),
    digest: (secret, salt, turn) => inTurn(() => hashRaw(secret, { ...parameters, salt }), turn),
    waiting: queue.waiting,
    running: queue.running,
    concurrency,
  };
}

/** A hash of no password. It is compared where no hash is stored, so that the answer takes the same time. */
function buildDecoyHash({ memoryCost, timeCost }: HashCost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$Z2F0ZWhvdXNlLWRlY295IQ$bm8gcGFzc3dvcmQgaGFzaGVzIHRvIHRoaXMgdmFsdWUh`;
}

/** 503: a password or a secret cannot be checked now. */
export class OverloadedError extends ProblemError {
  /** Seconds. */
  constructor(retryAfter = 1) {
    super(503, 'too many credentials are being checked at the moment; try again', { retryAfter });
  }
}
