import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { createDpopNonces, type DpopRequest, dpopAlgorithms } from '@gatehouse/resource-server/parts';
import { OAuthError } from '@gatehouse/shared';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { calculateJwkThumbprint, exportJWK, type JWK, SignJWT, UnsecuredJWT } from 'jose';
import { createVerifyProof } from '../../src/http/dpop.ts';

const start = Date.UTC(2026, 10, 20, 8, 0, 0);
const tokenRequest: DpopRequest = { method: 'POST', url: 'https://auth.example.com/oauth/token' };
const accessToken = 'an.access.token';
const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

let now = start;
const clock = () => now;
const nonces = createDpopNonces({ getKey: () => key, clock });
const key = randomBytes(32);

/** Remembers as the database does: until the instant it was told, and not a moment longer. */
function createUsed() {
  const used = new Map<string, number>();
  return {
    async use(identifier: Buffer, expiresAt: number) {
      const name = identifier.toString('hex');
      if ((used.get(name) ?? Number.NEGATIVE_INFINITY) > now) return false;
      used.set(name, expiresAt);
      return true;
    },
  };
}

interface Holder {
  alg: string;
  privateKey: KeyObject | Uint8Array;
  jwk: JWK;
}

/** An RSA key takes a fifth of a second to make. */
const rsaPair = generateKeyPairSync('rsa', { modulusLength: 2048 });

async function createHolder(alg: string): Promise<Holder> {
  const pair = alg.startsWith('E')
    ? alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('ed25519')
    : rsaPair;
  return { alg, privateKey: pair.privateKey, jwk: await exportJWK(pair.publicKey) };
}

const buildClaims = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  jti: randomUUID(),
  htm: 'POST',
  htu: tokenRequest.url,
  iat: Math.floor(now / 1000),
  nonce: nonces.current(),
  ...changes,
});

function prove(
  { alg, privateKey, jwk }: Holder,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  return new SignJWT(buildClaims(claims))
    .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header } as { alg: string })
    .sign(privateKey);
}

describe('the verifier of DPoP proofs (RFC 9449 4.3)', () => {
  let holder: Holder;
  let verify: ReturnType<typeof createVerifyProof>;

  beforeEach(async () => {
    now = start;
    holder = await createHolder('ES256');
    verify = createVerifyProof({ nonces, usedIdentifiers: createUsed(), clock });
  });

  /** The code of the error, or nothing where the proof is taken. */
  const findFault = async (proof: string, request: DpopRequest = tokenRequest): Promise<string | undefined> => {
    try {
      await verify(proof, request);
      return undefined;
    } catch (error) {
      if (error instanceof OAuthError) return error.code;
      throw error;
    }
  };

  test.each([...dpopAlgorithms])('gives the thumbprint (RFC 7638) of a key that signs by %s', async (alg) => {
    const other = await createHolder(alg);
    expect(await verify(await prove(other), tokenRequest)).toBe(await calculateJwkThumbprint(other.jwk));
  });

  test.each([...dpopAlgorithms])('by %s is refused where the sender may sign by others only', async (alg) => {
    const proof = await prove(await createHolder(alg));
    const algorithms = dpopAlgorithms.filter((other) => other !== alg);
    expect(await findFault(proof, { ...tokenRequest, algorithms })).toBe('invalid_dpop_proof');
    expect(await findFault(proof, { ...tokenRequest, algorithms: [alg] })).toBeUndefined();
  });

  test('2: a proof is a JWT, and one alone', async () => {
    const proof = await prove(holder);
    for (const text of ['', 'no-jwt', 'a.b.c', `${proof}, ${proof}`, proof.split('.').slice(0, 2).join('.')]) {
      expect([text.length, await findFault(text)]).toEqual([text.length, 'invalid_dpop_proof']);
    }
    expect(await findFault(proof)).toBeUndefined();
  });

  test.each(['jti', 'htm', 'htu', 'iat'])('3: the claim %s is required', async (claim) => {
    expect(await findFault(await prove(holder, { [claim]: undefined }))).toBe('invalid_dpop_proof');
  });

  test.each([undefined, 'JWT', 'at+jwt'])('4: typ %s is not that of a proof', async (typ) => {
    expect(await findFault(await prove(holder, {}, { typ }))).toBe('invalid_dpop_proof');
  });

  test('5: a symmetric signature proves nothing', async () => {
    const secret = randomBytes(32);
    const jwk = { kty: 'oct', k: secret.toString('base64url') };
    expect(await findFault(await prove({ alg: 'HS256', privateKey: secret, jwk }))).toBe('invalid_dpop_proof');
  });

  test('5: alg none proves nothing', async () => {
    const unsecured = new UnsecuredJWT(buildClaims()).encode().split('.')[1];
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt', jwk: holder.jwk })).toString('base64url');
    expect(await findFault(`${header}.${unsecured}.`)).toBe('invalid_dpop_proof');
  });

  test('5: an algorithm that is not offered is refused', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const other = { alg: 'ES384', privateKey, jwk: await exportJWK(publicKey) };
    expect(await findFault(await prove(other))).toBe('invalid_dpop_proof');
  });

  test('6: the signature is that of the key in the header', async () => {
    const { jwk } = await createHolder('ES256');
    expect(await findFault(await prove(holder, {}, { jwk }))).toBe('invalid_dpop_proof');
    const [header, , signature] = (await prove(holder)).split('.');
    const [, payload] = (await prove(holder)).split('.');
    expect(await findFault(`${header}.${payload}.${signature}`)).toBe('invalid_dpop_proof');
  });

  test('6: a proof without a key in the header is refused', async () => {
    expect(await findFault(await prove(holder, {}, { jwk: undefined }))).toBe('invalid_dpop_proof');
  });

  test('7: a header that gives the private key away is refused', async () => {
    const jwk = await exportJWK(holder.privateKey);
    expect(jwk.d).toEqual(expect.any(String));
    expect(await findFault(await prove(holder, {}, { jwk }))).toBe('invalid_dpop_proof');
  });

  test('7: a key that takes long to verify by is refused, though it is the key', async () => {
    const rsa = await createHolder('PS256');
    const exponent = Buffer.concat([Buffer.alloc(6), Buffer.from(rsa.jwk.e ?? '', 'base64url')]);
    const jwk = { ...rsa.jwk, e: exponent.toString('base64url') };
    expect(await findFault(await prove(rsa))).toBeUndefined();
    expect(await findFault(await prove(rsa, {}, { jwk }))).toBe('invalid_dpop_proof');
  });

  test.each(['GET', 'post', ''])('8: htm %s is not the method of a POST', async (htm) => {
    expect(await findFault(await prove(holder, { htm }))).toBe('invalid_dpop_proof');
  });

  test.each([
    'https://auth.example.com/oauth/userinfo',
    'https://auth.example.com/oauth/token/',
    'https://auth.example.com/oauth/Token',
    'https://auth.example.com/OAUTH/TOKEN',
    'https://auth.example.com:8443/oauth/token',
    'http://auth.example.com/oauth/token',
    'https://elsewhere.example.com/oauth/token',
    '/oauth/token',
    '',
    7,
  ])('9: htu %s is not the URL of the request', async (htu) => {
    expect(await findFault(await prove(holder, { htu }))).toBe('invalid_dpop_proof');
  });

  test.each([
    'https://auth.example.com/oauth/token?a=b#c',
    'https://AUTH.example.com/oauth/token',
    'https://auth.example.com:443/oauth/token',
    'HTTPS://auth.example.com/oauth/./token',
  ])('9: htu %s is that URL, query and fragment aside', async (htu) => {
    expect(await findFault(await prove(holder, { htu }))).toBeUndefined();
  });

  test.each([undefined, '', 'x'])('10: the nonce %s is not the one the server gave', async (nonce) => {
    expect(await findFault(await prove(holder, { nonce }))).toBe('use_dpop_nonce');
  });

  test.each([7, null, ['x'], {}])('a nonce that is no text is part of no proof: %j', async (nonce) => {
    expect(await findFault(await prove(holder, { nonce }))).toBe('invalid_dpop_proof');
  });

  test('10: a nonce is good for the minute after its own, and asks for another then', async () => {
    const nonce = nonces.current();
    now = start + 119_000;
    expect(await findFault(await prove(holder, { nonce }))).toBeUndefined();
    now = start + 120_000;
    expect(await findFault(await prove(holder, { nonce }))).toBe('use_dpop_nonce');
  });

  test('11: a proof is too old after a minute, and five seconds for the clocks', async () => {
    const proofs = await Promise.all([65, 66].map((age) => prove(holder, { iat: Math.floor(start / 1000) - age })));
    expect(await Promise.all(proofs.map((proof) => findFault(proof)))).toEqual([undefined, 'invalid_dpop_proof']);
  });

  test('11: a proof from the future is refused, ten seconds for the clocks (FAPI 2.0 5.3.2.1)', async () => {
    const proofs = await Promise.all([10, 11].map((ahead) => prove(holder, { iat: Math.floor(start / 1000) + ahead })));
    expect(await Promise.all(proofs.map((proof) => findFault(proof)))).toEqual([undefined, 'invalid_dpop_proof']);
  });

  test('11: iat is a number', async () => {
    expect(await findFault(await prove(holder, { iat: String(start / 1000) }))).toBe('invalid_dpop_proof');
  });

  test('11: exp and nbf count where they are there', async () => {
    const seconds = Math.floor(start / 1000);
    expect(await findFault(await prove(holder, { exp: seconds - 4 }))).toBeUndefined();
    expect(await findFault(await prove(holder, { exp: seconds - 5 }))).toBe('invalid_dpop_proof');
    expect(await findFault(await prove(holder, { nbf: seconds + 10 }))).toBeUndefined();
    expect(await findFault(await prove(holder, { nbf: seconds + 11 }))).toBe('invalid_dpop_proof');
  });

  test.each([10, 0.5, 0, -60])(
    '11.1: a proof of %s seconds ahead is taken once, for as long as it would be taken',
    async (ahead) => {
      const nonce = nonces.current();
      const proof = await prove(holder, { iat: Math.floor(start / 1000) + ahead, nonce });
      expect(await findFault(proof)).toBeUndefined();
      for (let later = 500; later <= 90_000; later += 500) {
        now = start + later;
        expect([later, await findFault(proof)]).toEqual([later, 'invalid_dpop_proof']);
      }
    },
  );

  test('11.1: of several at the same moment one is taken', async () => {
    const proof = await prove(holder);
    const faults = await Promise.all(Array.from({ length: 16 }, () => findFault(proof)));
    expect(faults.filter((fault) => fault === undefined)).toHaveLength(1);
  });

  test('11.1: the jti of one key is free for another', async () => {
    const jti = randomUUID();
    expect(await findFault(await prove(holder, { jti }))).toBeUndefined();
    expect(await findFault(await prove(await createHolder('ES256'), { jti }))).toBeUndefined();
  });

  test('11.1: a proof that was refused is not used up', async () => {
    const jti = randomUUID();
    expect(await findFault(await prove(holder, { jti, nonce: 'old' }))).toBe('use_dpop_nonce');
    expect(await findFault(await prove(holder, { jti }))).toBeUndefined();
  });

  describe('12: with an access token', () => {
    const request: DpopRequest = { method: 'GET', url: 'https://api.example.com/user', accessToken };
    const claims = { htm: 'GET', htu: request.url };

    test('the proof has its hash', async () => {
      expect(await findFault(await prove(holder, { ...claims, ath: hash(accessToken) }), request)).toBeUndefined();
    });

    test.each([undefined, '', accessToken, hash('another')])('ath %s is not its hash', async (ath) => {
      expect(await findFault(await prove(holder, { ...claims, ath }), request)).toBe('invalid_dpop_proof');
    });
  });

  test('an error says what the proof lacks', async () => {
    const error = await verify(await prove(holder, {}, { typ: 'JWT' }), tokenRequest).catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/the DPoP proof is not valid for this request: .*typ/);
  });

  test('no error gives away more than what is wrong with the proof', async () => {
    const error = await verify(await prove(holder, { htm: 'GET' }), tokenRequest).catch((thrown: Error) => thrown);
    expect(String(error)).toMatch(/the DPoP proof is not valid for this request: htm/);
  });
});
