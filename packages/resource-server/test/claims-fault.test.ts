import { describe, expect, it } from '@jest/globals';
import { findClaimsFault } from '../src/jwt/claims-fault.ts';

/** The end of the year 9999, in seconds. */
const latest = 253_402_300_799;
const notInstants = [-1, -0.001, latest + 1, Number.NaN, Number.POSITIVE_INFINITY, '1', true, null, [1], {}];

describe('the registered claims of a JWT (RFC 7519 4.1)', () => {
  it.each([
    ['iss', 2048],
    ['sub', 2048],
    ['jti', 512],
    ['nonce', 512],
    ['sid', 255],
    ['htm', 32],
    ['htu', 4096],
    ['ath', 128],
  ])('%s is a string of at most %i characters', (name, longest) => {
    const fault = `${name} is not a string of at most ${longest} characters`;
    expect(findClaimsFault({ [name]: 'x'.repeat(longest) })).toBeUndefined();
    for (const value of ['x'.repeat(longest + 1), 1, null, ['x'], { x: 'x' }, true]) {
      expect(findClaimsFault({ [name]: value })).toBe(fault);
    }
  });

  it.each(['exp', 'iat', 'nbf', 'auth_time'])('%s is a number of seconds, up to the end of the year 9999', (name) => {
    for (const value of [0, 0.5, 1, latest]) expect(findClaimsFault({ [name]: value })).toBeUndefined();
    for (const value of notInstants) {
      expect(findClaimsFault({ [name]: value })).toBe(`${name} is not a number of seconds`);
    }
  });

  it('aud is a string of at most 2048 characters, or a list of at most 16 of them', () => {
    const longest = 'x'.repeat(2048);
    for (const aud of [longest, [], ['x'], Array(16).fill(longest)]) expect(findClaimsFault({ aud })).toBeUndefined();
    for (const aud of [`${longest}x`, ['x', `${longest}x`], Array(17).fill('x'), 1, null, {}, ['x', 1], [['x']]]) {
      expect(findClaimsFault({ aud })).toBe('aud is not a string or a list of at most 16');
    }
  });

  it('may be missing, and others may be anything', () =>
    expect(findClaimsFault({ scope: 1, extra: { x: null }, exp: undefined })).toBeUndefined());

  it('are told of by the first that is wrong', () =>
    expect(findClaimsFault({ exp: 'x', sid: 1, iss: 2 })).toMatch(/^iss is/));
});
