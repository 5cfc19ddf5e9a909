import { createRefusalCounter, type Metrics } from '@gatehouse/service-kit/metrics';
import { listGrantTypes } from '@gatehouse/shared';
import type { ClientRefused, Fact, PasswordChecked } from './event.ts';
import { findSignInOutcome, signInOutcomes } from './sign-in-outcome.ts';

const refusalReasons = {
  client: ['secret', 'assertion', 'no_credentials', 'disabled', 'rate_limited'],
  password: ['wrong', 'disabled', 'rate_limited'],
  second_step: ['wrong', 'rate_limited'],
  passkey: ['wrong', 'disabled'],
  bearer_token: ['not_active'],
  administrator: ['not_authenticated', 'not_allowed', 'rate_limited'],
  user_code: ['wrong', 'rate_limited'],
};

const reasonByMethod: Record<ClientRefused['method'], string> = {
  client_secret_basic: 'secret',
  client_secret_post: 'secret',
  private_key_jwt: 'assertion',
  federated_jwt: 'assertion',
  none: 'no_credentials',
};

type PasswordOutcome = PasswordChecked['outcome'];

const refusalByOutcome: Partial<Record<PasswordOutcome, string>> = {
  wrong: 'wrong',
  disabled: 'disabled',
  limited: 'rate_limited',
};

/** Counts facts: refused authentications, sign-ins, and answers of the token endpoint. */
export function createFactCounters(metrics: Metrics): (fact: Fact) => void {
  const countRefusal = createRefusalCounter(metrics, refusalReasons);
  const signIns = createSignInCounter(metrics);
  const grantTypes = listGrantTypes(({ atTokenEndpoint }) => atTokenEndpoint);
  const tokenRequests = createTokenRequestCounter(metrics, grantTypes);

  return (fact) => {
    const signIn = findSignInOutcome(fact);
    if (signIn !== undefined) signIns.add([signIn]);
    switch (fact.type) {
      case 'token.answered':
        return tokenRequests.add([fact.grantType, fact.outcome]);
      case 'access_token.refused':
        return countRefusal('bearer_token', 'not_active');
      case 'user_code.refused':
        return countRefusal('user_code', nameReason(fact.why));
      case 'client.refused':
        return countRefusal(
          'client',
          fact.why === 'wrong_credentials' ? reasonByMethod[fact.method] : nameReason(fact.why),
        );
      case 'administrator.refused':
        return countRefusal('administrator', nameReason(fact.why));
      case 'second_step.checked':
        if (fact.outcome !== 'wrong' && fact.outcome !== 'limited') return;
        return countRefusal('second_step', nameReason(fact.outcome));
      case 'passkey.refused':
        return countRefusal('passkey', fact.why);
      case 'password.checked': {
        const refusal = refusalByOutcome[fact.outcome];
        if (refusal !== undefined) countRefusal('password', refusal);
        return;
      }
    }
  };
}

function nameReason(why: string): string {
  return why === 'limited' ? 'rate_limited' : why;
}

function createSignInCounter(metrics: Metrics) {
  const signIns = metrics.counter({
    name: 'gatehouse_sign_ins_total',
    help: 'Sign-ins at the sign-in page, by outcome; session is one that was there already, second_step a right password that needs one',
    labelNames: ['outcome'],
  });
  for (const outcome of signInOutcomes) signIns.add([outcome], 0);
  return signIns;
}

function createTokenRequestCounter(metrics: Metrics, grantTypes: readonly string[]) {
  const requests = metrics.counter({
    name: 'gatehouse_token_requests_total',
    help: 'Requests for tokens, by grant type and outcome: issued, or the error code',
    labelNames: ['grant_type', 'outcome'],
  });
  for (const grantType of grantTypes) requests.add([grantType, 'issued'], 0);
  return requests;
}
