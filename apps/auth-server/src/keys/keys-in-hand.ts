import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Clock, Logger } from '@gatehouse/service-kit';
import { encryptedWithAnother, type KeyEncryption } from './key-encryption.ts';
import { summarizeKeys } from './key-summary.ts';
import {
  generateSigningKey,
  keyLifetime,
  type PublicJwk,
  type SigningAlgorithm,
  type SigningKey,
  type StoredSigningKey,
  signingAlgorithms,
} from './signing-key.ts';
import type { SigningKeyStore } from './signing-key-store.ts';

interface Dependencies {
  signingKeys: SigningKeyStore;
  encryption: KeyEncryption;
  clock: Clock;
  log: Logger;
}

/** The keys that this process read last. Which one signs follows from the clock alone, so every replica agrees. */
export function createKeysInHand(deps: Dependencies) {
  const { signingKeys: store, encryption, clock, log } = deps;
  let keys: SigningKey[] = [];
  let unreadable: string[] = [];
  const find = (algorithm: SigningAlgorithm) => findSigner(keys, algorithm, clock());
  const listMissing = () => signingAlgorithms.filter((algorithm) => find(algorithm) === undefined);

  const replace = (stored: readonly StoredSigningKey[]) => {
    keys = decryptSigningKeys(stored, keys, encryption);
    const read = new Set(keys.map(({ kid }) => kid));
    const unread = stored.filter(({ kid }) => !read.has(kid));
    // Once for each key, not at each reading.
    for (const key of unread) if (!unreadable.includes(key.kid)) log.error(describeUnreadable(key, keys.length > 0));
    unreadable = unread.map(({ kid }) => kid);
    return unread;
  };
  const read = async () => {
    const stored = await store.list(clock());
    const unread = replace(stored);
    for (const key of stored) if (!unread.includes(key)) await encryptByCurrentKey(key, deps);
    return unread;
  };

  return {
    /**
     * Reads the keys; makes the first ones where there are none. A key that cannot be read is passed over while another one
     * signs. Where none does, this throws and makes no key: the other replicas could not read it.
     */
    async load(): Promise<void> {
      const unread = await read();
      const missing = listMissing();
      if (missing.length === 0) return;
      const cause = unread.find(({ algorithm }) => missing.includes(algorithm));
      if (cause !== undefined) throw new Error(describeUnreadable(cause, keys.length > 0));
      await Promise.all(missing.map((algorithm) => makeFirst(algorithm, deps)));
      await read();
    },
    /** Lists the ids of the keys that cannot be read. */
    listUnreadable: () => unreadable,
    findSigner: find,
    /** Lists the algorithms that no key in hand signs by. */
    listMissing,
    listPublished(): PublicJwk[] {
      const now = clock();
      return keys.filter((key) => isPublished(key, now)).map((key) => key.publicJwk);
    },
    /** The key of an ES256 token, while the JWKS shows it. */
    findVerifier: (kid: string) =>
      keys.find((key) => key.kid === kid && key.algorithm === 'ES256' && isPublished(key, clock()))?.publicKey,
    summary: () => summarizeKeys(keys, clock()),
  };
}

/** The key that signs at `now`. */
function findSigner(keys: readonly SigningKey[], algorithm: SigningAlgorithm, now: number): SigningKey | undefined {
  return (
    keys
      .filter((key) => key.algorithm === algorithm && key.signFrom <= now && key.expiresAt > now)
      // By generation: a rotation in a hurry overtakes one that still waits, for good.
      .reduce<SigningKey | undefined>(
        (newest, key) => (newest && newest.generation >= key.generation ? newest : key),
        undefined,
      )
  );
}

/** Whether the JWKS shows the key at `now`. */
function isPublished({ publishAt, expiresAt }: SigningKey, now: number): boolean {
  return publishAt <= now && expiresAt > now;
}

/** The way out where nobody has the key any more. */
export const ifLost = 'where that is lost, run recover.js --new-keys';

/**
 * For the log: the fault of a key that cannot be read, and its repair. A replica that reads no key at all has a wrong
 * KEY_ENCRYPTION_KEY: were the right one set as the one before, it would encrypt the keys of all others with the wrong one.
 */
function describeUnreadable({ kid }: { kid: string }, readsOthers: boolean): string {
  const repair = readsOthers
    ? 'set KEY_ENCRYPTION_KEY_PREVIOUS to that one on every replica'
    : `set the KEY_ENCRYPTION_KEY of the other replicas; ${ifLost}`;
  return `the signing key ${kid} cannot be read, it is ${encryptedWithAnother}; ${repair}`;
}

/** The stored keys, ready to sign, without those that cannot be read. A key that is in hand already is not decrypted again. */
function decryptSigningKeys(
  stored: readonly StoredSigningKey[],
  inHand: readonly SigningKey[],
  encryption: KeyEncryption,
): SigningKey[] {
  const known = new Map(inHand.map((key) => [key.kid, key]));
  return stored.flatMap(({ encryptedPrivateKey, ...key }) => {
    // A key id is the thumbprint of its key, so it never comes to name another.
    const pair = known.get(key.kid) ?? findKeyPair(encryptedPrivateKey, key.kid, encryption);
    return pair === undefined ? [] : [{ ...key, privateKey: pair.privateKey, publicKey: pair.publicKey }];
  });
}

/** Undefined where the text cannot be decrypted. */
export function findKeyPair(encryptedPrivateKey: string, kid: string, encryption: KeyEncryption) {
  try {
    const privateKey = createPrivateKey(encryption.decrypt(encryptedPrivateKey, kid));
    return { privateKey, publicKey: createPublicKey(privateKey) };
  } catch {
    return undefined;
  }
}

async function makeFirst(algorithm: SigningAlgorithm, { signingKeys, encryption, clock }: Dependencies): Promise<void> {
  const now = clock();
  const schedule = { generation: 1, publishAt: now, signFrom: now, expiresAt: now + keyLifetime };
  // Where another replica was faster, its key is read next.
  await signingKeys.insert(await generateSigningKey(algorithm, schedule, encryption));
}

/** After a change of KEY_ENCRYPTION_KEY, while the one before is given as well. */
async function encryptByCurrentKey(
  { kid, encryptedPrivateKey: seen }: StoredSigningKey,
  { signingKeys, encryption }: Dependencies,
): Promise<void> {
  if (encryption.isCurrent(seen)) return;
  await signingKeys.replaceEncryptedKey(kid, seen, encryption.encrypt(encryption.decrypt(seen, kid), kid));
}
