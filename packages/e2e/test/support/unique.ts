import { randomBytes } from 'node:crypto';

/** A worker runs one file after another, and files share services. */
const file = randomBytes(4).toString('hex');
let count = 0;

/** A name that no other test uses. */
export function uniqueName(prefix: string): string {
  count += 1;
  return `${prefix}-${file}-${count}`;
}

/** An address of 10.0.0.0/8 that no other test calls from, for services that trust `X-Forwarded-For`. */
export function uniqueAddress(): string {
  count += 1;
  return `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
}
