import type { ClientMetadata } from '@gatehouse/shared';
import { type ClientKey, createClientKey } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { completeMetadata } from '../../src/clients/client-demands.ts';
import { createVerifyByClientKeys } from '../../src/clients/verify-by-client-keys.ts';
import { createReadRequestObject } from '../../src/request-objects/read-request-object.ts';
import { buildClient, start } from '../support/builders.ts';

const issuer = 'https://auth.example.com';
const now = start / 1000;
/** No client here has its keys elsewhere. */
const verifyByClientKeys = createVerifyByClientKeys({
  keySets: { verify: () => Promise.reject(new Error('not here')) },
  isOfStranger: () => false,
});
const read = createReadRequestObject({ verifyByClientKeys, issuer, clock: () => start + 999 });

const key = createClientKey();
const clientOf = (metadata: ClientMetadata = {}, keys: readonly ClientKey[] = [key]) =>
  buildClient({
    clientId: 'web',
    metadata: completeMetadata({ jwks: { keys: keys.map(({ jwk }) => jwk) }, ...metadata }),
  });
const plain = clientOf();
const strict = clientOf({ profile: 'fapi2_message_signing' });

const asked = { client_id: 'web', response_type: 'code', scope: 'openid' };
const dated = { iss: 'web', aud: issuer, exp: now + 300, nbf: now };

const sign = (claims: object, header: object = {}, by = key, alg = 'ES256') =>
  new SignJWT({ ...asked, ...claims }).setProtectedHeader({ alg, ...header }).sign(by.privateKey);
const readAs = async (client: typeof plain, object: Promise<string> | string) =>
  Object.fromEntries(await read(client, await object));
const faultOf = (client: typeof plain, object: Promise<string> | string) =>
  readAs(client, object).then(
    (parameters) => parameters,
    ({ code, message }: { code?: string; message: string }) => `${code}: ${message}`,
  );
const invalid = (reason: string) => `invalid_request_object: the request object is not valid: ${reason}`;

describe('a request object (RFC 9101)', () => {
  it('gives its parameters, and nothing that it says of itself', async () => {
    const object = sign({ ...dated, sub: 'a user', jti: 'x', iat: now, state: 'ü&=', nonce: '' });
    expect(await readAs(plain, object)).toEqual({ ...asked, state: 'ü&=' });
  });

  it('may say no more than the parameters', async () => {
    expect(await readAs(plain, sign({}))).toEqual(asked);
  });

  it('has claims as JSON or text, max_age as a number or text, and resources as a list or text', async () => {
    const claims = { userinfo: { name: null } };
    const [one, two] = ['https://a.example.com/', 'https://b.example.com/'];
    expect(await readAs(plain, sign({ claims, max_age: 0, resource: [one, two] }))).toEqual({
      ...asked,
      ...{ claims: '{"userinfo":{"name":null}}', max_age: '0', resource: `${one} ${two}` },
    });
    const texts = { claims: '{}', max_age: '60', resource: one };
    expect(await readAs(plain, sign(texts))).toEqual({ ...asked, ...texts });
  });

  it.each([
    ['scope', ['openid']],
    ['state', 1],
    ['login_hint', null],
    ['prompt', { none: true }],
    ['max_age', true],
    ['resource', [1]],
    ['claims', []],
  ])('has no parameter %s with the value %j', async (name, value) => {
    expect(await faultOf(plain, sign({ [name]: value }))).toBe(invalid(`'${name}' must be a string`));
  });

  it.each(['JWT', 'jwt', 'oauth-authz-req+jwt', 'application/oauth-authz-req+jwt', 'OAuth-Authz-Req+JWT'])(
    'may be of type %s',
    async (typ) => {
      expect(await readAs(plain, sign({}, { typ }))).toEqual(asked);
    },
  );

  it.each(['at+jwt', 'dpop+jwt', 'logout+jwt', 'token-introspection+jwt', 'JOSE', '', 1, null])(
    'is not of type %j',
    async (typ) => {
      const reason = "'typ' must be oauth-authz-req+jwt, JWT or left out";
      expect(await faultOf(plain, sign({}, { typ }))).toBe(invalid(reason));
    },
  );

  it.each<[string, object, string]>([
    ['of another client by iss', { iss: 'other' }, "'iss' must be the client_id"],
    ['of another client by client_id', { client_id: 'other' }, "'client_id' must stand in it"],
    ['of no client', { client_id: undefined }, "'client_id' must stand in it"],
    ['for another server', { aud: 'https://other.example.com' }, "'aud' must be or hold the issuer"],
    ['for the issuer and a slash', { aud: `${issuer}/` }, "'aud' must be or hold the issuer"],
    ['for other servers', { aud: ['https://other.example.com', ''] }, "'aud' must be or hold the issuer"],
    ['that could authenticate the client', { sub: 'web' }, "'sub' must not be the client_id"],
    ['within another', { request: 'e30.e30.e30' }, "'request' must not stand in it"],
    ['that leads to another', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, "'request_uri' must not stand"],
    ['that is over', { exp: now - 5 }, "'exp' has passed"],
    ['that begins later', { nbf: now + 11 }, "'nbf' claim timestamp check failed"],
    ['of the future', { iat: now + 11 }, "'iat' lies in the future"],
    ['with a time that is none', { exp: 'tomorrow' }, 'exp is not a number of seconds'],
  ])('is refused %s', async (_what, claims, reason) => {
    expect(await faultOf(plain, sign(claims))).toEqual(expect.stringContaining(invalid('')));
    expect(await faultOf(plain, sign(claims))).toContain(reason);
  });

  it.each<[string, object]>([
    ['the issuer among its audiences', { aud: ['https://other.example.com', issuer] }],
    ['a clock that is 10 s ahead', { nbf: now + 10, iat: now + 10 }],
    ['a clock that is 4 s behind', { exp: now - 4 }],
    ['a long life', { nbf: now - 86_400, exp: now + 86_400 }],
    ['another subject', { sub: 'somebody' }],
  ])('is good with %s', async (_what, claims) => {
    expect(await readAs(plain, sign(claims))).toEqual(asked);
  });

  it('is signed by a key of the client, and not by another', async () => {
    expect(await faultOf(plain, sign({}, {}, createClientKey()))).toBe(invalid('signature verification failed'));
    const none = buildClient({ clientId: 'web' });
    expect(await faultOf(none, sign({}))).toBe('invalid_request_object: this client registered no keys');
  });

  it('is signed by any of several keys, by its name or without one', async () => {
    const [old, next] = [createClientKey('ES256', 'old'), createClientKey('ES256', 'next')];
    const rotating = clientOf({}, [old, createClientKey('RS256'), next]);
    expect(await readAs(rotating, sign({}, { kid: 'next' }, next))).toEqual(asked);
    expect(await readAs(rotating, sign({}, {}, next))).toEqual(asked);
    expect(await faultOf(rotating, sign({}, { kid: 'old' }, next))).toBe(invalid('signature verification failed'));
    expect(await faultOf(rotating, sign({}))).toBe(invalid('signature verification failed'));
    const late = sign({ nbf: now + 60 }, {}, old);
    expect(await faultOf(rotating, late)).toBe(invalid("'nbf' claim timestamp check failed"));
  });

  it('is signed, and not encrypted', async () => {
    const unsigned = new UnsecuredJWT(asked).encode();
    for (const text of [unsigned, `${unsigned}x`, 'e30.e30.e30.e30.e30', 'x', `${await sign({})}=`]) {
      expect(await faultOf(plain, text)).toEqual(expect.stringContaining(invalid('')));
    }
    const hmac = new SignJWT(asked).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(JSON.stringify(key.jwk)));
    expect(await faultOf(plain, hmac)).toBe(invalid("'alg' (Algorithm) Header Parameter value not allowed"));
  });

  it('has at most 16 KiB', async () => {
    const short = await sign({ state: '' });
    const fill = (length: number) => sign({ state: 's'.repeat(Math.floor(((length - short.length) * 3) / 4)) });
    expect(await readAs(plain, fill(16_380))).toMatchObject(asked);
    expect(await faultOf(plain, fill(16_400))).toBe(
      invalid('no JWT in compact form of a length and depth that is read'),
    );
  });

  it.each(['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const)('may be signed by %s', async (alg) => {
    const own = createClientKey(alg);
    expect(await readAs(clientOf({}, [own]), sign({}, {}, own, alg))).toEqual(asked);
    const fixed = clientOf({ request_object_signing_alg: alg }, [own, key]);
    expect(await readAs(fixed, sign({}, {}, own, alg))).toEqual(asked);
  });

  it('is signed by the one algorithm that the client registered', async () => {
    const own = createClientKey('RS256');
    const fixed = clientOf({ request_object_signing_alg: 'PS256' }, [own, key]);
    const reason = invalid("'alg' (Algorithm) Header Parameter value not allowed");
    expect(await readAs(fixed, sign({}, {}, own, 'PS256'))).toEqual(asked);
    expect(await faultOf(fixed, sign({}, {}, own, 'RS256'))).toBe(reason);
    expect(await faultOf(fixed, sign({}))).toBe(reason);
  });

  describe('of a client with the profile fapi2_message_signing', () => {
    it.each<[string, object]>([
      ['all that it must say', {}],
      ['a list with the issuer as aud', { aud: [issuer, 'https://other.example.com'] }],
      ['a clock that is 8 s ahead', { nbf: now + 8 }],
      ['an hour', { nbf: now - 1, exp: now + 3599 }],
      ['a beginning an hour ago', { nbf: now - 3600, exp: now - 1 }],
    ])('is good with %s', async (_what, claims) => {
      expect(await readAs(strict, sign({ ...dated, ...claims }))).toEqual(asked);
    });

    it.each<[string, object, string]>([
      ...['iss', 'aud', 'exp', 'nbf'].map((name): [string, object, string] => [
        `without ${name}`,
        { [name]: undefined },
        `missing required '${name}' claim`,
      ]),
      ['that is good for more than an hour', { nbf: now, exp: now + 3601 }, "'exp' must be at most an hour after"],
      ['of more than an hour ago', { nbf: now - 3601, exp: now - 2 }, "'nbf' must be at most an hour ago"],
      ['of the future', { nbf: now + 11 }, "'nbf' claim timestamp check failed"],
    ])('is refused %s', async (_what, claims, reason) => {
      expect(await faultOf(strict, sign({ ...dated, ...claims }))).toContain(reason);
    });

    it('is not signed by RS256', async () => {
      const own = createClientKey('RS256');
      const client = clientOf({ profile: 'fapi2_message_signing' }, [own]);
      expect(await faultOf(client, sign(dated, {}, own, 'RS256'))).toContain('value not allowed');
      expect(await readAs(client, sign(dated, {}, own, 'PS256'))).toEqual(asked);
    });
  });
});
