import type { Clock } from '@gatehouse/service-kit';
import type { Config } from '../config.ts';
import type { Organization } from '../organization/room.ts';
import type { Sessions } from '../sessions/room.ts';
import { createFindSignedIn } from './find-by-cookies.ts';
import { createSignInByPassword } from './sign-in-by-password.ts';
import { createSignInPlaceMaker } from './sign-in-endpoint.ts';

interface Needs {
  config: Pick<Config, 'realm'>;
  organization: Organization;
  sessions: Sessions;
  clock: Clock;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** The sign-in of a user at a browser: its page, its form, and the step that is due. */
export function createSignIn({ config, organization, sessions, clock }: Needs) {
  const { atSignInPage: checkPassword } = organization.checkPassword;
  const signInByPassword = createSignInByPassword({ checkPassword, ...sessions });
  return {
    findSignedIn: createFindSignedIn({ ...sessions, clock }),
    createSignInPlace: createSignInPlaceMaker({ config, signInByPassword, ...sessions }),
  };
}
