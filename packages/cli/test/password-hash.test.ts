import { createHash, scryptSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { pretendToWrap, readPasswordHash, wrapWeakHash } from '../src/import/password-hash.ts';

const password = 'a password of then';
const salt = Buffer.from('salt of LDAP');

function hashWeakly(digest: string, saltOrNone: Buffer): Buffer {
  return createHash(digest).update(password).update(saltOrNone).digest();
}

describe('the hash of a line', () => {
  it.each([
    '$argon2id$v=19$m=7168,t=5,p=1$YabfNdKapaUfPQtc4yP20w$ncgZfaORPgh5u2YJeygGfVQZBcZsJYhJun+RlLmJ1Y4',
    '$argon2i$v=19$m=1,t=1,p=1$x$y',
    '$argon2d$v=16$m=1,t=1,p=1$x$y',
    '$2a$10$C8rrEjUi9SNxulM7wQAOWOYf8gbtpIxsI/TqsNMZGIlf2m3wjF7xS',
    '$2b$10$C8rrEjUi9SNxulM7wQAOWOYf8gbtpIxsI/TqsNMZGIlf2m3wjF7xS',
    '$2y$99$outside the bounds',
    '$pbkdf2-sha1$i=1$x$y',
    '$pbkdf2-sha256$i=1$x$y',
    '$pbkdf2-sha512$i=1$x$y',
    '$scrypt$ln=1,r=1,p=1$x$y',
    '$gh-wrap$sha$$scrypt$ln=15,r=8,p=1$x$y',
  ])('%s is sent as it is: the server knows its bounds', async (hash) => {
    expect(await readPasswordHash(hash, undefined)).toEqual({ sent: hash });
    expect(await readPasswordHash(hash, wrapWeakHash)).toEqual({ sent: hash });
  });

  it.each([
    ...[
      '$apr1$salt$hash',
      '$1$salt$hash',
      '$1$nine char$L5GQigmkVYbg9wwbnRKMh0',
      '$apr1$salt$MMJ40J.IMcVZOz139gx0t2',
      '$2$salt$MMJ40J.IMcVZOz139gx0t0',
      '$5$salt$hash',
      '$6$salt$hash',
      'rqXexS6ZhobKA',
      '$2x$10$x',
      'clear text',
      '',
    ],
    ...['8846F7EAEE8FB117AD06BDD830B7586C', '{CRYPT}$6$x$y', '{SSHA}', '{SSHA}no base64!', '{SHA256}AAAA', '{X}AAAA'],
    ...[`{SHA}${Buffer.alloc(19).toString('base64')}`, `{SSHA}${Buffer.alloc(20).toString('base64')}`],
    ...[`{MD5}${Buffer.alloc(17).toString('base64')}`, '$argon2$x', '$pbkdf2$x', '{constructor}AAAA'],
  ])('%s is left out, with a note that does not have it', async (hash) => {
    const { sent, note } = await readPasswordHash(hash, wrapWeakHash);
    expect(sent).toBeUndefined();
    expect(note).toEqual({
      field: 'passwordHash',
      detail: 'hash_not_known: the user has no password; this form cannot be checked here',
    });
  });

  it.each([
    ['{SSHA}', 'ssha', 'sha1', salt],
    ['{ssha}', 'ssha', 'sha1', salt],
    ['{SSHA256}', 'ssha256', 'sha256', salt],
    ['{SSHA512}', 'ssha512', 'sha512', salt],
    ['{SMD5}', 'smd5', 'md5', salt],
    ['{SHA}', 'sha', 'sha1', Buffer.alloc(0)],
    ['{MD5}', 'md5', 'md5', Buffer.alloc(0)],
  ])('of the scheme %s is left out, or wrapped in scrypt', async (prefix, scheme, digest, own) => {
    const weak = hashWeakly(digest, own);
    const hash = prefix + Buffer.concat([weak, own]).toString('base64');
    expect(await readPasswordHash(hash, undefined)).toEqual({
      note: { field: 'passwordHash', detail: 'hash_not_known: the user has no password; --weak wrap takes this form' },
    });
    const { sent = '', note } = await readPasswordHash(hash, wrapWeakHash);
    expect(note).toBeUndefined();
    const [, name, named, ownSalt, inner, parameters, salted, hashed] = sent.split('$');
    expect([name, named, inner, parameters]).toEqual(['gh-wrap', scheme, 'scrypt', 'ln=15,r=8,p=1']);
    expect(Buffer.from(ownSalt ?? '', 'base64')).toEqual(own);
    const saltOfScrypt = Buffer.from(salted ?? '', 'base64');
    const expected = scryptSync(weak, saltOfScrypt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 });
    expect(Buffer.from(hashed ?? '', 'base64')).toEqual(expected);
    expect([saltOfScrypt.length, sent.includes('=', sent.indexOf('p=1') + 3)]).toEqual([16, false]);
    expect((await readPasswordHash(hash, wrapWeakHash)).sent).not.toBe(sent);
    const pretended = (await readPasswordHash(hash, pretendToWrap)).sent ?? '';
    expect(pretended.length).toBe(sent.length);
  });

  // Of `openssl passwd`; their bytes by hand.
  it.each([
    ['$1$ab./Yz09$5gAxQqWU4HQaQz4VcNu06/', '1', 'ab./Yz09', 'f48299840b68cb2dc46fa648079cc6dc'],
    ['$apr1$ab./Yz09$KcfJ1to432hhUZZQpztS50', 'apr1', 'ab./Yz09', '561bb6727bf5ba4ed1599f8716430560'],
    ['$1$x$ntiM1/Tz/A.K1foNwVMof0', '1', 'x', '62fd5867d17ceef0034a88ab734301c3'],
    ['$apr1$x$JzZzpGvcyRmaRIUjVzP42/', 'apr1', 'x', 'fea39bbe19e15fb42705bf44d5b57e1d'],
  ])('of crypt, %s, is wrapped too', async (hash, scheme, own, digest) => {
    const { sent = '' } = await readPasswordHash(hash, wrapWeakHash);
    const [, , named, ownSalt = '', , , salted = '', hashed = ''] = sent.split('$');
    expect([named, Buffer.from(ownSalt, 'base64').toString()]).toEqual([scheme, own]);
    const options = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };
    const expected = scryptSync(Buffer.from(digest, 'hex'), Buffer.from(salted, 'base64'), 32, options);
    expect(Buffer.from(hashed, 'base64')).toEqual(expected);
  });
});
