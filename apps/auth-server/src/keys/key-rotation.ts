import { type Clock, ConfigError } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import type { KeyEncryption } from './key-encryption.ts';
import { type KeySummary, summarizeKeys } from './key-summary.ts';
import {
  generateSigningKey,
  keyLifetime,
  type SigningAlgorithm,
  type StoredSigningKey,
  signingAlgorithms,
} from './signing-key.ts';
import type { SigningKeyStore } from './signing-key-store.ts';

/** Milliseconds for which a new key is shown before it signs: longer than anybody keeps a key set. */
export const defaultPublishLead = 10 * 60_000;
/** Milliseconds: every replica has read the key by then. A verifier that meets the key first fetches the key set. */
export const shortestPublishLead = 5_000;
/** Milliseconds. */
export const longestPublishLead = 365 * 86_400_000;
/** Milliseconds for which a key is shown after it ceased to sign: longer than any token lives. */
const shownAfterwards = maximumAccessTokenValidity * 1000 + 5 * 60_000;

/** Rotation by rows alone: no leader, no restart, no message. Every replica reads the rows and looks at the clock. */
export interface KeyRotation {
  list(): Promise<KeySummary[]>;
  /**
   * Makes the next key of every algorithm; gives the keys as they are then. Throws a ConfigError, and makes none, where it
   * cannot read the key that has been there longest: the replicas that run could not read the new ones either.
   */
  rotate(publishLead: number): Promise<KeySummary[]>;
  /** The same, for exactly one of several at the same moment, and for none while a key waits; undefined for the others. */
  rotateUnlessWaiting(publishLead: number): Promise<KeySummary[] | undefined>;
}

interface Dependencies {
  signingKeys: SigningKeyStore;
  encryption: KeyEncryption;
  clock: Clock;
}

export function createKeyRotation({ signingKeys, encryption, clock }: Dependencies): KeyRotation {
  const readStored = () => signingKeys.list(clock());
  const list = async () => summarizeKeys(await readStored(), clock());

  const rotateOne = async (algorithm: SigningAlgorithm, keys: readonly KeySummary[], publishLead: number) => {
    const generations = keys.filter((key) => key.algorithm === algorithm).map((key) => key.generation);
    const generation = Math.max(0, ...generations) + 1;
    const publishAt = clock();
    const signFrom = publishAt + publishLead;
    const schedule = { generation, publishAt, signFrom, expiresAt: publishAt + keyLifetime };
    // Two operators at once: the number of the generation lets one through.
    if (!(await signingKeys.insert(await generateSigningKey(algorithm, schedule, encryption)))) return false;
    await signingKeys.retire(algorithm, generation, signFrom + shownAfterwards);
    return true;
  };
  const readReadable = async () => {
    const stored = await readStored();
    checkOldestReadable(stored, encryption);
    return summarizeKeys(stored, clock());
  };

  return {
    list,
    async rotate(publishLead) {
      const keys = await readReadable();
      for (const algorithm of signingAlgorithms) await rotateOne(algorithm, keys, publishLead);
      return list();
    },
    async rotateUnlessWaiting(publishLead) {
      const keys = await readReadable();
      if (keys.some(({ state }) => state === 'waiting')) return undefined;
      const [first, ...others] = signingAlgorithms;
      if (!(await rotateOne(first, keys, publishLead))) return undefined;
      for (const algorithm of others) await rotateOne(algorithm, keys, publishLead);
      return list();
    },
  };
}

/** The oldest key is one that the replicas read, also where a later one was made with a wrong KEY_ENCRYPTION_KEY. */
function checkOldestReadable(stored: readonly StoredSigningKey[], encryption: KeyEncryption): void {
  const [oldest] = [...stored].sort((a, b) => a.publishAt - b.publishAt);
  if (oldest === undefined)
    throw new ConfigError('there is no signing key yet; start auth-server, which makes the first');
  try {
    encryption.decrypt(oldest.encryptedPrivateKey, oldest.kid);
  } catch {
    throw new ConfigError(
      `KEY_ENCRYPTION_KEY does not decrypt the signing key ${oldest.kid}; nothing was rotated; set it to the value that the replicas have`,
    );
  }
}
