import { expect, it } from '@jest/globals';
import { parseUnverifiedJwt } from '../src/jwt/unverified-jwt.ts';

const encode = (text: string) => Buffer.from(text).toString('base64url');
const jwtOf = (claims: string, header = '{"alg":"ES256"}') => `${encode(header)}.${encode(claims)}.c2ln`;
const compact = 'no JWT in compact form of a length and depth that is read';
const claims = 'the claims are no JSON object of a depth that is read';

it('a JWT is read before its signature is verified', () => {
  expect(parseUnverifiedJwt(jwtOf('{"sub":"a","x":[1]}'))).toEqual({
    header: { alg: 'ES256' },
    claims: { sub: 'a', x: [1] },
  });
});

it.each([
  ['no JWT', 'text', compact],
  ['a header that is no object', jwtOf('{}', '[]'), compact],
  ['a JWT of more than 16 KiB', jwtOf(`{"x":"${'x'.repeat(16_384)}"}`), compact],
  ['claims that are no object', jwtOf('[]'), claims],
  ['claims of nine levels', jwtOf(`{"x":${'['.repeat(8)}${']'.repeat(8)}}`), claims],
  ['a claim of a wrong type', jwtOf('{"sub":7}'), 'sub is not a string of at most 2048 characters'],
])('%s is refused, in words', (_what, text, message) => {
  expect(() => parseUnverifiedJwt(text)).toThrow(expect.objectContaining({ name: 'MalformedJwtError', message }));
});
