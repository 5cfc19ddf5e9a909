import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { buildEntryLimit, type Clock, type SlowHash, type Turn } from '@gatehouse/service-kit';
import { parseImportedHash } from '@gatehouse/service-kit/imported-hash';
import { LRUCache } from 'lru-cache';
import type { Client } from './client.ts';
import type { ClientStore } from './client-store.ts';
import { nameHash } from './imported-secret.ts';

export type ClientSecrets = ReturnType<typeof createClientSecrets>;

/** A secret as it is stored. */
interface StoredSecret {
  hash: string;
  digest: string | undefined;
  /** Compared in the place of the hash. */
  imported?: string | undefined;
}

/** A secret by which a client can prove itself now. */
export interface GoodSecret extends StoredSecret {
  kind: 'secret' | 'previous_secret';
}

/**
 * Client secrets at rest are argon2id hashes. One that matched is remembered. A secret that the server made has 256 bits
 * and is compared by its digest.
 */
export function createClientSecrets({
  slowHash,
  clients,
  clock,
}: {
  slowHash: SlowHash;
  clients: Pick<ClientStore, 'replaceImportedSecret'>;
  clock: Clock;
}) {
  const remembered = createRememberedSecrets(slowHash);
  const findGoodSecrets = (client: Client): GoodSecret[] => {
    const { secretHash, secretDigest, importedSecret } = client;
    if (secretHash === undefined) return [];
    const current: GoodSecret = { kind: 'secret', hash: secretHash, digest: secretDigest, imported: importedSecret };
    const previous = findPreviousSecret(client, clock());
    if (previous === undefined) return [current];
    const { hash: previousHash, digest, imported } = previous;
    return [current, { kind: 'previous_secret', hash: previousHash, digest, imported }];
  };
  /** The secret that this one matched in the last five minutes, which is known without hashing. */
  const findRemembered = (client: Client, secret: string): GoodSecret | undefined =>
    findGoodSecrets(client).find((stored) => remembered.has(stored, secret));
  /** Puts a hash of ours in the place of an imported one. If that fails, the next right secret does it. */
  const rehash = async (client: Client, secret: string): Promise<void> => {
    if (client.importedSecret === undefined) return;
    try {
      await clients.replaceImportedSecret(client, await slowHash.hash(secret));
    } catch {
      // Neither a full queue nor a database that is away makes the secret a wrong one.
    }
  };

  return {
    /** Hashes a secret that a person chose, for the caller at `address`. */
    hash: (secret: string, address: string): Promise<string> => slowHash.hash(secret, address),
    findRemembered,
    /** The secret that it is, where the server made that for the client: of 256 bits, which nobody guesses. */
    findMade: (client: Client, secret: string): GoodSecret | undefined =>
      findGoodSecrets(client).find((stored) => matchesDigest(stored, secret)),
    /** Whether a secret that people chose may open this client: then a wrong one is a guess. */
    isGuessable(client: Client | undefined): boolean {
      const good = client === undefined ? [] : findGoodSecrets(client);
      return good.length === 0 || good.some((stored) => !isDigestOf(stored));
    },
    /** Takes the time of one hash also where there is no client, or a public one. */
    async verify(client: Client | undefined, secret: string, turn?: Turn): Promise<boolean> {
      if (client !== undefined && findRemembered(client, secret) !== undefined) return true;
      const [current, previous] = client === undefined ? [] : findGoodSecrets(client);
      if (await remembered.verify(current, secret, turn)) {
        if (client !== undefined) await rehash(client, secret);
        return true;
      }
      return previous !== undefined && remembered.verify(previous, secret, turn);
    },
  };
}

/** The secret before the present one, as long as it works. */
export function findPreviousSecret({ previousSecret }: Client, now: number): Client['previousSecret'] {
  return previousSecret !== undefined && previousSecret.expiresAt > now ? previousSecret : undefined;
}

/** Whether the server made the present secret; undefined where there is none, and where nobody knows. */
export function isSecretMadeHere({ secretHash, secretDigest, secretSetAt }: Client): boolean | undefined {
  if (secretHash === undefined) return undefined;
  // Releases that made secrets without a digest kept no time.
  return isDigestOf({ hash: secretHash, digest: secretDigest }) || (secretSetAt === undefined ? undefined : false);
}

/** A new secret of 256 bits, with its stored form. Nobody guesses it, so a digest is enough and no slow hash is computed. */
export function makeClientSecret() {
  const secret = randomBytes(32).toString('base64url');
  const secretHash = buildUnmatchableHash();
  return { secret, stored: { secretHash, secretDigest: buildSecretDigest(secretHash, secret) } };
}

/** The SHA-256 of a secret that this server made elsewhere, as exports write it. */
const madeForm = /^\$gh-made\$([A-Za-z0-9_-]{43})$/;

const formatMade = (digest: string): string => `$gh-made$${digest}`;

/** Whether a text is the hash of a secret that can be kept. */
export function isSecretHash(text: string): boolean {
  return madeForm.test(text) || parseImportedHash(text) !== undefined;
}

/** A secret that another server hashed, as it is stored. */
export function keepImportedSecret(
  text: string,
): Pick<Client, 'secretHash' | 'secretDigest' | 'importedSecret'> & { secretHash: string } {
  const secretHash = buildUnmatchableHash();
  const digest = madeForm.exec(text)?.[1];
  if (digest === undefined) return { secretHash, secretDigest: undefined, importedSecret: text };
  return { secretHash, secretDigest: `${nameHash(secretHash)}.${digest}`, importedSecret: undefined };
}

/** The form of a secret that nobody has. */
export const describeUnknownSecret = (): string => formatMade(randomBytes(32).toString('base64url'));

/** The present secret in a form that an import takes; undefined where there is none. */
export function describeSecret({ secretHash, secretDigest, importedSecret }: Client): string | undefined {
  if (secretHash === undefined) return undefined;
  return describeStoredSecret({ hash: secretHash, digest: secretDigest, imported: importedSecret });
}

/** The same of one that there is. */
export function describeStoredSecret({ hash: storedHash, digest, imported }: StoredSecret): string {
  if (imported !== undefined) return imported;
  const prefix = `${nameHash(storedHash)}.`;
  return digest?.startsWith(prefix) ? formatMade(digest.slice(prefix.length)) : storedHash;
}

/**
 * An argon2id hash of no secret, at the lowest cost: the digest names it. A release that compares hashes too computes it in
 * microseconds, and finds no match.
 */
function buildUnmatchableHash(): string {
  const [salt, nothing] = [16, 32].map((length) => randomBytes(length).toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${nothing}`;
}

/**
 * The value stored with the hash of a secret that the server made. It names that hash: a release that knows no digests may
 * replace the hash alone, and what is left of the digest then belongs to nothing.
 */
export function buildSecretDigest(storedHash: string, secret: string): string {
  return `${nameHash(storedHash)}.${hash('sha256', secret, 'base64url')}`;
}

function isDigestOf({ hash: storedHash, digest }: StoredSecret): boolean {
  return digest?.startsWith(`${nameHash(storedHash)}.`) ?? false;
}

function matchesDigest(stored: StoredSecret, secret: string): boolean {
  if (stored.digest === undefined) return false;
  const [given, expected] = [Buffer.from(buildSecretDigest(stored.hash, secret)), Buffer.from(stored.digest)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Milliseconds for which a secret that matched is remembered, so that argon2id does not run for every request. */
const rememberedFor = 5 * 60_000;

/**
 * A secret that matched is remembered by a digest under a key of this process, bound to the stored hash it matched: once
 * the secret is replaced, the memory of the old one fits nothing any more.
 */
function createRememberedSecrets(slowHash: SlowHash) {
  const processKey = randomBytes(32).toString('hex');
  const remembered = new LRUCache<string, true>({ ttl: rememberedFor, ...buildEntryLimit(50_000) });
  const fingerprint = (storedHash: string, secret: string) =>
    hash('sha256', `${processKey}${storedHash}\0${secret}`, 'base64');

  const verifying = new Map<string, Promise<boolean>>();
  const verifyAndRemember = async (stored: StoredSecret, secret: string, key: string, turn?: Turn) => {
    const matches = await slowHash.verify(stored.imported ?? stored.hash, secret, turn);
    if (matches) remembered.set(key, true);
    return matches;
  };
  const startVerifying = (stored: StoredSecret, secret: string, key: string, turn?: Turn) => {
    const started = verifyAndRemember(stored, secret, key, turn).finally(() => verifying.delete(key));
    verifying.set(key, started);
    return started;
  };

  return {
    has: (stored: StoredSecret, secret: string): boolean => remembered.has(fingerprint(stored.hash, secret)),
    /**
     * One hash for all who present the same secret at the same moment, as many replicas of one client do. Takes the time
     * of one hash also where nothing is stored.
     */
    verify(stored: StoredSecret | undefined, secret: string, turn?: Turn): Promise<boolean> {
      if (stored === undefined) return slowHash.verify(undefined, secret, turn);
      const key = fingerprint(stored.hash, secret);
      // Where another caller found no place in the queue, this one may.
      return (
        verifying.get(key)?.catch(() => startVerifying(stored, secret, key, turn)) ??
        startVerifying(stored, secret, key, turn)
      );
    },
  };
}
