import { randomBytes, scryptSync } from 'node:crypto';
import { formatScrypt, scryptOptions } from './scrypt-form.ts';

/** Hashes a password or a secret that the source keeps in the clear, in PHC form. */
export function hashClearText(text: string): string {
  const salt = randomBytes(16);
  return formatScrypt(salt, scryptSync(text, salt, 32, scryptOptions));
}
