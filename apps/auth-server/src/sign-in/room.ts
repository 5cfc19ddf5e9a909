import type { Clock } from '@gatehouse/service-kit';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Sessions } from '../sessions/room.ts';
import { createFindSignedIn } from './find-by-cookies.ts';
import { createSecondSteps } from './second-step.ts';
import { createSignInByPassword } from './sign-in-by-password.ts';
import { createSignInPlaceMaker } from './sign-in-endpoint.ts';

interface Needs {
  config: Pick<Config, 'realm' | 'displayName'>;
  events: Events;
  organization: Organization;
  sessions: Sessions;
  clock: Clock;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** The sign-in of a user at a browser: its pages, their forms, and the step that is due. */
export function createSignIn({ config, events, organization, sessions, clock }: Needs) {
  const { atSignInPage: checkPassword } = organization.checkPassword;
  const signInByPassword = createSignInByPassword({ checkPassword, ...sessions, clock });
  const secondSteps = createSecondSteps({ ...organization, ...sessions, ...events, clock });
  const findSignedIn = createFindSignedIn({ ...sessions, clock });
  const parts = { config, findSignedIn, signInByPassword, secondSteps, clock };
  return {
    findSignedIn,
    settings: organization.settings,
    createSignInPlace: createSignInPlaceMaker({ ...parts, ...sessions }),
  };
}
