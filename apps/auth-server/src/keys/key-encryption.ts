import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import type { SigningKey, StoredSigningKey } from './signing-key.ts';

/** Encrypts private keys at rest with AES-256-GCM; `context` is authenticated along with the text. */
export interface KeyEncryption {
  encrypt(plaintext: string, context: string): string;
  /** Throws where the text was encrypted with another key, for another context, or was changed. */
  decrypt(ciphertext: string, context: string): string;
  /** Whether the text was encrypted with the current key, not with the one before. */
  isCurrent(ciphertext: string): boolean;
}

const encryptedWithAnother = 'encrypted with another KEY_ENCRYPTION_KEY';

/**
 * For the log: the fault of a key that cannot be read, and its repair. A replica that reads no key at all has a wrong
 * KEY_ENCRYPTION_KEY: were the right one set as the one before, it would encrypt the keys of all others with the wrong one.
 */
export function describeUnreadable({ kid }: { kid: string }, readsOthers: boolean): string {
  const repair = readsOthers
    ? 'set KEY_ENCRYPTION_KEY_PREVIOUS to that one on every replica'
    : 'set the KEY_ENCRYPTION_KEY of the other replicas';
  return `the signing key ${kid} cannot be read, it is ${encryptedWithAnother}; ${repair}`;
}

/**
 * The stored form is `v1.<key id>.<iv>.<ciphertext and tag>`, base64url. What `previous` encrypted can still be read.
 */
export function createKeyEncryption(current: Buffer, previous?: Buffer): KeyEncryption {
  const currentId = keyIdOf(current);
  const keys = new Map([current, ...(previous === undefined ? [] : [previous])].map((key) => [keyIdOf(key), key]));
  return {
    encrypt(plaintext, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return ['v1', currentId, iv.toString('base64url'), sealed.toString('base64url')].join('.');
    },
    decrypt(ciphertext, context) {
      const [version, id = '', iv = '', sealed = ''] = ciphertext.split('.');
      const key = keys.get(id);
      if (version !== 'v1' || key === undefined) {
        throw new Error(encryptedWithAnother);
      }
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
    },
    isCurrent: (ciphertext) => ciphertext.split('.', 2)[1] === currentId,
  };
}

function keyIdOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/** A key for one purpose, the same on every replica that has the same root (RFC 5869). */
export function deriveKey(keyEncryptionKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', keyEncryptionKey, '', `gatehouse ${purpose}`, 32));
}

/** The stored keys, ready to sign, without those that cannot be read. A key that is in hand already is not decrypted again. */
export function decryptSigningKeys(
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
function findKeyPair(encryptedPrivateKey: string, kid: string, encryption: KeyEncryption) {
  try {
    const privateKey = createPrivateKey(encryption.decrypt(encryptedPrivateKey, kid));
    return { privateKey, publicKey: createPublicKey(privateKey) };
  } catch {
    return undefined;
  }
}
