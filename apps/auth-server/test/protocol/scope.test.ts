import { describe, expect, it } from '@jest/globals';
import { parseScope } from '../../src/protocol/scope.ts';

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
});
