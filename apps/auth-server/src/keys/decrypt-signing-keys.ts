import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyEncryption } from './key-encryption.ts';
import type { SigningKey, StoredSigningKey } from './signing-key.ts';

/** The stored keys, ready to sign. A key that is in hand already is not decrypted again. */
export function decryptSigningKeys(
  stored: readonly StoredSigningKey[],
  inHand: readonly SigningKey[],
  encryption: KeyEncryption,
): SigningKey[] {
  const known = new Map(inHand.map((key) => [key.kid, key]));
  return stored.map(({ encryptedPrivateKey, ...key }) => {
    // A key id is the thumbprint of its key, so it never comes to name another.
    const { privateKey, publicKey } =
      known.get(key.kid) ?? readKeyPair(encryption.decrypt(encryptedPrivateKey, key.kid));
    return { ...key, privateKey, publicKey };
  });
}

function readKeyPair(pem: string) {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
