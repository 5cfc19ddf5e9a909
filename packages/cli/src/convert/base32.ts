const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 (RFC 4648 6) without padding. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const fives = bits.match(/.{1,5}/g) ?? [];
  return fives.map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2))).join('');
}

/** The same text as authenticators show it, without spaces, padding or small letters; undefined where it is none. */
export function findBase32(text: string): string | undefined {
  const plain = text.replace(/[\s=]/g, '').toUpperCase();
  return /^[A-Z2-7]{8,}$/.test(plain) ? plain : undefined;
}
