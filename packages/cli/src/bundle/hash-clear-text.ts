import { randomBytes, scryptSync } from 'node:crypto';

const [logN, r, p] = [15, 8, 1];
/** Bytes: twice what these parameters take. */
const maxmem = 2 * 128 * 2 ** logN * r;

/** Hashes a password or a secret that the source keeps in the clear, in PHC form. */
export function hashClearText(text: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(text, salt, 32, { N: 2 ** logN, r, p, maxmem });
  return `$scrypt$ln=${logN},r=${r},p=${p}$${toUnpadded(salt)}$${toUnpadded(hash)}`;
}

/** Base64 without padding, as PHC strings have it. */
export function toUnpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
