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

/** argon2id off the event loop, a bounded number at a time, with a deadline on the wait. */
export interface SlowHash {
  hash(password: string): Promise<string>;
  /** Compares with a decoy where `stored` is undefined, and then is false. */
  verify(stored: string | undefined, password: string): Promise<boolean>;
  /** Hashes that wait for their turn. */
  waiting(): number;
}

export interface SlowHashOptions {
  /** Hashes at the same time; below the number of cores, so that the rest of the machine goes on. */
  concurrency?: number;
  /** Milliseconds after which a waiting hash is given up with a 503. */
  maxWait?: number;
  now?: () => number;
}

export function createSlowHash(options: SlowHashOptions = {}): SlowHash {
  const concurrency = options.concurrency ?? Math.max(1, availableParallelism() - 1);
  const maxWait = options.maxWait ?? 5_000;
  const now = options.now ?? (() => performance.now());
  const limit = pLimit(concurrency);

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const deadline = now() + maxWait;
    return limit(() => {
      if (now() > deadline) throw overloaded();
      return work();
    });
  };

  return {
    hash: (password) => inTurn(() => hash(password, parameters)),
    verify: (stored, password) =>
      inTurn(async () => {
        const matches = await verify(stored ?? decoyHash, password);
        return matches && stored !== undefined;
      }),
    waiting: () => limit.pendingCount,
  };
}

function overloaded(): ProblemError {
  return new ProblemError(503, 'too many credentials are being checked at the moment; try again', { retryAfter: 1 });
}
