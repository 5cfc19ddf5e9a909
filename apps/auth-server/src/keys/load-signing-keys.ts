import type { Clock } from '@gatehouse/service-kit';
import { generateSigningKey, keyLifetime } from './generate-signing-key.ts';
import { describeUnreadable, type KeyEncryption } from './key-encryption.ts';
import type { SigningAlgorithm, StoredSigningKey } from './signing-key.ts';
import type { SigningKeyStore } from './signing-key-store.ts';

interface Dependencies {
  signingKeys: SigningKeyStore;
  encryption: KeyEncryption;
  clock: Clock;
}

/** The keys that this process has read. */
interface KeysInHand {
  /** Gives those that cannot be read. */
  replace(stored: readonly StoredSigningKey[]): StoredSigningKey[];
  /** Lists the algorithms that no key in hand signs by. */
  listMissing(): SigningAlgorithm[];
}

/**
 * Reads the keys; makes the first ones where there are none. A key that cannot be read is passed over while another one
 * signs. Where none does, this throws and makes no key: the other replicas could not read it.
 */
export async function loadSigningKeys(inHand: KeysInHand, deps: Dependencies): Promise<void> {
  const read = async () => {
    const stored = await deps.signingKeys.list(deps.clock());
    const unreadable = inHand.replace(stored);
    for (const key of stored) if (!unreadable.includes(key)) await encryptByCurrentKey(key, deps);
    return { unreadable, readsOthers: stored.length > unreadable.length };
  };
  const { unreadable, readsOthers } = await read();
  const missing = inHand.listMissing();
  if (missing.length === 0) return;
  const cause = unreadable.find(({ algorithm }) => missing.includes(algorithm));
  if (cause !== undefined) throw new Error(describeUnreadable(cause, readsOthers));
  await Promise.all(missing.map((algorithm) => makeFirst(algorithm, deps)));
  await read();
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
