import { randomBytes, scrypt } from 'node:crypto';
import { formatScrypt, scryptOptions, toUnpadded } from '../bundle/scrypt-form.ts';
import type { FieldFault } from '../connection/api.ts';
import { parseCryptMd5 } from './crypt-md5.ts';
import type { WeakHash } from './weak-hash.ts';

/** Forms that the server checks as they are. It knows their bounds. */
const known = /^\$(argon2(id|i|d)|2[aby]|pbkdf2-sha(1|256|512)|scrypt|gh-wrap)\$/;

/** The schemes of LDAP servers: the bytes of the digest, behind which the salt is. */
const weakSchemes: Record<string, { length: number; isSalted: boolean }> = {
  md5: { length: 16, isSalted: false },
  smd5: { length: 16, isSalted: true },
  sha: { length: 20, isSalted: false },
  ssha: { length: 20, isSalted: true },
  ssha256: { length: 32, isSalted: true },
  ssha512: { length: 64, isSalted: true },
};

/** A hash as it is sent; left out, with a note, where the server would not know it. */
export interface ReadHash {
  sent?: string;
  note?: FieldFault;
}

/** Chooses how the hash of a line is sent. `wrap` hashes a weak one once more; without it a weak one is left out. */
export async function readPasswordHash(
  hash: string,
  wrap: ((weak: WeakHash) => Promise<string>) | undefined,
): Promise<ReadHash> {
  if (known.test(hash)) return { sent: hash };
  const weak = parseWeakHash(hash);
  if (weak === undefined) return { note: leftOut('this form cannot be checked here') };
  return wrap === undefined ? { note: leftOut('--weak wrap takes this form') } : { sent: await wrap(weak) };
}

function leftOut(reason: string): FieldFault {
  return { field: 'passwordHash', detail: `hash_not_known: the user has no password; ${reason}` };
}

function parseWeakHash(hash: string): WeakHash | undefined {
  return parseCryptMd5(hash) ?? parseDirectoryHash(hash);
}

function parseDirectoryHash(hash: string): WeakHash | undefined {
  const [, name = '', encoded = ''] = /^\{(\w+)\}([A-Za-z0-9+/]+={0,2})$/.exec(hash) ?? [];
  const scheme = name.toLowerCase();
  const { length, isSalted } = weakSchemes[scheme] ?? { length: 0, isSalted: false };
  const bytes = Buffer.from(encoded, 'base64');
  const isWhole = length > 0 && (isSalted ? bytes.length > length : bytes.length === length);
  if (!isWhole) return undefined;
  return { scheme, digest: bytes.subarray(0, length), salt: bytes.subarray(length) };
}

export interface WrapOptions {
  /** Of a dry run, which keeps no hash. */
  isDryRun: boolean;
  wrapsWeak: boolean;
}

/** The way in which an import wraps weak hashes; undefined where it takes none. */
export function chooseWrap({ isDryRun, wrapsWeak }: WrapOptions): ((weak: WeakHash) => Promise<string>) | undefined {
  if (!wrapsWeak) return undefined;
  return isDryRun ? pretendToWrap : wrapWeakHash;
}

/** Hashes the weak digest once more by scrypt, so that no weak one is ever at rest: about a tenth of a second. */
export async function wrapWeakHash(weak: WeakHash): Promise<string> {
  const salt = randomBytes(16);
  const hash = await new Promise<Buffer>((resolve, reject) => {
    scrypt(weak.digest, salt, 32, scryptOptions, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
  return formatWrapped(weak, salt, hash);
}

/** The same form, of a hash of nothing: a dry run keeps none. */
export async function pretendToWrap(weak: WeakHash): Promise<string> {
  return formatWrapped(weak, Buffer.alloc(16), Buffer.alloc(32));
}

function formatWrapped({ scheme, salt: own }: WeakHash, salt: Buffer, hash: Buffer): string {
  return `$gh-wrap$${scheme}$${toUnpadded(own)}${formatScrypt(salt, hash)}`;
}
