import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts private keys at rest with AES-256-GCM; `context` is authenticated along with the text. */
export interface KeyEncryption {
  encrypt(plaintext: string, context: string): string;
  /** Throws where the text was encrypted with another key, for another context, or was changed. */
  decrypt(ciphertext: string, context: string): string;
}

/** The stored form is `v1.<key id>.<iv>.<ciphertext and tag>`, base64url. */
export function createKeyEncryption(keyEncryptionKey: Buffer): KeyEncryption {
  const keyId = createHash('sha256').update(keyEncryptionKey).digest('hex').slice(0, 16);
  return {
    encrypt(plaintext, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyEncryptionKey, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return ['v1', keyId, iv.toString('base64url'), sealed.toString('base64url')].join('.');
    },
    decrypt(ciphertext, context) {
      const [version, id, iv = '', sealed = ''] = ciphertext.split('.');
      if (version !== 'v1' || id !== keyId) throw new Error('encrypted with another KEY_ENCRYPTION_KEY');
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', keyEncryptionKey, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
    },
  };
}

/** A key for one purpose, the same on every replica that has the same root (RFC 5869). */
export function deriveKey(keyEncryptionKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', keyEncryptionKey, '', `gatehouse ${purpose}`, 32));
}
