const [logN, r, p] = [15, 8, 1];

/** For `node:crypto`, which takes 32 MiB and about a tenth of a second with them. */
export const scryptOptions = { N: 2 ** logN, r, p, maxmem: 2 * 128 * 2 ** logN * r };

/** A hash that was made with these options, in PHC form. */
export function formatScrypt(salt: Buffer, hash: Buffer): string {
  return `$scrypt$ln=${logN},r=${r},p=${p}$${toUnpadded(salt)}$${toUnpadded(hash)}`;
}

/** Base64 without padding, as PHC strings have it. */
export function toUnpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
