import { hash, randomBytes } from 'node:crypto';
import type { SlowHash, Turn } from '@gatehouse/service-kit';
import { LRUCache } from 'lru-cache';

/** Milliseconds for which a secret that matched is remembered, so that argon2id does not run for every request. */
const rememberedFor = 5 * 60_000;

/**
 * A secret that matched is remembered by a digest under a key of this process, bound to the stored hash it matched: once
 * the secret is replaced, the memory of the old one fits nothing any more.
 */
export function createRememberedSecrets(slowHash: SlowHash) {
  const processKey = randomBytes(32).toString('hex');
  const remembered = new LRUCache<string, true>({ max: 50_000, ttl: rememberedFor });
  const fingerprint = (storedHash: string, secret: string) =>
    hash('sha256', `${processKey}${storedHash}\0${secret}`, 'base64');

  const verifying = new Map<string, Promise<boolean>>();
  const verifyAndRemember = async (storedHash: string, secret: string, key: string, turn?: Turn) => {
    const matches = await slowHash.verify(storedHash, secret, turn);
    if (matches) remembered.set(key, true);
    return matches;
  };
  const startVerifying = (storedHash: string, secret: string, key: string, turn?: Turn) => {
    const started = verifyAndRemember(storedHash, secret, key, turn).finally(() => verifying.delete(key));
    verifying.set(key, started);
    return started;
  };

  return {
    has: (storedHash: string, secret: string): boolean => remembered.has(fingerprint(storedHash, secret)),
    /**
     * One hash for all who present the same secret at the same moment, as many replicas of one client do. Takes the time
     * of one hash also where nothing is stored.
     */
    verify(storedHash: string | undefined, secret: string, turn?: Turn): Promise<boolean> {
      if (storedHash === undefined) return slowHash.verify(undefined, secret, turn);
      const key = fingerprint(storedHash, secret);
      // Where somebody else found no place in the queue, this one may.
      return (
        verifying.get(key)?.catch(() => startVerifying(storedHash, secret, key, turn)) ??
        startVerifying(storedHash, secret, key, turn)
      );
    },
  };
}
