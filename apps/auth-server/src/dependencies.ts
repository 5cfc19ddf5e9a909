import { createDpopNonces, createVerifyDpopProof } from '@gatehouse/dpop';
import {
  type Clock,
  createAuditEventCounter,
  createAuditTrail,
  createCheckGuess,
  createGuessLimit,
  createKnownNetworks,
  createMeteredSlowHash,
  createMetrics,
  createPurgeObserver,
  type Logger,
  type Observation,
  openMeteredDatabase,
  reportBuild,
  startPurging,
  systemClock,
  traceDatabase,
  traceHeadersOf,
  traceSlowHash,
} from '@gatehouse/service-kit';
import { createClientAdministration } from './administration/administer-clients.ts';
import { createAdministratorAuthentication } from './administration/authenticate-administrator.ts';
import { refuseLocalLogoutUri } from './administration/backchannel-logout-host.ts';
import { createRegisterClient } from './administration/register-client.ts';
import { createAnswer } from './authorization/answer.ts';
import { createParseAuthorizationRequest } from './authorization/checks.ts';
import { createAuthorizationErrorHandler } from './authorization/failure-page.ts';
import { createIssueImplicit } from './authorization/issue-implicit.ts';
import { createNextPage } from './authorization/next-page.ts';
import { createRequestReader } from './authorization/request-reader.ts';
import { createGetAuthorizationTarget } from './authorization/target.ts';
import { createClientAuthentication } from './clients/authenticate-client.ts';
import { createChosenSecrets } from './clients/chosen-secret.ts';
import { createFindAssertionFault } from './clients/client-assertion.ts';
import { createClientSecrets } from './clients/client-secret.ts';
import { createRequestBudget } from './clients/request-budget.ts';
import { createPushedRequests } from './codes/pushed-requests.ts';
import type { Config } from './config.ts';
import { createConsents } from './consent/consents.ts';
import { auditClientAuthentication } from './events/audit-client-authentication.ts';
import { auditReplays, createNoteRepetition } from './events/audit-replays.ts';
import { auditSignIns } from './events/audit-sign-ins.ts';
import {
  countAdministratorRefusals,
  countClientRefusals,
  countPasswordRefusals,
  countTokenRefusals,
  createCountRefusal,
} from './events/count-refusals.ts';
import { countPasswordSignIns, countSessionSignIns, createSignInCounter } from './events/count-sign-ins.ts';
import { createDescribeUserById } from './events/parties.ts';
import { createAuthorizationCodeGrant } from './grants/authorization-code.ts';
import { createClientCredentialsGrant } from './grants/client-credentials.ts';
import { createFindHolder } from './grants/find-holder.ts';
import { createGrantSwitch } from './grants/grant-switch.ts';
import { createIssueTokens } from './grants/issue-tokens.ts';
import { createPasswordGrant } from './grants/password.ts';
import { createRefreshTokenGrant } from './grants/refresh-token.ts';
import { createDpop } from './http/dpop.ts';
import { createIntrospectToken, createSignIntrospection } from './introspection/introspect-token.ts';
import { keepKeysCurrent } from './keys/keep-keys-current.ts';
import { createKeyEncryption, deriveKey } from './keys/key-encryption.ts';
import { meterSigningKeys } from './keys/meter-signing-keys.ts';
import { createSigningKeys } from './keys/signing-keys.ts';
import { createCheckPassword } from './organization/check-password.ts';
import { createFollowCall } from './organization/follow-organization.ts';
import { createHttpOrganizationDirectory } from './organization/http-organization-directory.ts';
import { createServiceTokenIssuer } from './organization/service-token.ts';
import { authServerSchema } from './schema/auth-server-schema.ts';
import { expiringTables, shortLivedTables } from './schema/tables.ts';
import { createBrowserCookies } from './sessions/browser-cookies.ts';
import { createBrowserSessions } from './sessions/browser-sessions.ts';
import { sendLogoutTokenByHttp } from './sessions/http-logout-sender.ts';
import { createKnownBrowsers } from './sessions/known-browsers.ts';
import { createParseLogoutRequest } from './sessions/logout-request.ts';
import { createSessionParticipants } from './sessions/session-participants.ts';
import { createSignIn } from './sessions/sign-in.ts';
import { createFindSignedInUser } from './sessions/signed-in-user.ts';
import { createAllocateStatus } from './status-lists/allocate-status.ts';
import { observeStatusListBuilds } from './status-lists/observe-status-list-builds.ts';
import { createStatusLists } from './status-lists/status-lists.ts';
import { createStores } from './stores.ts';
import { createAccessTokens } from './tokens/access-token.ts';
import { createFindActiveAccessToken } from './tokens/find-active-access-token.ts';
import { createIdTokens } from './tokens/id-token.ts';
import { createRefreshTokenEnds } from './tokens/refresh-token-end.ts';
import { createRefreshTokenUses } from './tokens/refresh-token-use.ts';
import { createRefreshTokens } from './tokens/refresh-tokens.ts';
import { createRevocations } from './tokens/revocations.ts';
import { createRevokeToken } from './tokens/revoke-token.ts';

export type Dependencies = ReturnType<typeof createDependencies>;

/** The composition root: the only place that picks implementations. */
export function createDependencies(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  { build, tracing }: Observation = {},
) {
  const { authUrl: issuer, baseUrl, keyEncryptionKey, extraScopes, realm } = config;

  // Observation
  const metrics = createMetrics();
  if (build !== undefined) reportBuild(metrics, build);
  const countRefusal = createCountRefusal(metrics);
  const signIns = createSignInCounter(metrics);

  // Storage
  const ownDatabase = openMeteredDatabase(metrics, {
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    ...authServerSchema,
    migrateOnStart: config.migrateOnStart,
    log,
    prepare: () => signingKeys.load(),
  });
  const database = traceDatabase(ownDatabase, tracing);
  const stores = createStores(database);
  const count = createAuditEventCounter(metrics);
  const audit = createAuditTrail({
    service: 'auth-server',
    database,
    retentionDays: config.auditRetentionDays,
    clock,
    log,
    count,
  });
  const purgeObserver = createPurgeObserver(metrics, expiringTables, clock);
  const purging = startPurging({ database, tables: expiringTables, clock, log, observer: purgeObserver });
  // Of their own, so that they wait for no other table. A round of these alone says nothing of the rest.
  const shortLivedPurging = startPurging({
    database,
    tables: shortLivedTables,
    clock,
    log,
    observer: { ...purgeObserver, finished() {} },
    interval: 10_000,
  });

  // Keys
  const encryption = createKeyEncryption(keyEncryptionKey, config.previousKeyEncryptionKey);
  const ownKeys = createSigningKeys({ signingKeys: stores.signingKeys, encryption, clock });
  const signingKeys = meterSigningKeys(ownKeys, metrics, clock);
  const keyRefresh = keepKeysCurrent({ signingKeys, log });

  // The organization
  const issueServiceToken = createServiceTokenIssuer({ signingKeys, issuer, baseUrl, clock });
  const traceHeaders = traceHeadersOf(tracing);
  const followCall = createFollowCall({ metrics, tracing });
  const { orgApiUrl: url, orgApiCa: ca } = config;
  const http = createHttpOrganizationDirectory({ url, ca, issueServiceToken, traceHeaders, followCall });
  const directory = countPasswordRefusals(http, countRefusal);
  const describeUserById = createDescribeUserById(directory);
  const createAuditedCheck = (by: 'sign_in_page' | 'password_grant') =>
    createCheckPassword(auditSignIns({ directory, audit, by }));

  // Clients
  const observeBuild = observeStatusListBuilds(metrics);
  const statusLists = createStatusLists({ ...stores, signingKeys, issuer, clock, observeBuild });
  const { clients } = stores;
  const knownNetworks = createKnownNetworks({ database, clock });
  const guessLimit = createGuessLimit({ database, clock, knownNetworks, countsEverywhere: false });
  const checkGuess = createCheckGuess({ guessLimit, knownNetworks, clock });
  const slowHash = traceSlowHash(createMeteredSlowHash(metrics, { concurrency: 1 }), tracing);
  const clientSecrets = createClientSecrets({ slowHash, clock });
  const audiences = [issuer, `${issuer}/oauth/token`, `${issuer}/oauth/par`];
  const findAssertionFault = createFindAssertionFault({ ...stores, audiences, clock });
  const proveClient = countClientRefusals(
    createClientAuthentication({ clients, clientSecrets, guessLimit, checkGuess, findAssertionFault }),
    countRefusal,
  );
  const authenticateClient = auditClientAuthentication({ authenticateClient: proveClient, audit });
  const chosenSecrets = createChosenSecrets({ production: config.production, log });
  const administration = { clients, clientSecrets, chosenSecrets, directory, clock };
  const registerClient = createRegisterClient({ ...administration, extraScopes });
  const clientAdministration = createClientAdministration({ ...administration, statusLists });

  // Tokens
  const allocateStatus = createAllocateStatus({ ...stores, statusLists, clock });
  const revocations = createRevocations({ ...stores, statusLists, clock });
  const successorKey = deriveKey(keyEncryptionKey, 'refresh token successor');
  const networkKey = deriveKey(keyEncryptionKey, 'refresh token network');
  const refreshTokens = createRefreshTokens({
    ...stores,
    revocations,
    successorKey,
    refreshTokenUses: createRefreshTokenUses({ networkKey }),
    refreshTokenEnds: createRefreshTokenEnds({ maxDays: config.refreshTokenMaxDays, clock }),
    clock,
  });
  const accessTokens = createAccessTokens({ signingKeys, issuer, audience: baseUrl, clock });
  const idTokens = createIdTokens({ signingKeys, issuer, clock });
  const issueTokens = createIssueTokens({ accessTokens, idTokens, refreshTokens });
  const findActiveAccessToken = createFindActiveAccessToken({ accessTokens, revocations, clients, directory });
  const openByAccessToken = countTokenRefusals(findActiveAccessToken, countRefusal);

  // Sender-constrained tokens
  const dpopKey = deriveKey(keyEncryptionKey, 'dpop nonce');
  const nonces = createDpopNonces({ getKey: () => dpopKey, clock });
  const dpop = createDpop({
    verifyDpopProof: createVerifyDpopProof({ ...stores, nonces, clock }),
    nonces,
    authUrl: issuer,
  });

  const requestBudget = createRequestBudget({ ...stores, clock });

  // Grants
  const { codes } = stores;
  const consents = createConsents({ ...stores, revocations, clock });
  const findHolder = createFindHolder({ directory, consents });
  const runGrant = createGrantSwitch(
    {
      password: createPasswordGrant({
        checkPassword: createAuditedCheck('password_grant'),
        allocateStatus,
        issueTokens,
        clock,
      }),
      authorizationCode: createAuthorizationCodeGrant({
        codes,
        revocations,
        findHolder,
        allocateStatus,
        issueTokens,
        clock,
      }),
      refreshToken: createRefreshTokenGrant({
        refreshTokens,
        revocations,
        findHolder,
        allocateStatus,
        issueTokens,
        noteRepetition: createNoteRepetition({ describeUserById, audit }),
        clock,
      }),
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
  const requestReader = createRequestReader({
    clients,
    pushedRequests,
    getAuthorizationTarget,
    parseAuthorizationRequest,
  });
  const answer = createAnswer({
    codes,
    issueImplicit: createIssueImplicit({ codes, accessTokens, idTokens, allocateStatus, clock }),
    sessionParticipants,
    sessions: stores.sessions,
    consents,
    revocations,
    issuer,
    clock,
  });
  const formKey = deriveKey(keyEncryptionKey, 'form token');
  const knownBrowsers = createKnownBrowsers({ key: deriveKey(keyEncryptionKey, 'known browser'), clock });
  const browserCookies = createBrowserCookies({ authUrl: issuer, formKey, clock });
  const browserSessions = createBrowserSessions({ ...stores, revocations, sessionParticipants, clock });
  const findSignedInUser = createFindSignedInUser({ browserSessions, directory });
  const checkPassword = countPasswordSignIns(createAuditedCheck('sign_in_page'), signIns);

  return {
    config,
    log,
    metrics,
    tracing,
    database,
    signingKeys,
    statusLists,
    authenticateClient,
    registerClient: refuseLocalLogoutUri(config, registerClient, (body) => body),
    clientAdministration: {
      ...clientAdministration,
      change: refuseLocalLogoutUri(config, clientAdministration.change, (_clientId, changes) => changes),
    },
    runGrant: auditReplays({ runGrant, describeUserById, audit }),
    dpop,
    requestBudget,
    findActiveAccessToken: openByAccessToken,
    introspectToken: createIntrospectToken({ findActiveAccessToken, refreshTokens, directory, consents, issuer }),
    signIntrospection: createSignIntrospection({ signingKeys, issuer, clock }),
    revokeToken: createRevokeToken({ accessTokens, refreshTokens, revocations }),
    describeUserById,
    audit,
    getAuthorizationTarget,
    parseAuthorizationRequest,
    pushedRequests,
    requestReader,
    authorizationErrorHandler: createAuthorizationErrorHandler({ config, requestReader }),
    nextPage: createNextPage({ config, consents, answer, browserCookies }),
    findSignedInUser,
    findSignedInUserOfRequest: countSessionSignIns(findSignedInUser, signIns),
    signIn: createSignIn({ checkPassword, browserSessions, knownBrowsers }),
    consents,
    clock,
    browserSessions,
    parseLogoutRequest: createParseLogoutRequest({ clients, idTokens }),
    browserCookies,
    authenticateAdministrator: countAdministratorRefusals(
      createAdministratorAuthentication({
        directory,
        // A refusal is one event, of an administrator.
        authenticateClient: proveClient,
        findActiveAccessToken: openByAccessToken,
        dpop,
        audit,
        realm,
        audience: baseUrl,
      }),
      countRefusal,
    ),
    async close() {
      purging.stop();
      shortLivedPurging.stop();
      keyRefresh.stop();
      sessionParticipants.stop();
      await audit.close();
      await directory.close();
      await database.close();
    },
  };
}
