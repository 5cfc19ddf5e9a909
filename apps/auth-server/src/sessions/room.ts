import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Keys } from '../keys/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Tokens } from '../tokens/room.ts';
import type { Upstreams } from '../upstreams/room.ts';
import { createBrowserCookies } from './browser-cookies.ts';
import { createBrowserSessionStore } from './browser-session-store.ts';
import { createBrowserSessions, createFindSignedInUser } from './browser-sessions.ts';
import { createEndSessions } from './end-sessions.ts';
import { sendLogoutTokenByHttp } from './http-logout-sender.ts';
import { createKnownBrowsers } from './known-browsers.ts';
import { registerLogout } from './logout-endpoint.ts';
import { createParseLogoutRequest } from './logout-request.ts';
import { createRememberedBrowserStore } from './remembered-browser-store.ts';
import { createRememberedBrowsers } from './remembered-browsers.ts';
import { createSessionParticipantStore } from './session-participant-store.ts';
import { createSessionParticipants } from './session-participants.ts';
import { createUpstreamSignOut } from './upstream-sign-out.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'realm' | 'sessionLifetime' | 'rememberBrowserDays' | 'clientIdMetadataUrls'>;
  database: Database;
  events: Events;
  keys: Keys;
  organization: Organization;
  clients: Clients;
  tokens: Tokens;
  upstreams: Upstreams;
  clock: Clock;
  log: Logger;
}

export type Sessions = ReturnType<typeof createSessions>;

/** Users who are signed in at a browser, and the clients to tell when they sign out. */
export function createSessions(needs: Needs) {
  const { config, database, events, keys, organization, clients, tokens, upstreams, clock, log } = needs;
  const { authUrl, sessionLifetime } = config;
  const { signingKeys, deriveKey } = keys;
  const sessions = createBrowserSessionStore(database);
  const sessionParticipants = createSessionParticipants({
    participants: createSessionParticipantStore(database),
    clients: clients.clients,
    signingKeys,
    sendLogoutToken: sendLogoutTokenByHttp,
    issuer: authUrl,
    sessionLifetime,
    clock,
    repeat: repeatByTimer,
    log,
  });
  const browserSessions = createBrowserSessions({
    sessions,
    revocations: tokens.revocations,
    sessionParticipants,
    sessionLifetime,
    clock,
  });
  const browserCookies = createBrowserCookies({ authUrl, formKey: deriveKey('form token'), clock });
  const parseLogoutRequest = createParseLogoutRequest({ config, clients: clients.clients, idTokens: tokens.idTokens });
  const { tell } = events;
  const upstreamSignOut = createUpstreamSignOut({ ...upstreams, stateKey: deriveKey('upstream sign-out'), clock, log });
  const rememberedBrowsers = createRememberedBrowsers({
    store: createRememberedBrowserStore(database),
    ...{ config, ...events, clock },
  });
  return {
    rememberedBrowsers,
    endSessions: createEndSessions({ browserSessions, rememberedBrowsers, ...tokens, ...events }),
    sessions,
    sessionParticipants,
    browserSessions,
    browserCookies,
    knownBrowsers: createKnownBrowsers({ key: deriveKey('known browser'), clock }),
    findSignedInUser: createFindSignedInUser({ browserSessions, ...organization }),
    routes: {
      pages: (scope: FastifyInstance) =>
        registerLogout(scope, {
          ...{ config, browserSessions, browserCookies, parseLogoutRequest },
          ...{ ...organization, upstreamSignOut, tell },
        }),
    },
    close: () => sessionParticipants.stop(),
  };
}
