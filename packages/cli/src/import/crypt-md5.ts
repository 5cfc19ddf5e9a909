import type { WeakHash } from './weak-hash.ts';

const letters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Which bytes of the digest four letters stand for, the highest first; the last two stand for one byte. */
const places = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]];

/** Reads `$1$salt$digest` of crypt(3), and `$apr1$` of Apache, which differs by its name alone. */
export function parseCryptMd5(hash: string): WeakHash | undefined {
  const form = /^\$(1|apr1)\$([^$:\n]{0,8})\$([./0-9A-Za-z]{21}[./01])$/;
  const [, scheme, salt = '', text = ''] = form.exec(hash) ?? [];
  if (scheme === undefined) return undefined;
  const digest = Buffer.alloc(16);
  for (const [index, bytes] of places.entries()) {
    const four = [...text.slice(4 * index, 4 * index + 4)];
    const number = four.reduceRight((sum, letter) => sum * 64 + letters.indexOf(letter), 0);
    for (const [step, place] of bytes.toReversed().entries()) digest[place] = number >> (8 * step);
  }
  return { scheme, digest, salt: Buffer.from(salt) };
}
