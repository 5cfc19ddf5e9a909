import { randomBytes } from 'node:crypto';

/** RFC 4648 6. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Makes the secret of a code app: 20 random bytes (RFC 4226 4) in base32. */
export function makeCodeAppSecret(): string {
  const bits = [...randomBytes(20)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('');
}

/** The address that code apps read. Some ignore what says algorithm, digits and period, so it says none: they are the usual ones. */
export function buildCodeAppUri({
  issuer,
  username,
  secret,
}: {
  issuer: string;
  username: string;
  secret: string;
}): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
