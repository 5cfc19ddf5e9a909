import type { Counter, Metrics } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { CheckPassword } from '../organization/check-password.ts';
import type { FindSignedInUser } from '../sessions/signed-in-user.ts';

const outcomes = ['signed_in', 'session', 'refused', 'rate_limited', 'unavailable'] as const;

export function createSignInCounter(metrics: Metrics): Counter {
  const signIns = metrics.counter({
    name: 'gatehouse_sign_ins_total',
    help: 'Sign-ins at the authorization endpoint, by outcome; session is one that was there already',
    labelNames: ['outcome'],
  });
  for (const outcome of outcomes) signIns.add([outcome], 0);
  return signIns;
}

/** Passwords that are typed into the sign-in page. */
export function countPasswordSignIns(checkPassword: CheckPassword, signIns: Counter): CheckPassword {
  return async (credentials, origin) => {
    try {
      const user = await checkPassword(credentials, origin);
      signIns.add([user === undefined ? 'refused' : 'signed_in']);
      return user;
    } catch (error) {
      signIns.add([error instanceof OAuthError && error.status === 429 ? 'rate_limited' : 'unavailable']);
      throw error;
    }
  };
}

/** Requests that an earlier sign-in at the same browser answers. */
export function countSessionSignIns(findSignedInUser: FindSignedInUser, signIns: Counter): FindSignedInUser {
  return async (...parameters) => {
    const signedIn = await findSignedInUser(...parameters);
    if (signedIn !== undefined) signIns.add(['session']);
    return signedIn;
  };
}
