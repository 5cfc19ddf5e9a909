import type { Proofs } from '../levels/proofs.ts';

/** A user signed in at one browser, as it is stored. */
export interface BrowserSession {
  /** SHA-256 of the cookie's value. */
  tokenHash: Buffer;
  /** The `sid` that clients see. */
  sessionId: string;
  userId: string;
  passwordChangedAt: number;
  proofs: Proofs;
  /** Milliseconds. */
  expiresAt: number;
}
