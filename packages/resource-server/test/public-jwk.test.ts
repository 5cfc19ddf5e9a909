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
    ['with as long a list as may be', { ...ec, x5c: Array.from({ length: 16 }, () => 'MII') }],
    ['with members of its own', { ...ec, ext: true, iat: 1, 'x-note': 'mine', unused: null }],
  ])('is good %s', (_what, key) => {
    expect(findPublicJwkFault(key)).toBeUndefined();
  });

  it.each([
    ['that is no object', 'a'],
    ['that is a list', [ec]],
    ['that is private', { ...ec, d: 'AQAB' }],
    ['that is symmetric', { kty: 'oct', k: 'AQAB' }],
    ['of another curve', { ...ec, crv: 'P-384' }],
    ['with a longer list', { ...ec, x5c: Array.from({ length: 17 }, () => 'MII') }],
    ['of a curve that is another type’s', { ...ec, kty: 'OKP' }],
    ['of a type that is another curve’s', { ...ec, crv: 'Ed25519' }],
    ['with a coordinate in a list', { ...ec, x: [ec.x] }],
    ['with a coordinate that is not base64url', { ...ec, x: 'a+b/' }],
    ['with a kid that is a number', { ...ec, kid: 1 }],
    ['with a kid of 2,000 characters', { ...ec, kid: 'k'.repeat(2_000) }],
    ['with lists within lists', { ...ec, x5c: [['MII']] }],
    ['with an object in it', { ...ec, custom: {} }],
    ['with 40 members', { ...ec, ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, 1])) }],
    ['of RSA with 1024 bits', publicJwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }) as never)],
    ['of RSA with 16,384 bits', { ...rsa, n: 'A'.repeat(2_731) }],
  ])('is refused %s', (_what, key) => {
    expect(findPublicJwkFault(key)).toMatch(/^must hold /);
  });

  it('refuses an RSA key with a large exponent, which takes long to verify by', () => {
    expect(findPublicJwkFault({ ...rsa, e: 'A'.repeat(300) })).toMatch(/^must hold /);
  });
});
