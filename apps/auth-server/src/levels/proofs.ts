import { levels } from '@gatehouse/shared';
import type { Authentication } from './authentication.ts';

/** When a user proved each factor in a session. Seconds; undefined for one that was not proved. */
export interface Proofs {
  passwordAt: number | undefined;
  codeAt: number | undefined;
  passkeyAt: number | undefined;
  /** Whether the passkey verified its user. */
  passkeyUv: boolean;
}

export const noProofs: Proofs = {
  passwordAt: undefined,
  codeAt: undefined,
  passkeyAt: undefined,
  passkeyUv: false,
};

/**
 * Lists the levels that the proofs reach, the lowest first. The time of a level is that of the older one of the two proofs that
 * make it; of two ways to a level the newer one counts.
 */
export function listReached({ passwordAt, codeAt, passkeyAt, passkeyUv }: Proofs): Authentication[] {
  const [password, mfa, phr] = levels;
  const older = (one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined ? undefined : Math.min(one, other);
  const byPasskeyAlone = passkeyUv ? passkeyAt : undefined;
  const byBoth = older(passwordAt, passkeyAt);
  const isAlone = byPasskeyAlone !== undefined && byPasskeyAlone > (byBoth ?? -1);
  const reached = [
    { acr: password, amr: ['pwd'], authTime: passwordAt },
    { acr: mfa, amr: ['pwd', 'otp', 'mfa'], authTime: older(passwordAt, codeAt) },
    isAlone
      ? { acr: phr, amr: ['pop', 'user', 'mfa'], authTime: byPasskeyAlone }
      : { acr: phr, amr: ['pwd', 'pop', 'user', 'mfa'], authTime: byBoth },
  ] as const;
  return reached.filter((one): one is typeof one & Authentication => one.authTime !== undefined);
}
