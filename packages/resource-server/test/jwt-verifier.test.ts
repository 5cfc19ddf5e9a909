import { generateKeyPairSync, type KeyObject, randomUUID, sign as sign256 } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { longestJwt, parseCompactJws } from '../src/jwt/compact-jws.ts';
import { createJwtVerifier, type VerifyJwt } from '../src/jwt/jwt-verifier.ts';

const issuer = 'https://auth.example.com';
const start = Date.UTC(2026, 0, 1);

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

const createSigningKey = (kid: string = randomUUID()): SigningKey => ({
  kid,
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
});

let now: number;
let key: SigningKey;
let published: SigningKey[];
let reads: number;
let verify: VerifyJwt<string>;

beforeEach(() => {
  now = start;
  reads = 0;
  key = createSigningKey();
  published = [key];
  const findInHand = (kid: string) => published.find((candidate) => candidate.kid === kid)?.publicKey;
  verify = createJwtVerifier(
    { keys: { find: async (kid) => findInHand(kid), findInHand }, clock: () => now },
    {
      issuer,
      type: 'at+jwt',
      requiredClaims: [],
      remembered: 2_000,
      read({ sub }) {
        reads += 1;
        return sub;
      },
    },
  );
});

/** Signed as it should be, whatever the parts hold. */
const signText = (header: string, payload: string, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363') => {
  const signingInput = [header, payload].map((part) => Buffer.from(part).toString('base64url')).join('.');
  const signature = sign256('sha256', Buffer.from(signingInput), { key: key.privateKey, dsaEncoding });
  return `${signingInput}.${signature.toString('base64url')}`;
};
const buildHeader = (members: object = {}) => JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...members });
const sign = (sub: string, lifetime = 3_600) =>
  signText(buildHeader(), JSON.stringify({ iss: issuer, sub, exp: start / 1000 + lifetime }));

describe('a token that was verified before', () => {
  it('is not verified again', async () => {
    const token = sign('a');
    expect([await verify(token), await verify(token)]).toEqual(['a', 'a']);
    expect(reads).toBe(1);
  });

  it('is refused from the second of its expiry on', async () => {
    const token = sign('a', 60);
    expect(await verify(token)).toBe('a');
    now = start + 59_999;
    expect(await verify(token)).toBe('a');
    now = start + 60_000;
    expect(await verify(token)).toBeUndefined();
  });

  it('stands while its key is published, and not any more when the key is withdrawn', async () => {
    const token = sign('a');
    expect(await verify(token)).toBe('a');
    published = [createSigningKey(), key];
    expect(await verify(token)).toBe('a');
    expect(reads).toBe(1);
    published = [createSigningKey()];
    expect(await verify(token)).toBeUndefined();
  });

  it('is refused when its key id comes to stand for another key', async () => {
    const token = sign('a');
    expect(await verify(token)).toBe('a');
    published = [createSigningKey(key.kid)];
    expect(await verify(token)).toBeUndefined();
  });

  it('stands for itself alone: neither another signature nor other claims pass with it', async () => {
    const token = sign('a');
    const [header, , signature] = token.split('.');
    const [, otherClaims] = sign('b').split('.');
    expect(await verify(token)).toBe('a');
    expect(await verify(`${header}.${otherClaims}.${signature}`)).toBeUndefined();
    expect(await verify(`${token.slice(0, -4)}AAAA`)).toBeUndefined();
    expect(await verify(`${token}=`)).toBeUndefined();
  });

  it('is verified again once newer ones have taken its place', async () => {
    const tokens = [...'abcdefghijkl'].map((sub) => sign(sub));
    for (const token of tokens) expect(await verify(token)).toBeDefined();
    expect(await verify(String(tokens[0]))).toBe('a');
    expect(reads).toBe(tokens.length + 1);
  });
});

describe('a JWT is refused', () => {
  const claims = { iss: issuer, sub: 'a', exp: start / 1000 + 60 };
  it('unless all of it is as it should be', async () => {
    expect(await verify(signText(buildHeader(), JSON.stringify(claims)))).toBe('a');
    expect(await verify(signText(buildHeader({ typ: 'Application/AT+JWT' }), JSON.stringify(claims)))).toBe('a');
    const atLast = { ...claims, nbf: start / 1000 };
    expect(await verify(signText(buildHeader(), JSON.stringify(atLast)))).toBe('a');
    // These rules name no audience.
    expect(await verify(signText(buildHeader(), JSON.stringify({ ...claims, aud: 'others' })))).toBe('a');
  });

  it('with more than eight levels of objects and lists', async () => {
    const nest = (levels: number) =>
      `${JSON.stringify(claims).slice(0, -1)},"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(await verify(signText(buildHeader(), nest(7)))).toBe('a');
    expect(await verify(signText(buildHeader(), nest(8)))).toBeUndefined();
  });

  it('with more than 16,384 characters', () => {
    const token = signText(buildHeader(), JSON.stringify(claims));
    expect(parseCompactJws(token, token.length)).toBeDefined();
    expect(parseCompactJws(token, token.length - 1)).toBeUndefined();
    expect(longestJwt).toBe(16_384);
  });

  it.each([
    ['sub', 7],
    ['iat', '1767225600'],
    ['exp', null],
    ['exp', '1767225700'],
    ['nbf', 'now'],
    ['nbf', start / 1000 + 1],
    ['iss', [issuer]],
  ])('with %s %j', async (name, value) => {
    expect(await verify(signText(buildHeader(), JSON.stringify({ ...claims, [name]: value })))).toBeUndefined();
  });

  it.each(['null', '[]', '"a"', '7', '', '{'])('with %j for claims', async (payload) => {
    expect(await verify(signText(buildHeader(), payload))).toBeUndefined();
  });

  it.each(['null', '[]', '"a"', '7', '', '{', '{}'])('with %j for a header', async (text) => {
    expect(await verify(signText(text, JSON.stringify(claims)))).toBeUndefined();
  });

  it('with a critical extension, since none is understood (RFC 7515 4.1.11)', async () => {
    for (const crit of [['b64'], ['exp'], [], null]) {
      expect(await verify(signText(buildHeader({ crit, b64: true }), JSON.stringify(claims)))).toBeUndefined();
    }
  });

  it.each([
    { alg: 'es256' },
    { alg: ['ES256'] },
    { alg: 'ES384' },
    { kid: 7 },
    { typ: 'at+jwt; a=b' },
    { typ: ['at+jwt'] },
  ])('with %j in its header', async (members) => {
    expect(await verify(signText(buildHeader(members), JSON.stringify(claims)))).toBeUndefined();
  });

  it('with a signature of another form or length (RFC 7518 3.4)', async () => {
    expect(await verify(signText(buildHeader(), JSON.stringify(claims), 'der'))).toBeUndefined();
    const [signingInput, signature = ''] = signText(buildHeader(), JSON.stringify(claims)).split(/\.(?=[^.]*$)/);
    const bytes = Buffer.from(signature, 'base64url');
    const others = [bytes.subarray(1), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(64), Buffer.alloc(1)];
    for (const other of others) {
      expect(await verify(`${signingInput}.${other.toString('base64url')}`)).toBeUndefined();
    }
  });

  it('with anything around it, or in it, that is not of its form', async () => {
    const token = sign('a');
    const spellings = [` ${token}`, `${token}\n`, `${token}==`, token.replace('.', '=.'), `${token}.`, `.${token}`];
    for (const spelling of spellings) expect(await verify(spelling)).toBeUndefined();
  });
});

describe('the fault of a JWT, for a log', () => {
  const seconds = start / 1000;
  const good = { iss: issuer, sub: 'a', aud: 'https://api.example.com', exp: seconds + 60, iat: seconds };
  const signClaims = (changes: object) => signText(buildHeader(), JSON.stringify({ ...good, ...changes }));
  const faultOf = async (token: string) => {
    const findInHand = (kid: string) => published.find((candidate) => candidate.kid === kid)?.publicKey;
    const rules = { issuer, audience: good.aud, type: 'at+jwt', requiredClaims: ['sub'], ahead: 10, remembered: 0 };
    const verifyOnce = createJwtVerifier(
      { keys: { find: async (kid) => findInHand(kid), findInHand }, clock: () => now },
      { ...rules, read: ({ sub }) => (sub === 'unreadable' ? undefined : sub) },
    );
    const faults: string[] = [];
    const content = await verifyOnce(token, (fault) => faults.push(fault));
    expect(faults).toHaveLength(content === undefined ? 1 : 0);
    return faults[0];
  };

  it.each<[string, object]>([
    ['expired 5 s ago, issued 65 s ago, by the clock of this server', { exp: seconds - 5, iat: seconds - 65 }],
    ['expired 5 s ago, by the clock of this server', { exp: seconds - 5, iat: undefined }],
    ['not valid for another 30 s by the clock of this server: compare the clocks', { nbf: seconds + 30 }],
    [
      'meant for https://a.example and https://b.example, not for https://api.example.com',
      { aud: ['https://a.example', 'https://b.example'] },
    ],
    ['meant for no audience, not for https://api.example.com', { aud: undefined }],
    ['issued by https://other.example, not by https://auth.example.com', { iss: 'https://other.example' }],
    ['lacks the claim sub', { sub: undefined }],
    ['lacks the claim iss or exp', { exp: undefined }],
    ['exp is not a number of seconds', { exp: 'soon' }],
    ['its claims are not those of such a token', { sub: 'unreadable' }],
  ])('%s', async (fault, changes) => {
    expect(await faultOf(signClaims(changes))).toBe(fault);
  });

  it('is none of a good one, nor where a clock is a few seconds behind', async () => {
    expect(await faultOf(signClaims({}))).toBeUndefined();
    expect(await faultOf(signClaims({ nbf: seconds + 9 }))).toBeUndefined();
  });

  it('repeats no claim that the issuer did not sign', async () => {
    const token = signClaims({ aud: 'https://secret.example' });
    expect(await faultOf(`${token.slice(0, -4)}AAAA`)).toBe('its signature is wrong');
    published = [];
    expect(await faultOf(token)).toBe('signed by a key that the issuer does not publish');
    expect(await faultOf('secret')).toBe('not a JWT');
    expect(await faultOf(signText(buildHeader({ typ: 'JWT' }), '{}'))).toBe(
      'its header is not that of a JWT of the type at+jwt',
    );
  });

  it('is told of a verifier that remembers, too', async () => {
    const faults: string[] = [];
    expect(await verify(sign('a', -1), (fault) => faults.push(fault))).toBeUndefined();
    expect(faults).toEqual(['expired 1 s ago, by the clock of this server']);
  });
});
