import { assertionType, createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/clients/client.ts';
import { createFindAssertionFault, type FindAssertionFault } from '../../src/clients/client-assertion.ts';
import { createVerifyByClientKeys } from '../../src/clients/verify-by-client-keys.ts';
import { buildClient, start } from '../support/builders.ts';
import { type Realm, startRealm } from '../support/realm.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const audience = 'https://auth.example.com';
const spendNothing = async () => {};
/** No client here has its keys elsewhere. */
const verifyByClientKeys = createVerifyByClientKeys({
  keySets: { verify: () => Promise.reject(new Error('not here')) },
  isOfStranger: () => false,
});

describe.each(testDialects)('the time of a client assertion (RFC 7523 3, 4–7), on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  let findFault: (client: Client, assertion: string) => ReturnType<FindAssertionFault>;
  const key = createClientKey();
  const client: Client = buildClient({ metadata: { jwks: { keys: [key.jwk] } } });

  beforeAll(async () => {
    test = await openStores(dialect);
    const find = createFindAssertionFault({ ...test, verifyByClientKeys, issuer: audience, clock: () => now });
    findFault = (client, assertion) => find(client, assertion, spendNothing);
  });
  beforeEach(() => {
    now = start + 999;
  });
  afterAll(() => test.close());

  const seconds = start / 1000;
  /** As a client may, it says when it ends and not when it was made. */
  const sign = (claims: object) =>
    key.assertion(client.clientId, audience, { iat: undefined, exp: seconds + 60, ...claims }, { typ: 'JWT' });

  it.each([
    ['iat 10 s ahead', { iat: seconds + 10 }],
    ['nbf 10 s ahead', { nbf: seconds + 10 }],
    ['iat long ago', { iat: seconds - 86_400 }],
    ['exp 4 s ago', { exp: seconds - 4 }],
    ['exp in an hour', { exp: seconds + 3600 }],
  ])('is good with %s', async (_title, claims) => {
    expect(await findFault(client, sign(claims))).toBeUndefined();
  });

  it.each([
    ['iat 11 s ahead', { iat: seconds + 11 }],
    ['nbf 11 s ahead', { nbf: seconds + 11 }],
    ['exp 5 s ago', { exp: seconds - 5 }],
    ['exp an hour ago', { exp: seconds - 3600 }],
    ['exp in more than an hour', { exp: seconds + 3601 }],
  ])('is at fault with %s', async (_title, claims) => {
    expect(await findFault(client, sign(claims))).toMatchObject({ isOfTime: true });
  });

  it.each([
    ['another audience, which counts first', { aud: 'https://elsewhere.example.com', exp: seconds - 60 }],
    ['a time that is none', { iat: 'now' }],
    ['a beginning that is no time', { nbf: 'now' }],
    ['no exp', { exp: undefined }],
  ])('is not said to be at fault with %s', async (_title, claims) => {
    expect(await findFault(client, sign(claims))).toMatchObject({ isOfTime: false });
  });

  it('is not said to be at fault to somebody without the key', async () => {
    const stranger = createClientKey().assertion(client.clientId, audience, { exp: 1 });
    expect(await findFault(client, stranger)).toMatchObject({ isOfTime: false });
  });

  describe('of a client with the profile fapi2', () => {
    const strict = buildClient({ metadata: { profile: 'fapi2', jwks: { keys: [key.jwk] } } });
    const signStrict = (aud: unknown) =>
      key.assertion(strict.clientId, audience, { exp: seconds + 60, iat: seconds + 10, nbf: seconds + 10, aud });

    it('is good with the issuer as aud, and a clock that is 10 s ahead', async () => {
      expect(await findFault(strict, signStrict(audience))).toBeUndefined();
    });

    it.each([
      ['a list of the issuer', [audience]],
      ['the token endpoint', `${audience}/oauth/token`],
      ['the endpoint for pushed requests', `${audience}/oauth/par`],
      ['the issuer and a slash', `${audience}/`],
      ['nothing', undefined],
    ])('is at fault with %s as aud, which other clients may have', async (_title, aud) => {
      expect(await findFault(strict, signStrict(aud))).toEqual({
        reason: '"aud" must be the issuer as one string',
        isOfTime: false,
      });
    });

    it.each(['RS256', 'PS256', 'EdDSA', 'Ed25519'] as const)('is good by %s where that is no RS256', async (alg) => {
      const own = createClientKey(alg);
      const jwks = { keys: [own.jwk] };
      const assertion = own.assertion(strict.clientId, audience, { iat: undefined, exp: seconds + 60 });
      const fault = await findFault({ ...strict, metadata: { profile: 'fapi2', jwks } }, assertion);
      expect(fault?.isOfTime).toBe(alg === 'RS256' ? false : undefined);
      if (alg === 'RS256') expect(await findFault({ ...strict, metadata: { jwks } }, assertion)).toBeUndefined();
    });
  });

  it.each(['/oauth/token', '/oauth/par'])('is good with the URL of %s as aud', async (path) => {
    expect(await findFault(client, sign({ aud: audience + path }))).toBeUndefined();
  });

  it('is good with a jti that another client used', async () => {
    const others = createClientKey();
    const other = buildClient({ metadata: { jwks: { keys: [others.jwk] } } });
    const claims = { iat: undefined, exp: seconds + 60, jti: 'the same' };
    expect(await findFault(client, sign(claims))).toBeUndefined();
    expect(await findFault(other, others.assertion(other.clientId, audience, claims))).toBeUndefined();
    expect(await findFault(client, sign(claims))).toEqual({ reason: 'the jti was used before', isOfTime: false });
  });

  it.each([2, 2.5])(
    'leaves the jti in mind as long as the assertion could be accepted, with exp in %s s',
    async (ahead) => {
      now = start;
      const assertion = sign({ exp: seconds + ahead });
      expect(await findFault(client, assertion)).toBeUndefined();
      for (let later = 500; later <= 10_000; later += 500) {
        now = start + later;
        await test.database.execute('DELETE FROM used_identifiers WHERE expires_at <= ?', [now]);
        expect([later, await findFault(client, assertion)]).not.toEqual([later, undefined]);
      }
    },
  );
});

describe('the jti of a client assertion', () => {
  it('is remembered for no longer than the assertion could be accepted', async () => {
    const ends: number[] = [];
    const usedIdentifiers = {
      async use(_identifier: Buffer, expiresAt: number) {
        ends.push(expiresAt);
        return true;
      },
    };
    const findFault = createFindAssertionFault({
      ...{ verifyByClientKeys, usedIdentifiers, issuer: audience, clock: () => start },
    });
    const key = createClientKey();
    const client = buildClient({ metadata: { jwks: { keys: [key.jwk] } } });
    const exp = start / 1000 + 60;
    const assertion = key.assertion(client.clientId, audience, { iat: undefined, exp });
    expect(await findFault(client, assertion, spendNothing)).toBeUndefined();
    expect(ends).toEqual([(exp + 5) * 1000]);
  });
});

describe('a client whose clock is wrong', () => {
  let realm: Realm;
  const key = createClientKey();
  beforeAll(async () => {
    realm = await startRealm();
    await realm.register({
      client_id: 'by-key',
      scope: ['profile'],
      authorized_grant_types: ['client_credentials'],
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } },
    });
  });
  afterAll(() => realm.close());

  const ask = (claims: object) => {
    const assertion = key.assertion('by-key', realm.authUrl, claims);
    const form = {
      grant_type: 'client_credentials',
      client_assertion_type: assertionType,
      client_assertion: assertion,
    };
    return realm.send('/oauth/token', { form });
  };
  const inSeconds = (ahead: number) => Math.floor(Date.now() / 1000) + ahead;

  it('is served up to 10 s ahead', async () => {
    const { status } = await ask({ iat: inSeconds(10), nbf: inSeconds(10), exp: inSeconds(70) });
    expect(status).toBe(200);
  });

  it.each([
    ['iat', () => ({ iat: inSeconds(60) })],
    ['nbf', () => ({ nbf: inSeconds(60) })],
    ['exp', () => ({ exp: inSeconds(-60) })],
  ])('is told so where it is too far off: %s', async (_claim, build) => {
    const { status, json } = await ask(build());
    expect([status, json()]).toEqual([
      401,
      { error: 'invalid_client', error_description: expect.stringMatching(/the time of client_assertion .* clock/) },
    ]);
  });
});
