import type { Proofs } from '../levels/proofs.ts';

/** Where a session began, as its user knows it. */
export interface SessionPlace {
  /** Browser and system: `Firefox on Linux`. Undefined in rows of the release before, as is the network. */
  label: string | undefined;
  /** An IPv4 address, or the first 64 bits of an IPv6 address. */
  network: string | undefined;
}

/** A user signed in at one browser, as it is stored. */
export interface BrowserSession extends SessionPlace {
  /** SHA-256 of the cookie's value. */
  tokenHash: Buffer;
  /** The `sid` that clients see. */
  sessionId: string;
  userId: string;
  passwordChangedAt: number;
  proofs: Proofs;
  /** The identity by which the user signed in at an upstream: a session counts no longer than it. */
  identityId: string | undefined;
  /** The upstream of that sign-in. */
  upstreamId: string | undefined;
  /** Milliseconds, up to ten minutes old. Undefined in rows of the release before. */
  lastUsedAt: number | undefined;
  /** Milliseconds. */
  expiresAt: number;
}

/** When the session began, in milliseconds: its id is a UUIDv7. */
export function sessionStartOf({ sessionId }: Pick<BrowserSession, 'sessionId'>): number {
  return Number.parseInt(sessionId.replace('-', '').slice(0, 12), 16);
}
