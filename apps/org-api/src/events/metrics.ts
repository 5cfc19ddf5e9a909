import { createRefusalCounter, type Metrics } from '@gatehouse/service-kit/metrics';
import type { Tell } from './event.ts';

const refusalReasons = {
  bearer_token: ['not_valid', 'revoked', 'user_gone', 'user_changed', 'wrong_scheme', 'malformed', 'missing', 'proof'],
  service_token: ['not_valid', 'not_bound', 'replayed', 'malformed', 'missing'],
  password: ['wrong', 'disabled', 'rate_limited'],
  second_step: ['wrong', 'rate_limited'],
  passkey: ['wrong'],
};

/** Of other outcomes there is nothing to refuse. */
const reasonByOutcome: Partial<Record<string, string>> = {
  wrong: 'wrong',
  disabled: 'disabled',
  limited: 'rate_limited',
};

/** Counts facts: refused tokens and passwords, and checks of passwords. */
export function createFactCounters(metrics: Metrics): Tell {
  const countRefusal = createRefusalCounter(metrics, refusalReasons);
  const checks = metrics.counter({
    name: 'gatehouse_password_checks_total',
    help: 'Checks of passwords, by outcome',
    labelNames: ['outcome'],
  });
  for (const outcome of ['verified', 'disabled', 'wrong', 'limited', 'failed']) checks.add([outcome], 0);

  const countOutcome = (kind: string, outcome: string) => {
    const reason = reasonByOutcome[outcome];
    if (reason !== undefined) countRefusal(kind, reason);
  };
  return (fact) => {
    switch (fact.type) {
      case 'token.refused':
        return countRefusal(fact.kind, fact.reason);
      case 'password.checked':
        checks.add([fact.outcome]);
        return countOutcome('password', fact.outcome);
      case 'code.checked':
        return countOutcome('second_step', fact.outcome);
      case 'passkey.checked':
        return countOutcome('passkey', fact.outcome);
    }
  };
}
