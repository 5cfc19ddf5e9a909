import type { Fact, PasswordChecked } from './event.ts';

/** The ends of a sign-in at a page. `session`: an earlier one answers; `second_step`: the password is right, and a step must follow. */
export const signInOutcomes = [
  ...['session', 'signed_in', 'second_step'],
  ...['refused', 'rate_limited', 'unavailable'],
] as const;

const byPassword: Record<PasswordChecked['outcome'], string> = {
  right: 'signed_in',
  unfinished: 'second_step',
  wrong: 'refused',
  disabled: 'refused',
  limited: 'rate_limited',
  unavailable: 'unavailable',
};

/** Gives how a sign-in at a page ended; undefined where a fact tells of none. */
export function findSignInOutcome(fact: Fact): string | undefined {
  switch (fact.type) {
    case 'session.answered':
      return 'session';
    case 'sign_in.completed':
      return 'signed_in';
    case 'passkey.refused':
    case 'upstream.refused':
      return 'refused';
    case 'password.checked':
      return fact.place === 'sign_in_page' ? byPassword[fact.outcome] : undefined;
    default:
      return undefined;
  }
}
