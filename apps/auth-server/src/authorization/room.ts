import type { Clock } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { ClientDocumentsRoom } from '../client-documents/room.ts';
import type { Clients } from '../clients/room.ts';
import type { Codes } from '../codes/room.ts';
import type { Config } from '../config.ts';
import type { Consent } from '../consent/room.ts';
import type { Events } from '../events/room.ts';
import type { Keys } from '../keys/room.ts';
import type { Organization } from '../organization/room.ts';
import type { RequestObjects } from '../request-objects/room.ts';
import type { Resources } from '../resources/room.ts';
import type { Sessions } from '../sessions/room.ts';
import type { SignIn } from '../sign-in/room.ts';
import type { StatusListsRoom } from '../status-lists/room.ts';
import type { Tokens } from '../tokens/room.ts';
import { createAnswer } from './answer.ts';
import { registerAuthorize } from './authorization-endpoint.ts';
import { type AuthorizationResponses, createAuthorizationResponses } from './authorization-response.ts';
import { createParseAuthorizationRequest } from './checks.ts';
import { createAuthorizationErrorHandler } from './failure-page.ts';
import { registerConsent, registerFormAddresses, registerSignIn } from './forms-endpoint.ts';
import { createIssueFields } from './issue-fields.ts';
import { createKeepLongRequest } from './long-request.ts';
import { createAuthorizationSignIn, createNextPage } from './next-page.ts';
import { createPlanCode } from './plan-code.ts';
import { registerPushedAuthorizationRequest } from './pushed-request-endpoint.ts';
import { createRequestReader } from './request-reader.ts';
import { createGetAuthorizationTarget, createGetRequestingClient } from './target.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'realm' | 'grantTypesOff' | 'clientIdMetadataUrls'>;
  keys: Keys;
  events: Events;
  organization: Organization;
  clients: Clients;
  resources: Resources;
  statusLists: StatusListsRoom;
  codes: Codes;
  tokens: Tokens;
  sessions: Sessions;
  signIn: SignIn;
  consent: Consent;
  requestObjects: RequestObjects;
  clientDocuments: ClientDocumentsRoom;
  clock: Clock;
}

export type Authorization = ReturnType<typeof createAuthorization>;

/** Handles a client's authorization request: sign-in, consent, and the answer to the client. */
export function createAuthorization(needs: Needs) {
  const { config, events, organization, clients, resources, codes, tokens, sessions, signIn, consent, clock } = needs;
  const { readRequestObject, fetchRequestObject } = needs.requestObjects;
  const { clientDocuments } = needs;
  const { pushedRequests } = codes;
  const { consents, describeApplication } = consent;
  const { browserCookies } = sessions;
  const getRequestingClient = createGetRequestingClient({ ...clients, clientDocuments });
  const getAuthorizationTarget = createGetAuthorizationTarget(getRequestingClient);
  const parseAuthorizationRequest = createParseAuthorizationRequest({
    config,
    ...{ ...tokens, ...resources, ...organization },
  });
  const reading = { getAuthorizationTarget, parseAuthorizationRequest, pushedRequests };
  const requestReader = createRequestReader({
    ...{ ...reading, ...clients, getRequestingClient },
    ...{ readRequestObject, fetchRequestObject },
  });
  const keepLongRequest = createKeepLongRequest({ ...clients, requestReader, pushedRequests, clientDocuments });
  const responses = createAuthorizationResponses({ ...needs.keys, issuer: config.authUrl, clock });
  const authorizationErrorHandler = createAuthorizationErrorHandler({ config, requestReader, responses });
  const signInPlace = createAuthorizationSignIn({ config, ...signIn, describeApplication });
  const nextPage = createNextPage({
    config,
    consents,
    answer: createAnswering(needs, responses),
    clientDocuments,
    browserCookies,
    signInPlace,
    findLevelStep: signIn.findLevelStep,
    describeApplication,
    responses,
    tell: events.tell,
  });
  const common = { requestReader, nextPage, authorizationErrorHandler, ...signIn };
  return {
    planCode: createPlanCode({ ...reading, ...signIn, consents, clock }),
    routes: {
      oauth: (scope: FastifyInstance) =>
        registerPushedAuthorizationRequest(scope, {
          ...{ ...reading, ...clients, readRequestObject, clientDocuments },
          dpop: tokens.dpop,
        }),
      pages(scope: FastifyInstance) {
        registerFormAddresses(scope, config);
        registerAuthorize(scope, { ...common, keepLongRequest, tell: events.tell });
        registerSignIn(scope, { ...common, signInPlace });
        registerConsent(scope, { ...common, config, browserCookies, consents, record: events.record });
      },
    },
  };
}

function createAnswering(needs: Needs, responses: AuthorizationResponses) {
  const { resources, clients, statusLists, codes, tokens, sessions, consent, clock } = needs;
  const { clientUses } = clients;
  const issueFields = createIssueFields({ ...codes, ...tokens, ...statusLists, ...resources, clientUses, clock });
  return createAnswer({ ...tokens, ...sessions, ...consent, ...codes, issueFields, responses });
}
