import { scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hash as hashBcrypt } from '@node-rs/bcrypt';
import { checkImportedHash } from '../src/imported-hash/check-imported-hash.ts';
import { buildDecoyOf } from '../src/imported-hash/decoy.ts';
import { estimateHashWork } from '../src/imported-hash/hash-work.ts';
import { parseImportedHash } from '../src/imported-hash/parse-imported-hash.ts';

const toBase64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
const salt = toBase64(Buffer.from('salt'));
const argonSalt = toBase64(Buffer.from('somesalt'));
const bytes = (length: number) => toBase64(Buffer.alloc(length, 7));
/** Salt and hash, each of whose last characters has spare bits. */
const bcryptBytes = `${'a'.repeat(21)}e${'a'.repeat(31)}`;
const hex = (text: string) => toBase64(Buffer.from(text, 'hex'));

/** Known answers: the password, and a form that it is right for. */
const answers: [string, string, string][] = [
  // phc-winner-argon2, src/test.c.
  ['argon2id', 'password', `$argon2id$v=19$m=65536,t=2,p=1$${argonSalt}$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`],
  ['argon2i', 'password', `$argon2i$v=19$m=65536,t=2,p=1$${argonSalt}$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA`],
  // RFC 6070.
  ['PBKDF2 of SHA-1', 'password', `$pbkdf2-sha1$i=4096$${salt}$${hex('4b007901b765489abead49d926f721d065a429c1')}`],
  [
    'PBKDF2 of SHA-512',
    'password',
    `$pbkdf2-sha512$i=1$${salt}$${hex(
      '867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce',
    )}`,
  ],
  [
    'PBKDF2 of SHA-256',
    'password',
    `$pbkdf2-sha256$i=1$${salt}$${hex('120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b')}`,
  ],
  // RFC 7914, section 12.
  [
    'scrypt',
    'pleaseletmein',
    `$scrypt$ln=14,r=8,p=1$${toBase64(Buffer.from('SodiumChloride'))}$${hex(
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    )}`,
  ],
];

/** Digests of `password`, and of `passwordsalt`. */
const weakDigests: [string, string, string][] = [
  ['md5', '', '5f4dcc3b5aa765d61d8327deb882cf99'],
  ['sha', '', '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'],
  ['ssha', salt, 'c88e9c67041a74e0357befdff93f87dde0904214'],
  ['ssha256', salt, '7a37b85c8918eac19a9089c0fa5a2ab4dce3f90528dcdeec108b23ddf3607b99'],
];

/** The bytes that `openssl passwd -1` and `-apr1` print in their own letters, by password; the salt is `ab./Yz09`. */
const ofCrypt: [string, string, string][] = [
  ['', '85c16bae4f9738bc454025eac2f400fe', '2e570ed193d5e3d60a0bfb6b7ef3f251'],
  ['a', '7c5ab044124e9488863c57d11c87d152', '6235f20079d0c4041cbe689aeb3c8f3a'],
  ['exactly sixteen!', 'f48299840b68cb2dc46fa648079cc6dc', '561bb6727bf5ba4ed1599f8716430560'],
  [
    'more than sixteen bytes, and then more than thirty-two of them',
    '0b69832b8d2d45465d97cc7e9ebd382d',
    'fd4641f8aebdc3b5830e25951f05e9ac',
  ],
  ['Grüße aus Köln', '9d21bd2fcb0fb409040a070d2dfef794', '8f6b44acb318904ed3dc2333ca037021'],
];

function wrapWeakly(scheme: string, saltText: string, digest: string): string {
  const key = scryptSync(Buffer.from(digest, 'hex'), 'salt', 32, { N: 2 ** 4, r: 8, p: 1 });
  return `$gh-wrap$${scheme}$${saltText}$scrypt$ln=4,r=8,p=1$${salt}$${toBase64(key)}`;
}

describe('imported hashes', () => {
  const isRight = async (text: string, password: string) => {
    const parsed = parseImportedHash(text);
    if (parsed === undefined) throw new Error(`not read: ${text}`);
    return checkImportedHash(parsed, password);
  };

  it.each(answers)('are checked as their source did: %s', async (_, password, text) => {
    expect(await isRight(text, password)).toBe(true);
    expect(await isRight(text, `${password}.`)).toBe(false);
  });

  it.each(weakDigests)('are checked under their wrap: %s', async (scheme, saltText, digest) => {
    const text = wrapWeakly(scheme, saltText, digest);
    expect(await isRight(text, 'password')).toBe(true);
    expect(await isRight(text, 'other')).toBe(false);
  });

  it.each(ofCrypt)('are checked under their wrap, MD5 by crypt: %j', async (password, ...digests) => {
    for (const [index, digest] of digests.entries()) {
      const text = wrapWeakly(['1', 'apr1'][index] ?? '', toBase64(Buffer.from('ab./Yz09')), digest);
      expect(await isRight(text, password)).toBe(true);
      expect(await isRight(text, `${password}.`)).toBe(false);
    }
  });

  it.each(['2a', '2b', '2y'] as const)('are checked as bcrypt with the prefix $%s$, by 72 bytes', async (version) => {
    const password = 'x'.repeat(72);
    const text = await hashBcrypt(password, { cost: 4, version });
    const answers = [password, `${password}y`, password.slice(1)].map((each) => isRight(text, each));
    expect(await Promise.all(answers)).toEqual([true, true, false]);
  });

  it.each([
    ['argon2', `$argon2id$v=19$m=7168,t=5,p=1$${bytes(16)}$${bytes(32)}`],
    ['bcrypt', `$2y$05$${bcryptBytes}`],
    ['PBKDF2', `$pbkdf2-sha256$i=27500$${bytes(16)}$${bytes(64)}`],
    ['scrypt', `$scrypt$ln=10,r=8,p=2$${bytes(16)}$${bytes(64)}`],
    ['a wrap', `$gh-wrap$sha$$scrypt$ln=15,r=8,p=1$${bytes(16)}$${bytes(32)}`],
    ['a wrap of a salted digest', `$gh-wrap$ssha$${salt}$scrypt$ln=15,r=8,p=1$${bytes(16)}$${bytes(32)}`],
    ['a wrap of crypt', `$gh-wrap$apr1$${salt}$scrypt$ln=15,r=8,p=1$${bytes(16)}$${bytes(32)}`],
  ])('have a decoy of the same work that no password matches: %s', async (_, text) => {
    const stored = parseImportedHash(text);
    if (stored === undefined) throw new Error(`not read: ${text}`);
    const decoy = buildDecoyOf(stored);
    const parsed = parseImportedHash(decoy);
    if (parsed === undefined) throw new Error(`not read: ${decoy}`);
    expect(estimateHashWork(parsed)).toEqual(estimateHashWork(stored));
    expect(buildDecoyOf(parsed)).toBe(decoy);
    expect(await checkImportedHash(parsed, '')).toBe(false);
  });

  it.each([
    ['argon2 of most memory', `$argon2d$v=16$m=65536,t=15,p=8$${bytes(16)}$${bytes(32)}`],
    ['argon2 of most passes', `$argon2id$v=19$m=50000,t=20,p=1$${bytes(16)}$${bytes(32)}`],
    ['bcrypt of least cost', `$2b$04$${bcryptBytes}`],
    ['bcrypt of most cost', `$2b$13$${bcryptBytes}`],
    ['PBKDF2 of most iterations', `$pbkdf2-sha1$i=1000000$${salt}$${bytes(64)}`],
    ['scrypt of most memory', `$scrypt$ln=16,r=8,p=1$${salt}$${bytes(16)}`],
  ])('are taken at their bounds: %s', (_, text) => {
    expect(parseImportedHash(text)).toBeDefined();
  });

  it.each([
    ['argon2 of more memory', `$argon2id$v=19$m=65537,t=1,p=1$${bytes(16)}$${bytes(32)}`],
    ['argon2 of more passes', `$argon2id$v=19$m=64,t=21,p=1$${bytes(16)}$${bytes(32)}`],
    ['argon2 of more lanes', `$argon2id$v=19$m=128,t=1,p=9$${bytes(16)}$${bytes(32)}`],
    ['argon2 of more work', `$argon2id$v=19$m=50001,t=20,p=1$${bytes(16)}$${bytes(32)}`],
    ['argon2 of another version', `$argon2id$v=18$m=64,t=1,p=1$${bytes(16)}$${bytes(32)}`],
    ['argon2 whose salt is spelt otherwise', `$argon2id$v=19$m=64,t=1,p=1$${bytes(16)}==$${bytes(32)}`],
    ['bcrypt of less cost', `$2b$03$${bcryptBytes}`],
    ['bcrypt of more cost', `$2b$14$${bcryptBytes}`],
    ['bcrypt with the old fault', `$2x$10$${bcryptBytes}`],
    ['bcrypt that is cut off', `$2b$10$${bcryptBytes.slice(0, -1)}`],
    ['bcrypt whose salt is spelt otherwise', `$2b$10$${'a'.repeat(53)}`],
    ['bcrypt whose hash is spelt otherwise', `$2b$10$${bcryptBytes.slice(0, -1)}b`],
    ['PBKDF2 of more iterations', `$pbkdf2-sha1$i=1000001$${salt}$${bytes(20)}`],
    ['PBKDF2 of a short hash', `$pbkdf2-sha1$i=1$${salt}$${bytes(15)}`],
    ['PBKDF2 of a long hash', `$pbkdf2-sha1$i=1$${salt}$${bytes(65)}`],
    ['PBKDF2 of another digest', `$pbkdf2-sha384$i=1$${salt}$${bytes(48)}`],
    ['scrypt of more memory', `$scrypt$ln=17,r=8,p=1$${salt}$${bytes(32)}`],
    ['scrypt of more lanes', `$scrypt$ln=16,r=8,p=2$${salt}$${bytes(32)}`],
    ['scrypt of an N that overflows', `$scrypt$ln=99,r=1,p=1$${salt}$${bytes(32)}`],
    ['a wrap of no scrypt', `$gh-wrap$sha$$argon2i$v=19$m=64,t=1,p=1$${bytes(16)}$${bytes(32)}`],
    ['a wrap that costs too much', `$gh-wrap$sha$$scrypt$ln=17,r=8,p=1$${salt}$${bytes(32)}`],
    ['a salt of an unsalted digest', `$gh-wrap$sha$${salt}$scrypt$ln=4,r=8,p=1$${salt}$${bytes(32)}`],
    ['a wrap of no digest', `$gh-wrap$toString$$scrypt$ln=4,r=8,p=1$${salt}$${bytes(32)}`],
    ['a longer salt than crypt has', `$gh-wrap$1$${bytes(9)}$scrypt$ln=4,r=8,p=1$${salt}$${bytes(32)}`],
    ['a weak digest without a wrap', '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g='],
    [
      'SHA-512 crypt',
      '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO/O817G3uBnIFNjnQJuesI68OTLiBFdcbYEdFCoEOfaS35inz1',
    ],
    ['nothing', ''],
    ['what its column does not hold', `$pbkdf2-sha1$i=1$${bytes(384)}$${bytes(20)}`],
  ])('are refused: %s', (_, text) => {
    expect(parseImportedHash(text)).toBeUndefined();
  });
});
