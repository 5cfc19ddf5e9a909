import type { Clock } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Codes } from '../codes/room.ts';
import type { Config } from '../config.ts';
import type { Consent } from '../consent/room.ts';
import type { Events } from '../events/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Sessions } from '../sessions/room.ts';
import type { StatusListsRoom } from '../status-lists/room.ts';
import type { Tokens } from '../tokens/room.ts';
import { createParseAuthorizationRequest } from './authorization-checks.ts';
import { registerAuthorize } from './authorization-endpoint.ts';
import { createAuthorizationExchange } from './authorization-exchange.ts';
import { createGetAuthorizationTarget } from './authorization-target.ts';
import { createAuthorize } from './authorize.ts';
import { createCompleteAuthorization } from './complete-authorization.ts';
import { registerConsent } from './consent-endpoint.ts';
import { registerPushedAuthorizationRequest } from './pushed-request-endpoint.ts';
import { registerSignIn } from './sign-in-endpoint.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'baseUrl' | 'realm'>;
  events: Events;
  organization: Organization;
  clients: Clients;
  statusLists: StatusListsRoom;
  codes: Codes;
  tokens: Tokens;
  sessions: Sessions;
  consent: Consent;
  clock: Clock;
}

/** Where users arrive with a client's request: sign-in, consent, and the answer to the client. */
export function createAuthorization(needs: Needs) {
  const { config, events, organization, clients, statusLists, codes, tokens, sessions, consent, clock } = needs;
  const { consents } = consent;
  const { pushedRequests } = codes;
  const getAuthorizationTarget = createGetAuthorizationTarget({ clients: clients.clients });
  const parseAuthorizationRequest = createParseAuthorizationRequest({
    idTokens: tokens.idTokens,
    audience: config.baseUrl,
  });
  const authorizationExchange = createAuthorizationExchange({
    config,
    clients: clients.clients,
    pushedRequests,
    getAuthorizationTarget,
    parseAuthorizationRequest,
  });
  const authorize = createAuthorize({
    ...codes,
    ...tokens,
    ...organization,
    ...statusLists,
    ...sessions,
    ...consent,
    tell: events.tell,
    issuer: config.authUrl,
    clock,
  });
  const { browserCookies, browserSessions, knownBrowsers } = sessions;
  const completeAuthorization = createCompleteAuthorization({
    config,
    authorizationExchange,
    authorize,
    consents,
    browserCookies,
  });
  const deps = {
    config,
    ...clients,
    ...tokens,
    ...sessions,
    pushedRequests,
    getAuthorizationTarget,
    parseAuthorizationRequest,
    authorizationExchange,
    authorize,
    browserSessions,
    browserCookies,
    knownBrowsers,
    checkPassword: organization.checkPassword.atSignInPage,
    completeAuthorization,
    consents,
    record: events.record,
  };
  return {
    routes: {
      oauth: (scope: FastifyInstance) => registerPushedAuthorizationRequest(scope, deps),
      pages(scope: FastifyInstance) {
        registerAuthorize(scope, deps);
        registerSignIn(scope, deps);
        registerConsent(scope, deps);
      },
    },
  };
}
