import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

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

/** Gives entity tags, and reads each list once: many callers are answered with the same. */
export function createEntityTags(): (signedList: string) => string {
  const tags = new LRUCache<string, string>({ max: 64 });
  return (signedList) => {
    const known = tags.get(signedList);
    if (known !== undefined) return known;
    const tag = buildEntityTag(signedList);
    tags.set(signedList, tag);
    return tag;
  };
}

/** Entity tags of one request that count: a caller has one list in hand, or a few. */
const mostTags = 16;

/**
 * The entity tags of an `If-None-Match` (RFC 9110 13.1.2); undefined where it names none, as `*` does. Malformed ones are
 * left out.
 */
export function parseEntityTags(header: string | undefined): string[] | undefined {
  const tags = header?.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g);
  return tags?.slice(0, mostTags);
}

/** RFC 9110 8.8.3.2, the weak comparison: whether a tag is strong or weak does not matter. */
export function isOneOf(tags: readonly string[], tag: string): boolean {
  return tags.some((other) => opaqueOf(other) === opaqueOf(tag));
}

/** The part of a tag that stands for the bits: a list that was signed again in another hour keeps it. */
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
