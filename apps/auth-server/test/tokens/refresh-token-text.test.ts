import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { describe, expect, it } from '@jest/globals';
import { buildRefreshTokenSecret, formatRefreshToken, parseRefreshToken } from '../../src/tokens/refresh-token-text.ts';

const build = () => ({ id: createId(), secret: buildRefreshTokenSecret(randomBytes(32)) });

describe('the text of a refresh token', () => {
  it('names a row and holds a secret of 180 random bits, in the form of the release before', () => {
    const tokens = Array.from({ length: 100 }, build);
    for (const token of tokens) expect(formatRefreshToken(token)).toMatch(/^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}$/);
    expect(new Set(tokens.map(({ secret }) => secret)).size).toBe(100);
    const characters = tokens.map(({ secret }) => JSON.parse(Buffer.from(secret, 'base64url').toString('utf8')));
    for (const text of characters) expect(text).toMatch(/^[A-Za-z0-9_-]{30}$/);
    // Each place varies.
    for (let place = 0; place < 30; place += 1) {
      expect(new Set(characters.map((text) => text[place])).size).toBeGreaterThan(30);
    }
  });

  it('reads as a JWT as far as its payload, which keycloak-js decodes', () => {
    const [, payload = ''] = formatRefreshToken(build()).split('.');
    expect(() => JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))).not.toThrow();
  });

  it('is made of the same bytes alike, so that a retry gets the same successor', () => {
    const bytes = randomBytes(32);
    expect(buildRefreshTokenSecret(bytes)).toBe(buildRefreshTokenSecret(Buffer.from(bytes)));
  });

  it('gives back what it was made of, also of a token of the release before', () => {
    const token = build();
    expect(parseRefreshToken(formatRefreshToken(token))).toEqual(token);
    const former = { id: createId(), secret: randomBytes(32).toString('base64url') };
    expect(parseRefreshToken(formatRefreshToken(former))).toEqual(former);
    for (const text of ['', '.', 'a.b', `${formatRefreshToken(token)}x`])
      expect(parseRefreshToken(text)).toBeUndefined();
  });
});
