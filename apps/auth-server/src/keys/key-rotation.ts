import type { Clock } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import { generateSigningKey, keyLifetime } from './generate-signing-key.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { type KeySummary, summarizeKeys } from './key-summary.ts';
import { type SigningAlgorithm, signingAlgorithms } from './signing-key.ts';
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
  /** Makes the next key of every algorithm; gives the keys as they are then. */
  rotate(publishLead: number): Promise<KeySummary[]>;
}

interface Dependencies {
  signingKeys: SigningKeyStore;
  encryption: KeyEncryption;
  clock: Clock;
}

export function createKeyRotation({ signingKeys, encryption, clock }: Dependencies): KeyRotation {
  const list = async () => summarizeKeys(await signingKeys.list(clock()), clock());

  const rotateOne = async (algorithm: SigningAlgorithm, keys: readonly KeySummary[], publishLead: number) => {
    const generations = keys.filter((key) => key.algorithm === algorithm).map((key) => key.generation);
    const generation = Math.max(0, ...generations) + 1;
    const publishAt = clock();
    const signFrom = publishAt + publishLead;
    const schedule = { generation, publishAt, signFrom, expiresAt: publishAt + keyLifetime };
    // Two operators at once: the number of the generation lets one through.
    if (!(await signingKeys.insert(await generateSigningKey(algorithm, schedule, encryption)))) return;
    await signingKeys.retire(algorithm, generation, signFrom + shownAfterwards);
  };

  return {
    list,
    async rotate(publishLead) {
      const keys = await list();
      for (const algorithm of signingAlgorithms) await rotateOne(algorithm, keys, publishLead);
      return list();
    },
  };
}
