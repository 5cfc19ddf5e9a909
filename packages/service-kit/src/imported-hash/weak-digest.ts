import { createHash } from 'node:crypto';

interface WeakScheme {
  /** Bytes of its salt, at least and at most. */
  salt: readonly [number, number];
  compute(password: string, salt: Buffer): Buffer;
}

/** The weak digests that `$gh-wrap$` names: those of LDAP servers, which hash password and salt, and those of `crypt`. */
export const weakSchemes = {
  md5: { salt: [0, 0], compute: digestBy('md5') },
  smd5: { salt: [1, 64], compute: digestBy('md5') },
  sha: { salt: [0, 0], compute: digestBy('sha1') },
  ssha: { salt: [1, 64], compute: digestBy('sha1') },
  ssha256: { salt: [1, 64], compute: digestBy('sha256') },
  ssha512: { salt: [1, 64], compute: digestBy('sha512') },
  '1': { salt: [0, 8], compute: cryptBy('$1$') },
  apr1: { salt: [0, 8], compute: cryptBy('$apr1$') },
} satisfies Record<string, WeakScheme>;

export type WeakSchemeName = keyof typeof weakSchemes;

export function isWeakSchemeName(name: string): name is WeakSchemeName {
  return Object.hasOwn(weakSchemes, name);
}

function digestBy(algorithm: string): WeakScheme['compute'] {
  return (password, salt) => createHash(algorithm).update(password).update(salt).digest();
}

/** The MD5 of FreeBSD's `crypt`, 1,000 rounds, in which Apache's differs by its prefix alone: about 3 ms of the event loop. */
function cryptBy(prefix: string): WeakScheme['compute'] {
  return (typed, salt) => {
    const password = Buffer.from(typed);
    const hash = (...parts: (Buffer | string)[]) => {
      const md5 = createHash('md5');
      for (const part of parts) md5.update(part);
      return md5.digest();
    };
    const filling = Buffer.alloc(password.length, hash(password, salt, password));
    let digest = hash(password, prefix, salt, filling, markLength(password));
    for (let round = 0; round < 1000; round += 1) {
      const [first, last] = round % 2 === 1 ? [password, digest] : [digest, password];
      digest = hash(first, round % 3 === 0 ? '' : salt, round % 7 === 0 ? '' : password, last);
    }
    return digest;
  };
}

/** A byte for each binary digit of the length, the lowest first: zero for a one, the first of the password for a zero. */
function markLength(password: Buffer): Buffer {
  const marks: number[] = [];
  for (let rest = password.length; rest > 0; rest >>= 1) marks.push(rest % 2 === 1 ? 0 : (password[0] ?? 0));
  return Buffer.from(marks);
}
