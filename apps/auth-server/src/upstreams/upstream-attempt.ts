import type { Level } from '@gatehouse/shared';

/** An account at an upstream, as it came back. */
export interface UpstreamAccount {
  issuer: string;
  subject: string;
  /** As pages name it: its address, or its name there. */
  shown: string;
  /** Seconds: when its user signed in there; the moment of the return where the upstream does not say. */
  authTime: number;
  /** The level of the sign-in there. */
  level: Level;
  /** Its address, where the word of the upstream counts for it. */
  verifiedEmail?: string;
  /** Members of a record that its claims say. */
  members: Readonly<Record<string, unknown>>;
  /** Groups here, by the map of the upstream; absent where it has none, or its claim is no list. */
  groups?: readonly string[];
}

/**
 * `open`: the browser is at the upstream. `used`: it came back, and the account is being asked for. `failed`: there is none. `done`:
 * the account is known. `claimed`: one request goes on with it. `asked`: no user here has it, and its user was asked to sign in as
 * before. Attempts that led somewhere are no more.
 */
export type AttemptStatus = 'open' | 'used' | 'failed' | 'done' | 'claimed' | 'asked';

/** A sign-in at an upstream that is under way, of one browser and one request. */
export interface UpstreamAttempt {
  id: string;
  stateHash: Buffer;
  upstreamId: string;
  browserHash: Buffer;
  /** The name of the place whose forms the user came from, and what these carried. */
  place: string;
  carried: string;
  clientId: string | undefined;
  /** Seconds: of the sign-in there, as the request demanded it. */
  maxAge: number | undefined;
  /** Whether the user has to sign in there even where a session exists. */
  isNew: boolean;
  status: AttemptStatus;
  account: UpstreamAccount | undefined;
  /** Milliseconds. */
  beganAt: number;
  expiresAt: number;
}
