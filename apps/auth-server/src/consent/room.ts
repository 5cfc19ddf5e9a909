import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Resources } from '../resources/room.ts';
import type { Sessions } from '../sessions/room.ts';
import type { SignIn } from '../sign-in/room.ts';
import type { Tokens } from '../tokens/room.ts';
import { createConsentStore } from './consent-store.ts';
import { createConsents } from './consents.ts';
import { registerConsents } from './consents-endpoint.ts';
import { createDescribeApplication } from './describe-application.ts';
import { registerConsentsSignIn } from './sign-in-endpoint.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'realm'>;
  database: Database;
  events: Events;
  clients: Clients;
  resources: Resources;
  tokens: Tokens;
  sessions: Sessions;
  signIn: SignIn;
  clock: Clock;
}

export type Consent = ReturnType<typeof createConsent>;

/** Consents: what users allow third-party clients. */
export function createConsent(needs: Needs) {
  const { config, database, events, clients, resources, tokens, sessions, signIn, clock } = needs;
  const consentStore = createConsentStore(database);
  const consents = createConsents({
    consents: consentStore,
    clients: clients.clients,
    findShownResource: resources.findShownResource,
    revocations: tokens.revocations,
    clock,
  });
  const { browserCookies } = sessions;
  const { record } = events;
  return {
    consents,
    consentStore,
    /** For the pages that name an application. */
    describeApplication: createDescribeApplication({ config, ...clients }),
    routes: {
      pages(scope: FastifyInstance) {
        registerConsents(scope, { config, consents, browserCookies, record, ...signIn });
        registerConsentsSignIn(scope, { ...signIn, browserCookies });
      },
    },
  };
}
