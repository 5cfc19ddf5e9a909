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

/**
 * The entity tags of an `If-None-Match` (RFC 9110 13.1.2); undefined where it names none, as `*` does. Malformed ones are
 * left out.
 */
export function parseEntityTags(header: string | undefined): string[] | undefined {
  const tags = header?.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g);
  return tags ?? undefined;
}

/** RFC 9110 8.8.3.2, the weak comparison: whether a tag is strong or weak does not matter. */
export function isOneOf(tags: readonly string[], tag: string): boolean {
  return tags.some((other) => opaqueOf(other) === opaqueOf(tag));
}

/** What a tag says of the bits: the tags of a list that was signed again in another hour have this in common. */
export function bitsOf(tag: string): string {
  const opaque = opaqueOf(tag);
  return opaque.slice(opaque.indexOf('-') + 1);
}

function opaqueOf(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

function hourOf(seconds: number): number {
  return Math.floor(seconds / hour);
}
