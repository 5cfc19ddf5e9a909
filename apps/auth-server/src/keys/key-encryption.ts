import { createEncryption, describeOtherKey, type Encryption } from '@gatehouse/service-kit';

const variable = 'KEY_ENCRYPTION_KEY';

export const encryptedWithAnother = describeOtherKey(variable);

export type KeyEncryption = Encryption;

/** Encrypts private keys at rest. Text that `previous` encrypted can still be read. */
export function createKeyEncryption(current: Buffer, previous?: Buffer): KeyEncryption {
  return createEncryption({ variable, current, previous });
}
