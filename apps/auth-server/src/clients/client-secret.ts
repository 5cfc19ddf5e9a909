import { hash, randomBytes } from 'node:crypto';
import type { Clock, SlowHash } from '@gatehouse/service-kit';
import { LRUCache } from 'lru-cache';
import type { Client } from './client.ts';

/** Milliseconds for which a secret that matched is remembered, so that argon2id does not run for every request. */
const rememberedFor = 5 * 60_000;

export interface ClientSecrets {
  hash(secret: string): Promise<string>;
  /** Takes the time of one hash also where there is no client, or a public one. */
  verify(client: Client | undefined, secret: string): Promise<boolean>;
  /** Whether this secret matched lately, which is known without hashing. */
  isRemembered(client: Client, secret: string): boolean;
}

/**
 * Client secrets at rest are argon2id hashes. One that matched is remembered by a digest under a key of this process,
 * bound to the stored hash it matched: once the secret is replaced, the memory of the old one fits nothing any more.
 */
export function createClientSecrets({ slowHash, clock }: { slowHash: SlowHash; clock: Clock }): ClientSecrets {
  const processKey = randomBytes(32).toString('hex');
  const remembered = new LRUCache<string, true>({ max: 50_000, ttl: rememberedFor });
  const fingerprint = (storedHash: string, secret: string) =>
    hash('sha256', `${processKey}${storedHash}\0${secret}`, 'base64');

  const verifying = new Map<string, Promise<boolean>>();
  const verifyAndRemember = async (storedHash: string, secret: string, key: string) => {
    const matches = await slowHash.verify(storedHash, secret);
    if (matches) remembered.set(key, true);
    return matches;
  };
  /** One hash for all who present the same secret at the same moment, as many replicas of one client do. */
  const verifyAgainst = (storedHash: string | undefined, secret: string): Promise<boolean> => {
    if (storedHash === undefined) return slowHash.verify(undefined, secret);
    const key = fingerprint(storedHash, secret);
    const running = verifying.get(key);
    if (running !== undefined) return running;
    const started = verifyAndRemember(storedHash, secret, key).finally(() => verifying.delete(key));
    verifying.set(key, started);
    return started;
  };
  const findGoodHashes = (client: Client) => {
    const { secretHash, previousSecret } = client;
    const graced = previousSecret !== undefined && previousSecret.expiresAt > clock() ? [previousSecret.hash] : [];
    return secretHash === undefined ? [] : [secretHash, ...graced];
  };
  const isRemembered = (client: Client, secret: string) =>
    findGoodHashes(client).some((hash) => remembered.has(fingerprint(hash, secret)));

  return {
    hash: (secret) => slowHash.hash(secret),
    isRemembered,
    async verify(client, secret) {
      if (client !== undefined && isRemembered(client, secret)) return true;
      const [current, previous] = client === undefined ? [] : findGoodHashes(client);
      if (await verifyAgainst(current, secret)) return true;
      return previous !== undefined && verifyAgainst(previous, secret);
    },
  };
}

/** A secret of 256 bits, for an administrator who lets the server choose. */
export function generateClientSecret(): string {
  return randomBytes(32).toString('base64url');
}
