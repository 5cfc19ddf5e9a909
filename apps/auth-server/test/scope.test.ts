import { describe, expect, it } from '@jest/globals';
import { buildScope, parseScope } from '../src/protocol/scope.ts';

describe('scope (RFC 6749 3.3)', () => {
  it.each([
    ['openid profile', ['openid', 'profile']],
    ['  openid   profile ', ['openid', 'profile']],
    ['openid openid', ['openid']],
    ['', []],
    [' ', []],
    ['OpenID openid', ['OpenID', 'openid']],
    ['a\tb', ['a\tb']],
  ])('%j reads as %j', (text, tokens) => {
    expect(parseScope(text)).toEqual(tokens);
  });

  it('is written with single spaces and reads back the same', () => {
    expect(buildScope(['openid', 'email'])).toBe('openid email');
    expect(parseScope(buildScope(['openid', 'email']))).toEqual(['openid', 'email']);
    expect(buildScope([])).toBe('');
  });
});
