import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createGuessCounts } from '@gatehouse/service-kit/guess-limit';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Codes } from '../codes/room.ts';
import type { Config } from '../config.ts';
import type { Consent } from '../consent/room.ts';
import type { Events } from '../events/room.ts';
import type { Resources } from '../resources/room.ts';
import type { Sessions } from '../sessions/room.ts';
import type { SignIn } from '../sign-in/room.ts';
import type { Tokens } from '../tokens/room.ts';
import { createCodeGuesses } from './code-guesses.ts';
import { createDecide } from './decide.ts';
import { registerDeviceAuthorization } from './device-authorization-endpoint.ts';
import { registerDevice } from './device-endpoint.ts';
import { createLookUpCode } from './look-up-code.ts';
import { createNextPage } from './next-page.ts';
import { createPlanDeviceCode } from './plan-device-code.ts';
import { createFindShownAccess } from './shown-access.ts';
import { registerDeviceSignIn } from './sign-in-endpoint.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'realm' | 'grantTypesOff'>;
  database: Database;
  events: Events;
  clients: Clients;
  resources: Resources;
  codes: Codes;
  tokens: Pick<Tokens, 'revocations'>;
  sessions: Sessions;
  signIn: SignIn;
  consent: Consent;
  clock: Clock;
}

export type Device = ReturnType<typeof createDevice>;

/** Device authorization (RFC 8628): a device without a browser asks, and a user decides elsewhere. */
export function createDevice(needs: Needs) {
  const { config, database, events, clients, resources, codes, tokens, sessions, signIn, consent, clock } = needs;
  const { deviceCodes } = codes;
  const lookUpCode = createLookUpCode({
    codeGuesses: createCodeGuesses({ guessCounts: createGuessCounts({ database, clock }), clock }),
    deviceCodes,
    clients: clients.clients,
    findShownAccess: createFindShownAccess(resources),
    findLimits: resources.findLimits,
    ...events,
  });
  const signInPlace = signIn.createSignInPlace({
    name: 'device',
    belong: (carried: string) => ({ carried }),
    returnTo: (typed) => `/oauth/device${typed === '' ? '' : `?${new URLSearchParams({ user_code: typed })}`}`,
    describe: () => ({ purpose: (messages) => messages.signIn.device }),
    // The page is shown where no session is young enough.
    demandOf: () => ({ isNew: true }),
  });
  const nextPage = createNextPage({
    config,
    lookUpCode,
    signInPlace,
    describeApplication: consent.describeApplication,
    findLevelStep: signIn.findLevelStep,
    deviceCodes,
    revocations: tokens.revocations,
    tell: events.tell,
    clock,
    ...sessions,
  });
  const decide = createDecide({ deviceCodes, ...consent, ...events, clock });
  return {
    planDeviceCode: createPlanDeviceCode({ ...resources, ...signIn, clock }),
    routes: {
      oauth: (scope: FastifyInstance) =>
        registerDeviceAuthorization(scope, { config, deviceCodes, ...clients, ...resources }),
      pages(scope: FastifyInstance) {
        registerDevice(scope, { config, lookUpCode, decide, nextPage, ...sessions, ...signIn });
        registerDeviceSignIn(scope, { nextPage, signInPlace });
      },
    },
  };
}
