import { nameTokens } from '../usage/usage-count.ts';
import type { UsageCounts } from '../usage/usage-counts.ts';
import type { Fact, TokenAnswered } from './event.ts';
import { findSignInOutcome } from './sign-in-outcome.ts';

/** Counts facts by hour and day: sign-ins, and answers of the token endpoint, by client and by what took part. */
export function createUsageCounters({
  count,
  countPart,
}: Pick<UsageCounts, 'count' | 'countPart'>): (fact: Fact) => void {
  const nameIssued = createNameIssued();
  const countTokens = (fact: TokenAnswered): void => {
    const { grantType, outcome, clientId, audience, issuer } = fact;
    const detail = outcome === 'issued' ? nameIssued(fact) : nameTokens(outcome, grantType);
    count('tokens', detail, clientId);
    if (audience !== undefined) countPart('resource', detail, audience);
    if (issuer !== undefined) countPart('issuer', detail, issuer);
  };
  return (fact) => {
    if (fact.type === 'token.answered') return countTokens(fact);
    const outcome = findSignInOutcome(fact);
    if (outcome === undefined || !('clientId' in fact)) return;
    count('sign_ins', outcome, fact.clientId);
    if ('upstream' in fact && fact.upstream !== undefined) countPart('upstream', outcome, fact.upstream);
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
