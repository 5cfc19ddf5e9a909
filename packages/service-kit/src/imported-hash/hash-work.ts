import type { ImportedHash, Pbkdf2Hash, ScryptHash } from './imported-hash.ts';

/** The work of one comparison. */
export interface HashWork {
  /** Multiples of the time of a hash of ours, which is argon2id as OWASP recommends it. */
  time: number;
  /** KiB that it takes while it is computed. */
  memory: number;
}

/** KiB times passes of a hash of ours. */
const ours = 19_456 * 2;
/** Measured on the machine of `docs/performance.md`: how much of each takes the time of one of ours. */
const bcryptRounds = 2 ** 10 / 4.3;
const pbkdf2Iterations = { sha1: 87_000, sha256: 87_000, sha512: 34_000 };
const scryptMemory = 6 * 1024;

/** Bytes of one block of PBKDF2, each of which takes all iterations. */
const digestLength = { sha1: 20, sha256: 32, sha512: 64 };

export function estimateHashWork(stored: ImportedHash): HashWork {
  switch (stored.kind) {
    case 'argon2':
      return { time: (stored.memory * stored.passes) / ours, memory: stored.memory };
    case 'wrapped':
      return estimateHashWork(stored.inner);
    case 'bcrypt':
      return { time: 2 ** stored.cost / bcryptRounds, memory: 0 };
    case 'pbkdf2':
      return { time: countIterations(stored) / pbkdf2Iterations[stored.digest], memory: 0 };
    case 'scrypt':
      return {
        time: (128 * stored.r * 2 ** stored.ln * stored.p) / 1024 / scryptMemory,
        memory: takenByScrypt(stored),
      };
  }
}

function countIterations({ iterations, expected, digest }: Pbkdf2Hash): number {
  return iterations * Math.ceil(expected.length / digestLength[digest]);
}

/** KiB. OpenSSL keeps the big array once, and the blocks. */
function takenByScrypt({ ln, r, p }: ScryptHash): number {
  return Math.ceil((128 * r * (2 ** ln + p + 2)) / 1024);
}
