import type { Clock } from '@gatehouse/service-kit';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Sessions } from '../sessions/room.ts';
import { createAssumeSignIn } from './assume-sign-in.ts';
import { createFindSignedIn } from './find-by-cookies.ts';
import { createFindLevelStep } from './level-steps.ts';
import { createPasskeyChallenges } from './passkey-challenges-endpoint.ts';
import { createPasskeys } from './passkeys-endpoint.ts';
import { createSecondSteps } from './second-step.ts';
import { createSetUpLinks } from './set-up-links.ts';
import { createSignInByPasskey } from './sign-in-by-passkey.ts';
import { createSignInByPassword } from './sign-in-by-password.ts';
import { createSignInPlaceMaker } from './sign-in-endpoint.ts';
import { createStartSession } from './start-session.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'realm' | 'displayName' | 'passkeyMode' | 'passkeyRpId' | 'requireMfa'>;
  clients: Pick<Clients, 'usedIdentifiers'>;
  events: Events;
  organization: Organization;
  sessions: Sessions;
  clock: Clock;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** The sign-in of a user at a browser: its pages, their forms, and the step that is due. */
export function createSignIn({ config, clients, events, organization, sessions, clock }: Needs) {
  const { atSignInPage: checkPassword } = organization.checkPassword;
  const startSession = createStartSession({ config, ...sessions });
  const signInByPassword = createSignInByPassword({ checkPassword, startSession, ...sessions, ...events, clock });
  const secondSteps = createSecondSteps({ ...organization, startSession, ...sessions, ...events, clock });
  const findSignedIn = createFindSignedIn({ ...sessions, clock });
  const passkeyChallenges = createPasskeyChallenges({ ...sessions, ...clients, clock });
  const passkeys = createPasskeys({ config, ...organization, passkeyChallenges });
  const signInByPasskey = createSignInByPasskey({
    ...organization,
    passkeys,
    startSession,
    ...sessions,
    ...events,
    clock,
  });
  const { settings } = organization;
  const setUpLinks = createSetUpLinks({ ...organization, ...sessions });
  const parts = {
    setUpLinks,
    config,
    settings,
    findSignedIn,
    signInByPassword,
    signInByPasskey,
    secondSteps,
    passkeys,
    clock,
  };
  const findLevelStep = createFindLevelStep({ ...organization, ...sessions, config, passkeys });
  return {
    findSignedIn,
    findLevelStep,
    assumeSignIn: createAssumeSignIn({ findLevelStep, clock }),
    passkeys,
    secondSteps,
    setUpLinks,
    startSession,
    createSignInPlace: createSignInPlaceMaker({ ...parts, ...sessions }),
  };
}
