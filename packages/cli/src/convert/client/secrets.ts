import { randomBytes } from 'node:crypto';
import { hashClearText } from '../../bundle/hash-clear-text.ts';

/** The hash of a secret that a client can send; undefined where it could not. */
export function findSecretHash(secret: string | undefined): string | undefined {
  return secret !== undefined && /^[\x20-\x7e]{1,1024}$/.test(secret) ? hashClearText(secret) : undefined;
}

/** The hash of a secret that nobody has: a confidential client stays one until it gets a new secret. */
export function makeUnknownSecretHash(): string {
  return hashClearText(randomBytes(32).toString('base64url'));
}
