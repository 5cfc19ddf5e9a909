import type { KeyEncryption } from './key-encryption.ts';
import { findKeyPair } from './keys-in-hand.ts';
import type { StoredSigningKey } from './signing-key.ts';
import type { SigningKeyStore } from './signing-key-store.ts';

interface Dependencies {
  signingKeys: Pick<SigningKeyStore, 'list' | 'delete'>;
  encryption: KeyEncryption;
}

/** Deletes the signing keys that no key at hand opens, those past their time too, and gives them. */
export async function deleteUnreadableKeys({ signingKeys, encryption }: Dependencies): Promise<StoredSigningKey[]> {
  const stored = await signingKeys.list(0);
  const unreadable = stored.filter(
    ({ kid, encryptedPrivateKey }) => findKeyPair(encryptedPrivateKey, kid, encryption) === undefined,
  );
  for (const { kid } of unreadable) await signingKeys.delete(kid);
  return unreadable;
}
