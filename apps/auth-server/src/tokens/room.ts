import { createDpopNonces } from '@gatehouse/resource-server/parts';
import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Codes } from '../codes/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import { createDpop } from '../http/dpop.ts';
import type { Keys } from '../keys/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Resources } from '../resources/room.ts';
import type { StatusListsRoom } from '../status-lists/room.ts';
import { createAccessTokens } from './access-token.ts';
import { createFindActiveAccessToken } from './find-active-access-token.ts';
import { createIdTokens } from './id-token.ts';
import { createRefreshTokenEnds } from './refresh-token-end.ts';
import { createRefreshTokenStore } from './refresh-token-store.ts';
import { createRefreshTokenUses } from './refresh-token-use.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { registerRevocation } from './revocation-endpoint.ts';
import { createRevocationStore } from './revocation-store.ts';
import { createRevocations } from './revocations.ts';
import { createRevokeToken } from './revoke-token.ts';
import { createBuildUserinfo, createSignUserinfo } from './userinfo.ts';
import { registerUserinfo } from './userinfo-endpoint.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'baseUrl' | 'sessionLifetime' | 'refreshTokenIdleDays' | 'refreshTokenMaxDays'>;
  database: Database;
  events: Events;
  keys: Keys;
  organization: Organization;
  clients: Clients;
  resources: Pick<Resources, 'orgApi'>;
  statusLists: StatusListsRoom;
  codes: Codes;
  clock: Clock;
}

export type Tokens = ReturnType<typeof createTokens>;

/** Access, ID and refresh tokens: how they are made, read and ended. */
export function createTokens(needs: Needs) {
  const { config, events, keys, organization, clients, clock } = needs;
  const { orgApi } = needs.resources;
  const buildUserinfo = createBuildUserinfo(orgApi);
  const { tell } = events;
  const { signingKeys, deriveKey } = keys;
  const accessTokens = createAccessTokens({ signingKeys, issuer: config.authUrl, orgApiUri: config.baseUrl, clock });
  const { revocations, refreshTokens } = createEnding(needs);
  const revokeToken = createRevokeToken({ accessTokens, refreshTokens, revocations });
  const { directory } = organization;
  const { statuses } = needs.statusLists;
  const findActiveAccessToken = createFindActiveAccessToken({
    ...clients,
    ...{ accessTokens, revocations, statuses, directory },
  });
  const dpopKey = deriveKey('dpop nonce');
  const nonces = createDpopNonces({ getKey: () => dpopKey, clock });
  const { usedIdentifiers } = clients;
  const dpop = createDpop({ usedIdentifiers, nonces, clock, authUrl: config.authUrl });
  const signUserinfo = createSignUserinfo({ signingKeys, issuer: config.authUrl });
  return {
    accessTokens,
    idTokens: createIdTokens({ signingKeys, issuer: config.authUrl, orgApi, clock }),
    refreshTokens,
    revocations,
    findActiveAccessToken,
    buildUserinfo,
    dpop,
    routes: {
      oauth(scope: FastifyInstance) {
        registerRevocation(scope, { authenticateClient: clients.authenticateClient, revokeToken, tell });
        registerUserinfo(scope, { config, findActiveAccessToken, buildUserinfo, signUserinfo, dpop, tell });
      },
    },
  };
}

/** Refresh tokens, which outlive an access token, and revocations, which end tokens before their time. */
function createEnding({ config, database, events, keys, codes, statusLists, clock }: Needs) {
  const refreshTokenStore = createRefreshTokenStore(database);
  const revocations = createRevocations({
    revocations: createRevocationStore(database),
    refreshTokens: refreshTokenStore,
    codes: codes.codes,
    deviceCodes: codes.deviceCodeStore,
    statuses: statusLists.statuses,
    statusLists: statusLists.statusLists,
    tell: events.tell,
    clock,
  });
  const refreshTokens = createRefreshTokens({
    refreshTokens: refreshTokenStore,
    revocations,
    successorKey: keys.deriveKey('refresh token successor'),
    refreshTokenUses: createRefreshTokenUses({ networkKey: keys.deriveKey('refresh token network'), database }),
    refreshTokenEnds: createRefreshTokenEnds({
      sessionLifetime: config.sessionLifetime,
      idleDays: config.refreshTokenIdleDays,
      maxDays: config.refreshTokenMaxDays,
      clock,
    }),
    clock,
  });
  return { revocations, refreshTokens };
}
