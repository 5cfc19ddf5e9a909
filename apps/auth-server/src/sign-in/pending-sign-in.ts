import { isLevel, type Level } from '@gatehouse/shared';
import type { TypedCode } from '../organization/organization-directory.ts';
import type { SignInProofs } from '../sessions/browser-sessions.ts';

/** A sign-in whose first step is done and whose second step is open. The form of the second step carries it. */
export interface PendingSignIn extends Required<Pick<TypedCode, 'userId' | 'passwordChangedAt' | 'methodsVersion'>> {
  /** Seconds: of the first step. */
  firstAt: number;
  /** The sign-in at an upstream, and its time there in seconds; undefined where the first step was a password. */
  upstream?: { authTime: number; level: Level; identityId: string; upstreamId: string } | undefined;
}

/** Seconds for which the second step may follow the first. */
const openFor = 600;

/** The hidden field of the form. The token of the form vouches for it: it is about this text, at this browser. */
export function formatPending({ userId, passwordChangedAt, methodsVersion, firstAt, upstream }: PendingSignIn): string {
  const ofUpstream =
    upstream === undefined ? [] : [upstream.authTime, upstream.level, upstream.identityId, upstream.upstreamId];
  return [userId, passwordChangedAt, methodsVersion, firstAt, ...ofUpstream].join('.');
}

/** Reads the field of a form of this server at `now` (milliseconds); undefined where it is too old. */
export function parsePending(text: string, now: number): PendingSignIn | undefined {
  const [userId = '', passwordChangedAt, methodsVersion, firstAt, authTime, level, identityId, upstreamId] =
    text.split('.');
  const pending = {
    userId,
    passwordChangedAt: Number(passwordChangedAt),
    methodsVersion: Number(methodsVersion),
    firstAt: Number(firstAt),
    upstream:
      isLevel(level) && identityId !== undefined && upstreamId !== undefined
        ? { authTime: Number(authTime), level, identityId, upstreamId }
        : undefined,
  };
  return now < (pending.firstAt + openFor) * 1000 ? pending : undefined;
}

/** The proofs of the first step. */
export function proofsOfPending({ firstAt, upstream }: PendingSignIn): SignInProofs {
  if (upstream === undefined) return { passwordAt: firstAt };
  const { authTime, level, ...of } = upstream;
  return { upstreamAt: authTime, upstreamLevel: level, ...of };
}
