import type { Clock, Logger } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import { createNetworkBudget } from '../clients/window-budget.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Sessions } from '../sessions/room.ts';
import type { Upstreams } from '../upstreams/room.ts';
import { createAssumeSignIn } from './assume-sign-in.ts';
import { createFindSignedIn } from './find-by-cookies.ts';
import { createFindLevelStep } from './level-steps.ts';
import { createPasskeyChallenges } from './passkey-challenges-endpoint.ts';
import { createPasskeys } from './passkeys-endpoint.ts';
import { createSecondSteps } from './second-step.ts';
import { createSetUpLinks } from './set-up-links.ts';
import { createSignInByPasskey } from './sign-in-by-passkey.ts';
import { createSignInByPassword } from './sign-in-by-password.ts';
import { createSignInByUpstream } from './sign-in-by-upstream.ts';
import { createSignInPlaceMaker } from './sign-in-endpoint.ts';
import { createStartSession } from './start-session.ts';
import { registerUpstreamCallback } from './upstream-callback-endpoint.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'realm' | 'displayName' | 'passkeyMode' | 'passkeyRpId' | 'requireMfa'>;
  clients: Pick<Clients, 'usedIdentifiers' | 'requestBudgets'>;
  events: Events;
  organization: Organization;
  upstreams: Upstreams;
  sessions: Sessions;
  clock: Clock;
  log: Logger;
}

export type SignIn = ReturnType<typeof createSignIn>;

/** The sign-in of a user at a browser: its pages, their forms, and the step that is due. */
export function createSignIn(needs: Needs) {
  const { config, clients, events, organization, upstreams, sessions, clock, log } = needs;
  const { atSignInPage: checkPassword } = organization.checkPassword;
  const startSession = createStartSession({ config, ...sessions });
  const signInByPassword = createSignInByPassword({ checkPassword, startSession, ...sessions, ...events, clock });
  const secondSteps = createSecondSteps({ ...organization, startSession, ...upstreams, ...sessions, ...events, clock });
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
  const { upstreamAttempts } = upstreams;
  const signInByUpstream = createSignInByUpstream({
    config,
    ...organization,
    startSession,
    ...sessions,
    ...events,
    clock,
  });
  const { requestBudgets } = clients;
  const upstreamBudget = createNetworkBudget({ requestBudgets, limit: 60, windowLength: 60_000, clock });
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
    ...{ upstreamAttempts, upstreamBudget, signInByUpstream, clock, log },
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
    routes: {
      pages: (scope: FastifyInstance) =>
        registerUpstreamCallback(scope, { config, upstreamAttempts, ...sessions, ...events, log }),
    },
  };
}
