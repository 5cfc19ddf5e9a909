import type { SlowHash } from '../slow-hash.ts';
import type { Tracing } from './tracing.ts';

/** Adds a span for each password or secret hash, with its wait. */
export function traceSlowHash(slowHash: SlowHash, tracing: Tracing | undefined): SlowHash {
  if (tracing === undefined) return slowHash;
  const step = (name: string) => ({ name: `argon2id ${name}`, kind: 'internal' }) as const;
  return {
    ...slowHash,
    hash: (password, address) => tracing.inSpan(step('hash'), () => slowHash.hash(password, address)),
    digest: (secret, salt, turn) => tracing.inSpan(step('digest'), () => slowHash.digest(secret, salt, turn)),
    verify: (stored, password, turn) => tracing.inSpan(step('verify'), () => slowHash.verify(stored, password, turn)),
  };
}
