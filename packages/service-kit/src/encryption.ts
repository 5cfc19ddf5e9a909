import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

export type Encryption = ReturnType<typeof createEncryption>;

/** A key of 32 bytes, and the one before, which decrypts what it encrypted. */
interface Keys {
  /** The variable that holds the key. Errors name it. */
  variable: string;
  current: Buffer;
  previous?: Buffer | undefined;
}

/**
 * Encrypts texts at rest with AES-256-GCM; `context` is authenticated along with the text. The stored form is
 * `v1.<key id>.<iv>.<ciphertext and tag>`, base64url. Text that `previous` encrypted can still be read.
 */
export function createEncryption({ variable, current, previous }: Keys) {
  const currentId = keyIdOf(current);
  const keys = new Map([current, ...(previous === undefined ? [] : [previous])].map((key) => [keyIdOf(key), key]));
  return {
    encrypt(plaintext: string, context: string): string {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return ['v1', currentId, iv.toString('base64url'), sealed.toString('base64url')].join('.');
    },
    /** Throws where the text was encrypted with another key, for another context, or was changed. */
    decrypt(ciphertext: string, context: string): string {
      const [version, id = '', iv = '', sealed = ''] = ciphertext.split('.');
      const key = keys.get(id);
      if (version !== 'v1' || key === undefined) throw new Error(describeOtherKey(variable));
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
    },
    /** The beginning of each text that the current key encrypts. */
    currentPrefix: `v1.${currentId}.`,
    /** Whether the text was encrypted with the current key, not with the one before. */
    isCurrent: (ciphertext: string): boolean => ciphertext.split('.', 2)[1] === currentId,
  };
}

/** Says that a text needs another key than the variable holds. */
export function describeOtherKey(variable: string): string {
  return `encrypted with another ${variable}`;
}

function keyIdOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/** A key for one purpose, the same on every replica that has the same root (RFC 5869). */
export function deriveKey(root: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', `gatehouse ${purpose}`, 32));
}
