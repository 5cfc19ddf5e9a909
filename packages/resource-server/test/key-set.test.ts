import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JWK } from 'jose';
import type { VerificationKeys } from '../src/jwt/jwt-verifier.ts';
import type { SignatureAlgorithm } from '../src/jwt/signature-algorithms.ts';
import { createKeySet } from '../src/keys/key-set.ts';
import { buildUnavailable } from '../src/request/refusals.ts';
import { createSigningKey, type SigningKey } from './support/issuer.ts';

describe('the key set of the auth server', () => {
  let [first, second]: SigningKey[] = [];
  let now = 0;
  let fetches = 0;
  let published: JWK[];
  let keySet: VerificationKeys;

  beforeAll(async () => {
    [first, second] = await Promise.all([createSigningKey(), createSigningKey()]);
  });
  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
    fetches = 0;
    published = [first?.jwk as JWK];
    keySet = create();
  });
  const create = (algorithms?: readonly SignatureAlgorithm[]) =>
    createKeySet({
      fetchKeySet: async () => {
        fetches += 1;
        return { keys: published };
      },
      clock: () => now,
      buildUnavailable: () => buildUnavailable('the keys are'),
      ...(algorithms && { algorithms }),
    });
  /** Keys in hand are fetched again in the background. */
  const settle = () => sleep(20);
  const find = async (key: SigningKey | undefined) =>
    (await keySet.find(key?.kid ?? '', 'ES256'))?.export({ format: 'jwk' }).x;

  it.each<[string, JWK[]]>([
    ['an empty one', []],
    ['one of keys that cannot be used', [{ kty: 'new', kid: 'a', alg: 'ES256' }]],
  ])('%s does not replace the keys in hand', async (_title, keys) => {
    expect(await find(first)).toBe(first?.jwk.x);
    published = keys;
    now += 1_000;
    expect(await find(second)).toBeUndefined();
    now += 600_000;
    expect(await find(first)).toBe(first?.jwk.x);
    await settle();
    expect(fetches).toBe(3);
    now += 1_000;
    expect(await find(first)).toBe(first?.jwk.x);
    await settle();
    published = [second?.jwk as JWK];
    now += 1_000;
    expect(await find(second)).toBe(second?.jwk.x);
    expect(await find(first)).toBeUndefined();
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => null],
    ['a text', () => 'key'],
    ['a key that gives its private part away', () => ({ ...second?.jwk, d: second?.jwk.x })],
    ['a key whose curve is another', () => ({ ...second?.jwk, crv: 'P-384' })],
  ])('is of use where %s is in it, which is not', async (_what, build) => {
    published = [build() as JWK, first?.jwk as JWK];
    expect(await find(first)).toBe(first?.jwk.x);
    expect(await find(second)).toBeUndefined();
  });

  it('has a key for the algorithm that it names alone, or for all of its type', async () => {
    const { kid, jwk } = await createSigningKey('EdDSA');
    const keyOf = (alg: string | undefined): JWK => JSON.parse(JSON.stringify({ ...jwk, alg }));
    const findFor = (alg: string | undefined, algorithm: SignatureAlgorithm) => {
      published = [keyOf(alg)];
      return create(['ES256', 'EdDSA', 'Ed25519']).find(kid, algorithm);
    };
    const isFor = async (...names: Parameters<typeof findFor>) => (await findFor(...names)) !== undefined;
    // Two names of one (RFC 9864).
    for (const alg of [undefined, 'EdDSA', 'Ed25519']) {
      expect([await isFor(alg, 'EdDSA'), await isFor(alg, 'Ed25519'), await isFor(alg, 'ES256')]).toEqual([
        ...[true, true, false],
      ]);
    }
    for (const alg of ['ES256', 'none', '']) {
      await expect(findFor(alg, 'EdDSA')).rejects.toMatchObject({ status: 503 });
    }
  });

  it('is fetched again in the background after five minutes, and not before', async () => {
    await find(first);
    now += 300_000;
    await find(first);
    await settle();
    expect(fetches).toBe(1);
    now += 1;
    await find(first);
    await settle();
    expect(fetches).toBe(2);
  });

  it('gives the same key while it is published unchanged, and another where its id comes to stand for another', async () => {
    const kid = first?.kid ?? '';
    const refetch = async () => {
      now += 10 * 60_000;
      await keySet.find('unknown', 'ES256');
      return keySet.findInHand(kid, 'ES256');
    };
    const found = await keySet.find(kid, 'ES256');
    published = [{ ...(first?.jwk as JWK) }, second?.jwk as JWK];
    expect(await refetch()).toBe(found);
    published = [{ ...(second?.jwk as JWK), kid }];
    expect((await refetch())?.export({ format: 'jwk' }).x).toBe(second?.jwk.x);
    published = [second?.jwk as JWK];
    expect(await refetch()).toBeUndefined();
    expect(fetches).toBe(4);
  });

  it('an empty one is as good as none at first: 503', async () => {
    published = [];
    await expect(keySet.find('a', 'ES256')).rejects.toMatchObject({ status: 503 });
  });
});
