import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { findPublicJwkFault } from '../src/keys/public-jwk.ts';

const publicJwkOf = ({ publicKey }: ReturnType<typeof generateKeyPairSync>) =>
  publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
const ec = publicJwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }) as never);
const rsa = publicJwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }) as never);

describe('a public key that somebody sends', () => {
  it.each([
    ['of P-256', ec],
    ['of Ed25519', publicJwkOf(generateKeyPairSync('ed25519') as never)],
    ['of RSA', rsa],
    [
      'with every member that RFC 7517 has',
      { ...ec, kid: 'a', use: 'sig', alg: 'ES256', key_ops: ['verify'], x5c: ['MII'] },
    ],
    ['with members of its own', { ...ec, ext: true, iat: 1, 'x-note': 'mine', unused: null }],
  ])('is good %s', (_what, key) => {
    expect(findPublicJwkFault(key)).toBeUndefined();
  });

  it.each([
    ['that is a list', [ec]],
    ['that is symmetric', { kty: 'oct', k: 'AQAB' }],
    ['of a curve that is another type’s', { ...ec, kty: 'OKP' }],
    ['of a type that is another curve’s', { ...ec, crv: 'Ed25519' }],
    ['with a coordinate in a list', { ...ec, x: [ec.x] }],
    ['with a coordinate that is not base64url', { ...ec, x: 'a+b/' }],
    ['with a kid that is a number', { ...ec, kid: 1 }],
    ['with lists within lists', { ...ec, x5c: [['MII']] }],
    ['with an object in it', { ...ec, custom: {} }],
    ['of RSA with 1024 bits', publicJwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }) as never)],
    ['of RSA with 16,384 bits', { ...rsa, n: 'A'.repeat(2_731) }],
  ])('is refused %s', (_what, key) => {
    expect(findPublicJwkFault(key)).toMatch(/^must hold /);
  });

  it.each<[what: string, key: unknown, fault: string]>([
    ['that is no object', 'a', 'must hold keys that are JSON objects'],
    ['that is private', { ...ec, d: 'AQAB' }, 'must hold public keys only'],
    ['with a malformed member', { ...ec, hasOwnProperty: {} }, 'must hold keys of well-formed members'],
    ['of another curve', { ...ec, crv: 'P-384' }, 'must hold RSA, EC P-256 or Ed25519 keys'],
    ['of RSA without a modulus', { kty: 'RSA', e: 'AQAB' }, 'must hold RSA keys of at least 2048 bits'],
  ])('is refused in words %s', (_what, key, fault) => expect(findPublicJwkFault(key)).toBe(fault));

  it('may have members that are called as those of every object', () =>
    expect(findPublicJwkFault({ ...ec, hasOwnProperty: 'x', toString: 'x', constructor: 'x' })).toBeUndefined());

  it.each<[what: string, longest: number, build: (length: number) => Record<string, unknown>]>([
    ['an exponent, as a long one takes long to verify by', 11, (length) => ({ ...rsa, e: 'A'.repeat(length) })],
    ['a modulus of 8,192 bits', 1_366, (length) => ({ ...rsa, n: 'A'.repeat(length) })],
    ['a coordinate', 1_366, (length) => ({ ...ec, x: 'A'.repeat(length) })],
    ['a name', 1_024, (length) => ({ ...ec, kid: 'k'.repeat(length) })],
    ['any other text', 8_192, (length) => ({ ...ec, note: 'n'.repeat(length) })],
    ['an entry of a list', 8_192, (length) => ({ ...ec, x5c: ['n'.repeat(length)] })],
    ['a list', 16, (length) => ({ ...ec, x5c: Array.from({ length }, () => 'MII') })],
  ])('has bounds: %s', (_what, longest, build) => {
    expect(findPublicJwkFault(build(longest))).toBeUndefined();
    expect(findPublicJwkFault(build(longest + 1))).toBe('must hold keys of well-formed members');
  });

  it('has 32 members at most', () => {
    const withMembers = (count: number) => {
      const more = Array.from({ length: count - Object.keys(ec).length }, (_, index) => [`m${index}`, 1]);
      return { ...ec, ...Object.fromEntries(more) };
    };
    expect(findPublicJwkFault(withMembers(32))).toBeUndefined();
    expect(findPublicJwkFault(withMembers(33))).toBe('must hold keys of well-formed members');
  });
});
