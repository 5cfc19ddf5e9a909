import { randomBytes } from 'node:crypto';
import { buildChoreTurn, type SlowHash } from '@gatehouse/service-kit';

/** Crockford's base32, which has no I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Codes in a set. */
const setSize = 10;

/** Makes ten codes of 80 bits, each `XXXX-XXXX-XXXX-XXXX`. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: setSize }, () => {
    const bits = [...randomBytes(10)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    const characters = (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]);
    return (characters.join('').match(/.{4}/g) ?? []).join('-');
  });
}

/** Reads a code as it was typed: spaces, hyphens and case do not matter, O is 0, I and L are 1. */
export function normalizeCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
}

/** Whether a normalized code has the form of a recovery code. */
export function isRecoveryCode(code: string): boolean {
  return code.length === 16 && [...code].every((character) => alphabet.includes(character));
}

/** The codes as they are stored: digests under one salt. */
export async function digestCodes(slowHash: Pick<SlowHash, 'digest'>, codes: readonly string[], address: string) {
  const salt = randomBytes(16);
  const digest = (code: string) => slowHash.digest(normalizeCode(code), salt, buildChoreTurn(address));
  return { salt, digests: await Promise.all(codes.map(digest)) };
}
