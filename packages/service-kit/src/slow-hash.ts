import { availableParallelism } from 'node:os';
import { ProblemError } from '@gatehouse/shared';
import { type Algorithm, hash, hashRaw, verify } from '@node-rs/argon2';
import { createFairQueue, type FairQueueObserver } from './fair-queue.ts';
import { checkImportedHash, estimateHashWork, type HashWork, parseImportedHash } from './imported-hash/index.ts';
import { createMemoryBudget, hashMemory } from './memory-budget.ts';
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

/** Salt and hash of no password. It is compared where no hash is stored, so that the answer takes the same time. */
const ofNoPassword = 'Z2F0ZWhvdXNlLWRlY295IQ$bm8gcGFzc3dvcmQgaGFzaGVzIHRvIHRoaXMgdmFsdWUh';

/** Multiples of a hash of ours, about 100 ms. A longer check of a stranger waits in a queue of its own. */
const longestOfStrangers = 10;

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
  /**
   * Where `stored` is undefined, compares with a decoy and gives false. It may be a hash of another server, too
   * ({@link parseImportedHash}); one of a form that is not known gives false. `turn` says how it waits
   * ({@link createFairQueue}): a hash that takes the time of several takes their turns, and long ones of strangers are
   * compared one at a time, beyond `concurrency`.
   */
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
  /** MiB that all hashes take at the same time. */
  memory?: number;
  /** Milliseconds after which a waiting hash fails with a 503. */
  maxWait?: number;
  now?: () => number;
  observer?: FairQueueObserver;
}

export function createSlowHash(options: SlowHashOptions = {}): SlowHash {
  const cost = options.cost ?? usualCost;
  const parameters = { algorithm: argon2id, ...cost, parallelism: 1 };
  const ownForm = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$`;
  const decoyHash = `${ownForm}${ofNoPassword}`;
  const ownWork: HashWork = { time: 1, memory: cost.memoryCost };
  const concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1);
  const maxWait = options.maxWait ?? 5_000;
  const now = options.now ?? (() => performance.now());
  const inMemory = createMemoryBudget((options.memory ?? hashMemory.usual) * 1024);
  const queueOptions = { maxWait, now, refuse: () => new OverloadedError(), observer: options.observer };
  const queue = createFairQueue({ ...queueOptions, concurrency });
  // Few are waited for: their users sign in once by the hash of another server.
  const longQueue = createFairQueue({ ...queueOptions, concurrency: 1, patience: maxWait });
  const group: (() => void)[] = [];

  const inTurn = async <T>(work: () => Promise<T>, turn: Turn, { time, memory } = ownWork): Promise<T> => {
    const run = () => inMemory(memory, work);
    if (time > longestOfStrangers && turn.known === undefined) return longQueue.run(turn, run);
    try {
      const result = await queue.run(turn, run, Math.max(1, Math.round(time)));
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

  const verifyStored = (stored: string | undefined, password: string, turn: Turn): Promise<boolean> => {
    if (stored?.startsWith(ownForm)) return inTurn(() => verify(stored, password), turn);
    const imported = stored === undefined ? undefined : parseImportedHash(stored);
    if (imported === undefined) return inTurn(async () => (await verify(decoyHash, password)) && false, turn);
    return inTurn(() => checkImportedHash(imported, password), turn, estimateHashWork(imported));
  };

  return {
    hash: (password, address = ownAddress) => inTurn(() => hash(password, parameters), buildChoreTurn(address)),
    verify: (stored, password, turn = buildChoreTurn(ownAddress)) => verifyStored(stored, password, turn),
    digest: (secret, salt, turn) => inTurn(() => hashRaw(secret, { ...parameters, salt }), turn),
    waiting: () => queue.waiting() + longQueue.waiting(),
    running: () => queue.running() + longQueue.running(),
    concurrency,
  };
}

/** 503: a password or a secret cannot be checked now. */
export class OverloadedError extends ProblemError {
  /** Seconds. */
  constructor(retryAfter = 1) {
    super(503, 'too many credentials are being checked at the moment; try again', { retryAfter });
  }
}
