import type { ImportedHash } from './imported-hash.ts';
import { weakSchemes } from './weak-digest.ts';

const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64').replaceAll('=', '');

/**
 * A hash of no password that takes the same time: the parameters of this one, with a salt and a hash of zeros. All hashes
 * of one form give the same text, so it names the form.
 */
export function buildDecoyOf(stored: ImportedHash): string {
  switch (stored.kind) {
    case 'argon2':
      return `${stored.text.split('$').slice(0, 4).join('$')}$${zeros(8)}$${zeros(16)}`;
    case 'wrapped':
      return `$gh-wrap$${stored.scheme}$${zeros(weakSchemes[stored.scheme].salt[0])}${buildDecoyOf(stored.inner)}`;
    case 'bcrypt':
      return `${stored.text.slice(0, 7)}${'.'.repeat(53)}`;
    case 'pbkdf2':
      return `$pbkdf2-${stored.digest}$i=${stored.iterations}$${zeros(8)}$${zeros(stored.expected.length)}`;
    case 'scrypt':
      return `$scrypt$ln=${stored.ln},r=${stored.r},p=${stored.p}$${zeros(8)}$${zeros(16)}`;
  }
}
