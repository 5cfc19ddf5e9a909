import { createHash } from 'node:crypto';

/** Seconds; an unchanged list is signed again once in each. */
const hour = 3_600;

export function isSameHour(one: number, other: number): boolean {
  return hourOf(one) === hourOf(other);
}

/**
 * Weak (RFC 9110 8.8.1), since every replica signs lists for itself: alike on all of them as long as a list says the
 * same, so that a caller who asks another replica learns that nothing changed.
 */
export function buildEntityTag(signedList: string): string {
  const payload = Buffer.from(signedList.split('.')[1] ?? '', 'base64url').toString();
  const { iat, status_list: list } = JSON.parse(payload) as { iat: number; status_list: { lst: string } };
  return `W/"${hourOf(iat)}-${createHash('sha256').update(list.lst).digest('base64url')}"`;
}

function hourOf(seconds: number): number {
  return Math.floor(seconds / hour);
}
