import { hash, randomBytes } from 'node:crypto';

/** A random value of 256 bits that its holder shows and of which only the hash is stored. */
export function createOpaqueToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOpaqueToken(token) };
}

/** SHA-256: what is hashed is random, so a slow hash would add nothing. */
export function hashOpaqueToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
