import { type Level, levels, satisfies } from '@gatehouse/shared';
import type { Authentication, AuthenticationMethod } from './authentication.ts';

/** When a user proved each factor in a session. Seconds; undefined for one that was not proved. */
export interface Proofs {
  passwordAt: number | undefined;
  codeAt: number | undefined;
  passkeyAt: number | undefined;
  /** Whether the passkey verified its user. */
  passkeyUv: boolean;
  /** At an upstream. */
  upstreamAt: number | undefined;
  /** The level of the sign-in there. */
  upstreamLevel: Level | undefined;
}

export const noProofs: Proofs = {
  passwordAt: undefined,
  codeAt: undefined,
  passkeyAt: undefined,
  passkeyUv: false,
  upstreamAt: undefined,
  upstreamLevel: undefined,
};

/**
 * Lists the levels that the proofs reach, the lowest first. The time of a level is that of the older one of the two proofs that
 * make it; of several ways to a level the newest one counts.
 */
export function listReached({
  passwordAt,
  codeAt,
  passkeyAt,
  passkeyUv,
  upstreamAt,
  upstreamLevel,
}: Proofs): Authentication[] {
  const [password, mfa, phr] = levels;
  const way = (acr: Level, amr: readonly AuthenticationMethod[], authTime: number | undefined): Authentication[] =>
    authTime === undefined ? [] : [{ acr, amr, authTime }];
  const ways = [
    ...way(password, ['pwd'], passwordAt),
    ...way(password, ['fed'], upstreamAt),
    ...way(mfa, ['pwd', 'otp', 'mfa'], olderOf(passwordAt, codeAt)),
    ...way(mfa, ['fed', 'otp', 'mfa'], olderOf(upstreamAt, codeAt)),
    ...way(phr, ['pwd', 'pop', 'user', 'mfa'], olderOf(passwordAt, passkeyAt)),
    ...way(phr, ['fed', 'pop', 'user', 'mfa'], olderOf(upstreamAt, passkeyAt)),
    ...way(phr, ['pop', 'user', 'mfa'], passkeyUv ? passkeyAt : undefined),
    ...[mfa, phr]
      .filter((level) => upstreamLevel !== undefined && satisfies(upstreamLevel, level))
      .flatMap((level) => way(level, ['fed', 'mfa'], upstreamAt)),
  ];
  return levels.flatMap((level) => {
    const reached = ways.filter(({ acr }) => acr === level);
    return reached.length === 0 ? [] : [reached.reduce((one, other) => (other.authTime > one.authTime ? other : one))];
  });
}

function olderOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.min(one, other);
}
