import { nameTokens } from '../usage/usage-count.ts';
import type { CountUsage } from '../usage/usage-counts.ts';
import type { Fact, TokenAnswered } from './event.ts';
import { findSignInOutcome } from './sign-in-outcome.ts';

/** Counts facts by hour, day and client: sign-ins, and answers of the token endpoint. */
export function createUsageCounters(count: CountUsage): (fact: Fact) => void {
  const nameIssued = createNameIssued();
  return (fact) => {
    if (fact.type === 'token.answered') {
      const { grantType, outcome, clientId } = fact;
      count('tokens', outcome === 'issued' ? nameIssued(fact) : nameTokens(outcome, grantType), clientId);
      return;
    }
    const outcome = findSignInOutcome(fact);
    if (outcome !== undefined && 'clientId' in fact) count('sign_ins', outcome, fact.clientId);
  };
}

/** Each text is made once: it is that of nearly every request. */
function createNameIssued() {
  const names = new Map<string, string>();
  return ({ grantType }: TokenAnswered): string => {
    const known = names.get(grantType);
    if (known !== undefined) return known;
    const name = nameTokens('issued', grantType);
    names.set(grantType, name);
    return name;
  };
}
