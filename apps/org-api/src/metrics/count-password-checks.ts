import type { CountRefusal, Metrics } from '@gatehouse/service-kit';
import type { VerifyPassword } from '../users/verify-password.ts';

const outcomes = ['verified', 'disabled', 'wrong', 'limited', 'failed'] as const;

/** Counts password checks: those that auth-server asks for, and those of users who set a new password. */
export function countPasswordChecks(
  verifyPassword: VerifyPassword,
  metrics: Metrics,
  countRefusal: CountRefusal,
): VerifyPassword {
  const checks = metrics.counter({
    name: 'gatehouse_password_checks_total',
    help: 'Checks of passwords, by outcome',
    labelNames: ['outcome'],
  });
  for (const outcome of outcomes) checks.add([outcome], 0);
  return async (check) => {
    const result = await verifyPassword(check).catch((error: unknown) => {
      checks.add(['failed']);
      throw error;
    });
    const outcome = result.outcome === 'verified' && !result.user.enabled ? 'disabled' : result.outcome;
    checks.add([outcome]);
    if (outcome !== 'verified') countRefusal('password', outcome === 'limited' ? 'rate_limited' : outcome);
    return result;
  };
}
