import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { verify } from '@node-rs/argon2';
import type { ImportedHash, ScryptHash } from './imported-hash.ts';
import { weakSchemes } from './weak-digest.ts';

const derivePbkdf2 = promisify(pbkdf2);

/**
 * Compares a password with a hash as the server that made it did: bcrypt reads the first 72 bytes. Computes off the event
 * loop, and takes no turn: its caller waits for one.
 */
export async function checkImportedHash(stored: ImportedHash, password: string): Promise<boolean> {
  switch (stored.kind) {
    case 'argon2':
      return verify(stored.text, password);
    case 'bcrypt':
      return (await loadBcrypt()).verify(password, stored.text);
    case 'pbkdf2': {
      const { salt, iterations, expected, digest } = stored;
      return timingSafeEqual(await derivePbkdf2(password, salt, iterations, expected.length, digest), expected);
    }
    case 'scrypt':
      return isScryptOf(stored, password);
    case 'wrapped':
      return isScryptOf(stored.inner, weakSchemes[stored.scheme].compute(password, stored.salt));
  }
}

function isScryptOf({ ln, r, p, salt, expected }: ScryptHash, password: string | Buffer): Promise<boolean> {
  // OpenSSL counts some blocks more than the 64 MiB that the bounds allow.
  const options = { N: 2 ** ln, r, p, maxmem: 192 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, expected.length, options, (error, key) =>
      error === null ? resolve(timingSafeEqual(key, expected)) : reject(error),
    );
  });
}

/** Few installations have a hash of it, and no start waits for its code. */
function loadBcrypt() {
  return import('@node-rs/bcrypt');
}
