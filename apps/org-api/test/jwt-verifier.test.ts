import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import { createJwtVerifier, type VerifyJwt } from '../src/tokens/jwt-verifier.ts';
import { createKeySet } from '../src/tokens/key-set.ts';
import { createSigningKey, type SigningKey, signJwt } from './support/key-server.ts';

const issuer = 'https://auth.example.com';
const start = Date.UTC(2026, 0, 1);

describe('a token that was verified before', () => {
  let now: number;
  let key: SigningKey;
  let published: JWK[];
  let reads: number;
  let verify: VerifyJwt<string>;

  beforeEach(async () => {
    now = start;
    reads = 0;
    key = await createSigningKey();
    published = [key.jwk];
    const keySet = createKeySet({ fetchKeySet: async () => ({ keys: published }), clock: () => now });
    verify = createJwtVerifier(
      { keySet, clock: () => now },
      {
        issuer,
        type: 'at+jwt',
        algorithms: ['ES256'],
        requiredClaims: ['exp'],
        remembered: 2_000,
        read({ sub }) {
          reads += 1;
          return sub;
        },
      },
    );
  });

  const sign = (sub: string, lifetime = 3_600) =>
    signJwt(key, { iss: issuer, sub, exp: start / 1000 + lifetime }, { typ: 'at+jwt' });
  /** What the key set fetches anew in the background is there a moment later. */
  const afterTheNextFetch = async (token: string) => {
    now += 10 * 60_000;
    await verify(token);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return verify(token);
  };

  it('is not verified again', async () => {
    const token = await sign('a');
    expect([await verify(token), await verify(token)]).toEqual(['a', 'a']);
    expect(reads).toBe(1);
  });

  it('is refused from the second of its expiry on', async () => {
    const token = await sign('a', 60);
    expect(await verify(token)).toBe('a');
    now = start + 59_999;
    expect(await verify(token)).toBe('a');
    now = start + 60_000;
    expect(await verify(token)).toBeUndefined();
  });

  it('stands while its key is published, and not any more when the key is withdrawn', async () => {
    const token = await sign('a');
    expect(await verify(token)).toBe('a');
    expect(await afterTheNextFetch(token)).toBe('a');
    expect(reads).toBe(1);
    published = [(await createSigningKey()).jwk];
    expect(await afterTheNextFetch(token)).toBeUndefined();
  });

  it('is refused when its key id comes to stand for another key', async () => {
    const token = await sign('a');
    expect(await verify(token)).toBe('a');
    published = [{ ...(await createSigningKey()).jwk, kid: key.kid }];
    expect(await afterTheNextFetch(token)).toBeUndefined();
  });

  it('stands for itself alone: neither another signature nor other claims pass with it', async () => {
    const token = await sign('a');
    const [header, , signature] = token.split('.');
    const [, otherClaims] = (await sign('b')).split('.');
    expect(await verify(token)).toBe('a');
    expect(await verify(`${header}.${otherClaims}.${signature}`)).toBeUndefined();
    expect(await verify(`${token.slice(0, -4)}AAAA`)).toBeUndefined();
    expect(await verify(`${token}=`)).toBeUndefined();
  });

  it('is verified again once newer ones have taken its place', async () => {
    const tokens = await Promise.all([...'abcdefghijkl'].map((sub) => sign(sub)));
    for (const token of tokens) expect(await verify(token)).toBeDefined();
    expect(await verify(String(tokens[0]))).toBe('a');
    expect(reads).toBe(tokens.length + 1);
  });
});
