import { createDpopNonces, createVerifyDpopProof } from '@gatehouse/dpop';
import {
  type Clock,
  createGuessLimit,
  createMetrics,
  createSlowHash,
  createUsedIdentifiers,
  type Logger,
  openDatabase,
  startPurging,
  systemClock,
} from '@gatehouse/service-kit';
import { createParseAuthorizationRequest } from './authorization/authorization-checks.ts';
import { createGetAuthorizationTarget } from './authorization/authorization-target.ts';
import { createAuthorize } from './authorization/authorize.ts';
import { createPushedRequests } from './authorization/pushed-requests.ts';
import { createClientAdministration } from './clients/administer-clients.ts';
import { createClientAuthentication } from './clients/authenticate-client.ts';
import { createClientSecrets } from './clients/client-secret.ts';
import { createRegisterClient } from './clients/register-client.ts';
import type { Config } from './config.ts';
import { createConsents } from './consent/consent.ts';
import { createAuthorizationCodeGrant } from './grants/authorization-code.ts';
import { createClientCredentialsGrant } from './grants/client-credentials.ts';
import { createGrantSwitch } from './grants/index.ts';
import { createPasswordGrant } from './grants/password.ts';
import { createRefreshTokenGrant } from './grants/refresh-token.ts';
import { createAdministratorAuthentication } from './http/administrator.ts';
import { createAuthorizationExchange } from './http/authorization-exchange.ts';
import { createBrowserCookies } from './http/browser-cookies.ts';
import { createCompleteAuthorization } from './http/complete-authorization.ts';
import { createDpop } from './http/dpop.ts';
import { keepKeysCurrent } from './keys/keep-keys-current.ts';
import { createKeyEncryption, deriveKey } from './keys/key-encryption.ts';
import { createSigningKeys } from './keys/signing-keys.ts';
import { createCheckPassword } from './organization/check-password.ts';
import { createHttpOrganizationDirectory } from './organization/http-organization-directory.ts';
import { createBrowserSessions } from './sessions/browser-session.ts';
import { sendLogoutTokenByHttp } from './sessions/http-logout-sender.ts';
import { createParseLogoutRequest } from './sessions/logout-request.ts';
import { createSessionParticipants } from './sessions/session-participants.ts';
import { createAllocateStatus } from './status/allocate-status.ts';
import { createStatusLists } from './status/status-lists.ts';
import { authServerSchema } from './storage/typeorm/auth-server-database.ts';
import { createAuthorizationCodeStore } from './storage/typeorm/authorization-code-store.ts';
import { createBrowserSessionStore } from './storage/typeorm/browser-session-store.ts';
import { createClientStore } from './storage/typeorm/client-store.ts';
import { createConsentStore } from './storage/typeorm/consent-store.ts';
import { createPushedRequestStore } from './storage/typeorm/pushed-request-store.ts';
import { createRefreshTokenStore } from './storage/typeorm/refresh-token-store.ts';
import { createRevocationStore } from './storage/typeorm/revocation-store.ts';
import { createSessionParticipantStore } from './storage/typeorm/session-participant-store.ts';
import { createSigningKeyStore } from './storage/typeorm/signing-key-store.ts';
import { createStatusStore } from './storage/typeorm/status-store.ts';
import { expiringTables } from './storage/typeorm/tables.ts';
import { createAccessTokens } from './tokens/access-token.ts';
import { createFindAssertionFault } from './tokens/client-assertion.ts';
import { createFindActiveAccessToken } from './tokens/find-active-access-token.ts';
import { createIdTokens } from './tokens/id-token.ts';
import { createIntrospectToken, createSignIntrospection } from './tokens/introspect-token.ts';
import { createIssueTokens } from './tokens/issue-tokens.ts';
import { createRefreshTokens } from './tokens/refresh-token.ts';
import { createRevocations } from './tokens/revocations.ts';
import { createRevokeToken } from './tokens/revoke-token.ts';
import { createServiceTokenIssuer } from './tokens/service-token.ts';

export type Dependencies = ReturnType<typeof createDependencies>;

/** The composition root: the only place that picks implementations. */
export function createDependencies(config: Config, log: Logger, clock: Clock = systemClock) {
  const { authUrl: issuer, baseUrl, keyEncryptionKey, extraScopes, realm } = config;

  // Storage
  const database = openDatabase({
    url: config.databaseUrl,
    ...authServerSchema,
    migrateOnStart: config.migrateOnStart,
    log,
    prepare: () => signingKeys.load(),
  });
  const stores = {
    clients: createClientStore(database),
    codes: createAuthorizationCodeStore(database),
    refreshTokens: createRefreshTokenStore(database),
    revocations: createRevocationStore(database),
    sessions: createBrowserSessionStore(database),
    pushedRequests: createPushedRequestStore(database),
    usedIdentifiers: createUsedIdentifiers(database),
    participants: createSessionParticipantStore(database),
    consents: createConsentStore(database),
    statuses: createStatusStore(database),
    signingKeys: createSigningKeyStore(database),
  };
  const purging = startPurging({ database, tables: expiringTables, clock, log });

  // Keys
  const encryption = createKeyEncryption(keyEncryptionKey, config.previousKeyEncryptionKey);
  const signingKeys = createSigningKeys({ signingKeys: stores.signingKeys, encryption, clock });
  const keyRefresh = keepKeysCurrent({ signingKeys, log });

  // The organization
  const issueServiceToken = createServiceTokenIssuer({ signingKeys, issuer, baseUrl, clock });
  const directory = createHttpOrganizationDirectory({ url: config.orgApiUrl, issueServiceToken });
  const checkPassword = createCheckPassword(directory);

  // Clients
  const statusLists = createStatusLists({ ...stores, signingKeys, issuer, clock });
  const { clients } = stores;
  const guessLimit = createGuessLimit({ database, clock });
  const clientSecrets = createClientSecrets({ slowHash: createSlowHash({ concurrency: 1 }), clock });
  const audiences = [issuer, `${issuer}/oauth/token`, `${issuer}/oauth/par`];
  const findAssertionFault = createFindAssertionFault({ ...stores, audiences, clock });
  const authenticateClient = createClientAuthentication({ clients, clientSecrets, guessLimit, findAssertionFault });
  const registerClient = createRegisterClient({ clients, clientSecrets, directory, clock, extraScopes });
  const clientAdministration = createClientAdministration({ clients, clientSecrets, directory, statusLists, clock });

  // Tokens
  const allocateStatus = createAllocateStatus({ ...stores, clock });
  const revocations = createRevocations({ ...stores, statusLists, clock });
  const successorKey = deriveKey(keyEncryptionKey, 'refresh token successor');
  const refreshTokens = createRefreshTokens({ ...stores, revocations, successorKey, clock });
  const accessTokens = createAccessTokens({ signingKeys, issuer, audience: baseUrl, clock });
  const idTokens = createIdTokens({ signingKeys, issuer, clock });
  const issueTokens = createIssueTokens({ accessTokens, idTokens, refreshTokens });
  const findActiveAccessToken = createFindActiveAccessToken({ accessTokens, revocations, clients, directory });

  // Sender-constrained tokens
  const dpopKey = deriveKey(keyEncryptionKey, 'dpop nonce');
  const nonces = createDpopNonces({ getKey: () => dpopKey, clock });
  const dpop = createDpop({
    verifyDpopProof: createVerifyDpopProof({ ...stores, nonces, clock }),
    nonces,
    authUrl: issuer,
  });

  // Grants
  const { codes } = stores;
  const runGrant = createGrantSwitch(
    {
      password: createPasswordGrant({ checkPassword, allocateStatus, issueTokens, clock }),
      authorizationCode: createAuthorizationCodeGrant({
        codes,
        revocations,
        directory,
        allocateStatus,
        issueTokens,
        clock,
      }),
      refreshToken: createRefreshTokenGrant({ refreshTokens, revocations, directory, allocateStatus, issueTokens }),
      clientCredentials: createClientCredentialsGrant({ directory, allocateStatus, issueTokens }),
    },
    baseUrl,
  );

  // Sessions and the authorization endpoint
  const sendLogoutToken = sendLogoutTokenByHttp;
  const sessionParticipants = createSessionParticipants({
    ...stores,
    signingKeys,
    sendLogoutToken,
    issuer,
    clock,
    log,
  });
  const getAuthorizationTarget = createGetAuthorizationTarget({ clients });
  const parseAuthorizationRequest = createParseAuthorizationRequest({ idTokens, audience: baseUrl });
  const pushedRequests = createPushedRequests({ ...stores, clock });
  const authorizationExchange = createAuthorizationExchange({
    config,
    clients,
    pushedRequests,
    getAuthorizationTarget,
    parseAuthorizationRequest,
  });

  const consents = createConsents({ ...stores, revocations, clock });
  const authorize = createAuthorize({
    codes,
    accessTokens,
    idTokens,
    directory,
    allocateStatus,
    sessionParticipants,
    sessions: stores.sessions,
    consents,
    revocations,
    issuer,
    clock,
  });
  const formKey = deriveKey(keyEncryptionKey, 'form token');
  const browserCookies = createBrowserCookies({ authUrl: issuer, formKey, clock });

  return {
    config,
    log,
    metrics: createMetrics(),
    database,
    signingKeys,
    statusLists,
    authenticateClient,
    registerClient,
    clientAdministration,
    runGrant,
    dpop,
    findActiveAccessToken,
    introspectToken: createIntrospectToken({ findActiveAccessToken, refreshTokens, directory, issuer }),
    signIntrospection: createSignIntrospection({ signingKeys, issuer, clock }),
    revokeToken: createRevokeToken({ accessTokens, refreshTokens, revocations }),
    checkPassword,
    getAuthorizationTarget,
    parseAuthorizationRequest,
    pushedRequests,
    authorizationExchange,
    authorize,
    consents,
    completeAuthorization: createCompleteAuthorization({
      config,
      authorizationExchange,
      authorize,
      consents,
      browserCookies,
    }),
    browserSessions: createBrowserSessions({ ...stores, revocations, sessionParticipants, clock }),
    parseLogoutRequest: createParseLogoutRequest({ clients, idTokens }),
    browserCookies,
    authenticateAdministrator: createAdministratorAuthentication({
      directory,
      authenticateClient,
      findActiveAccessToken,
      realm,
    }),
    async close() {
      purging.stop();
      keyRefresh.stop();
      sessionParticipants.stop();
      await directory.close();
      await database.close();
    },
  };
}
