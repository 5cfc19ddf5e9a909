import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createDpopNonces } from '../src/dpop/dpop-nonce.ts';

describe('DPoP nonces (RFC 9449 8)', () => {
  const key = randomBytes(32);
  const start = Date.UTC(2026, 10, 20, 8, 0, 0);
  let now = start;
  const create = (ownKey = key) => createDpopNonces({ getKey: () => ownKey, clock: () => now });

  beforeEach(() => {
    now = start;
  });

  test('are characters that a header and a JSON string can hold as they are', () => {
    expect(create().current()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test('are the same on every replica that has the same key, and good there', () => {
    const [one, other] = [create(), create()];
    expect(other.current()).toBe(one.current());
    expect(other.isGood(one.current())).toBe(true);
  });

  test('differ between keys, and are no good elsewhere', () => {
    const foreign = create(randomBytes(32)).current();
    expect(foreign).not.toBe(create().current());
    expect(create().isGood(foreign)).toBe(false);
  });

  test('change every minute', () => {
    const nonces = create();
    const first = nonces.current();
    now = start + 59_999;
    expect(nonces.current()).toBe(first);
    now = start + 60_000;
    expect(nonces.current()).not.toBe(first);
  });

  test('stay good for the minute after their own, and no longer', () => {
    const nonces = create();
    const first = nonces.current();
    const good = [0, 60_000, 119_999, 120_000].map((later) => {
      now = start + later;
      return nonces.isGood(first);
    });
    expect(good).toEqual([true, true, true, false]);
  });

  test('are no good before their time', () => {
    const nonces = create();
    now = start + 60_000;
    const next = nonces.current();
    now = start;
    expect(nonces.isGood(next)).toBe(false);
  });

  test.each(['', 'x', 'ä'.repeat(43), 'A'.repeat(43), 'A'.repeat(10_000)])('%.10s… is none of them', (text) => {
    expect(create().isGood(text)).toBe(false);
  });
});
