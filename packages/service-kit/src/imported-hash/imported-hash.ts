import type { WeakSchemeName } from './weak-digest.ts';

/** The hash of a password or secret that another server made, within the bounds of what is computed here. */
export type ImportedHash = Argon2Hash | BcryptHash | Pbkdf2Hash | ScryptHash | WrappedHash;

/** `text` is the PHC string. */
export interface Argon2Hash {
  kind: 'argon2';
  text: string;
  /** KiB. */
  memory: number;
  /** Passes over the memory. */
  passes: number;
}

export interface BcryptHash {
  kind: 'bcrypt';
  text: string;
  /** Binary logarithm of the rounds. */
  cost: number;
}

export interface Pbkdf2Hash {
  kind: 'pbkdf2';
  digest: 'sha1' | 'sha256' | 'sha512';
  iterations: number;
  salt: Buffer;
  expected: Buffer;
}

export interface ScryptHash {
  kind: 'scrypt';
  /** Binary logarithm of N. */
  ln: number;
  r: number;
  p: number;
  salt: Buffer;
  expected: Buffer;
}

/** scrypt over the bytes of a weak digest, of which `salt` is. */
export interface WrappedHash {
  kind: 'wrapped';
  scheme: WeakSchemeName;
  salt: Buffer;
  inner: ScryptHash;
}
