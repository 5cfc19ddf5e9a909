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
  const ways: [Level, AuthenticationMethod[], number | undefined][] = [
    [password, ['pwd'], passwordAt],
    [password, ['fed'], upstreamAt],
    [mfa, ['pwd', 'otp', 'mfa'], olderOf(passwordAt, codeAt)],
    [mfa, ['fed', 'otp', 'mfa'], olderOf(upstreamAt, codeAt)],
    [phr, ['pwd', 'pop', 'user', 'mfa'], olderOf(passwordAt, passkeyAt)],
    [phr, ['fed', 'pop', 'user', 'mfa'], olderOf(upstreamAt, passkeyAt)],
    [phr, ['pop', 'user', 'mfa'], passkeyUv ? passkeyAt : undefined],
    ...levels
      .slice(1)
      .filter((level) => upstreamLevel !== undefined && satisfies(upstreamLevel, level))
      .map((level): [Level, AuthenticationMethod[], number | undefined] => [level, ['fed', 'mfa'], upstreamAt]),
  ];
  return levels.flatMap((level) => {
    const reached = ways
      .filter(([acr]) => acr === level)
      .map(([acr, amr, authTime]) => ({ acr, amr, authTime }))
      .filter((way): way is Authentication & typeof way => way.authTime !== undefined);
    return reached.length === 0 ? [] : [reached.reduce((one, other) => (other.authTime > one.authTime ? other : one))];
  });
}

function olderOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.min(one, other);
}
