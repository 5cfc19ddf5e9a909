import { availableParallelism } from 'node:os';
import { ProblemError } from '@gatehouse/shared';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

// The library declares its algorithms as an ambient const enum, which separate compilation cannot read.
const argon2id = 2 as Algorithm.Argon2id;
/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane; about 10 ms. */
const parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of no password: compared where there is none, so that the answer takes the same time. */
const decoyHash = '$argon2id$v=19$m=19456,t=2,p=1$Z2F0ZWhvdXNlLWRlY295IQ$bm8gcGFzc3dvcmQgaGFzaGVzIHRvIHRoaXMgdmFsdWUh';

/** While many wait, results are handed out in groups of one for this many of them … */
const waitingPerResult = 8;
/** … but of no more than this. */
const largestGroup = 8;

/**
 * argon2id off the event loop, a bounded number at a time, with a deadline on the wait. Each hash sweeps the event loop's
 * code and data out of the caches of the core that they share. So while many wait, a result is kept until as many as
 * an eighth of them, eight at most, are there, and the event loop does what follows from all of these at once.
 */
export interface SlowHash {
  hash(password: string): Promise<string>;
  /** Compares with a decoy where `stored` is undefined, and then is false. */
  verify(stored: string | undefined, password: string): Promise<boolean>;
  /** Hashes that wait for their turn. */
  waiting(): number;
  /** Hashes that are being computed, and how many may be at the same time. */
  running(): number;
  readonly concurrency: number;
}

export interface SlowHashOptions {
  /** Hashes at the same time; below the number of cores, so that the rest of the machine goes on. */
  concurrency?: number;
  /** Milliseconds after which a waiting hash is given up with a 503. */
  maxWait?: number;
  now?: () => number;
  observer?: SlowHashObserver;
}

/** Is told of each hash: the seconds it waited and the seconds it then took, or that it waited for too long. */
export interface SlowHashObserver {
  waited(seconds: number): void;
  ran(seconds: number): void;
  gaveUp(): void;
}

export function createSlowHash(options: SlowHashOptions = {}): SlowHash {
  const concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1);
  const maxWait = options.maxWait ?? 5_000;
  const now = options.now ?? (() => performance.now());
  const { observer } = options;
  const limit = pLimit(concurrency);
  const group: (() => void)[] = [];

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const askedAt = now();
    return limit(async () => {
      const startedAt = now();
      if (startedAt > askedAt + maxWait) {
        observer?.gaveUp();
        throw overloaded();
      }
      observer?.waited((startedAt - askedAt) / 1000);
      const result = await work();
      observer?.ran((now() - startedAt) / 1000);
      return result;
    }).finally(inGroup);
  };

  /** Complete at the latest when nobody waits any more: every turn comes here, however it ends. */
  const inGroup = () =>
    new Promise<void>((resolve) => {
      group.push(resolve);
      if (group.length < Math.min(limit.pendingCount / waitingPerResult, largestGroup)) return;
      for (const handOut of group.splice(0)) handOut();
    });

  return {
    hash: (password) => inTurn(() => hash(password, parameters)),
    verify: (stored, password) =>
      inTurn(async () => {
        const matches = await verify(stored ?? decoyHash, password);
        return matches && stored !== undefined;
      }),
    waiting: () => limit.pendingCount,
    running: () => limit.activeCount,
    concurrency,
  };
}

function overloaded(): ProblemError {
  return new ProblemError(503, 'too many credentials are being checked at the moment; try again', { retryAfter: 1 });
}
