import { describe, expect, it } from '@jest/globals';
import { scopeTokenPattern } from '../src/scope.ts';

describe('a scope token (RFC 6749 3.3)', () => {
  it.each(['openid', 'reports:read', 'https://example.com/x', '!', '~', '[', ']'])('may hold the token %j', (token) => {
    expect(token).toMatch(new RegExp(scopeTokenPattern));
  });

  it.each(['', 'a b', 'a"b', 'a\\b', 'a\nb', 'é', '\u007f'])('may not hold the token %j', (token) => {
    expect(token).not.toMatch(new RegExp(scopeTokenPattern));
  });
});
