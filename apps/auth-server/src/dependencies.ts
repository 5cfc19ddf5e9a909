import {
  type Clock,
  createGuessLimit,
  createMetrics,
  createSlowHash,
  type Logger,
  openDatabase,
  startPurging,
  systemClock,
} from '@gatehouse/service-kit';
import { createParseAuthorizationRequest } from './authorization/authorization-checks.ts';
import { createGetAuthorizationTarget } from './authorization/authorization-target.ts';
import { createAuthorize } from './authorization/authorize.ts';
import { createClientAdministration } from './clients/administer-clients.ts';
import { createClientAuthentication } from './clients/authenticate-client.ts';
import { createClientSecrets } from './clients/client-secret.ts';
import { createRegisterClient } from './clients/register-client.ts';
import type { Config } from './config.ts';
import { createAuthorizationCodeGrant } from './grants/authorization-code.ts';
import { createClientCredentialsGrant } from './grants/client-credentials.ts';
import { createGrantSwitch } from './grants/index.ts';
import { createPasswordGrant } from './grants/password.ts';
import { createRefreshTokenGrant } from './grants/refresh-token.ts';
import { createAdministratorAuthentication } from './http/administrator.ts';
import { createAuthorizationExchange } from './http/authorization-exchange.ts';
import { createBrowserCookies } from './http/browser-cookies.ts';
import { keepKeysCurrent } from './keys/keep-keys-current.ts';
import { createKeyEncryption, deriveKey } from './keys/key-encryption.ts';
import { createSigningKeys } from './keys/signing-keys.ts';
import { createCheckPassword } from './organization/check-password.ts';
import { createHttpOrganizationDirectory } from './organization/http-organization-directory.ts';
import { createBrowserSessions } from './sessions/browser-session.ts';
import { authServerSchema } from './storage/typeorm/auth-server-database.ts';
import { createAuthorizationCodeStore } from './storage/typeorm/authorization-code-store.ts';
import { createBrowserSessionStore } from './storage/typeorm/browser-session-store.ts';
import { createClientStore } from './storage/typeorm/client-store.ts';
import { createRefreshTokenStore } from './storage/typeorm/refresh-token-store.ts';
import { createRevocationStore } from './storage/typeorm/revocation-store.ts';
import { createSigningKeyStore } from './storage/typeorm/signing-key-store.ts';
import { expiringTables } from './storage/typeorm/tables.ts';
import { createAccessTokens } from './tokens/access-token.ts';
import { createFindActiveAccessToken } from './tokens/find-active-access-token.ts';
import { createIdTokens } from './tokens/id-token.ts';
import { createIntrospectToken } from './tokens/introspect-token.ts';
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
    signingKeys: createSigningKeyStore(database),
  };
  const purging = startPurging({ database, tables: expiringTables, clock, log });

  // Keys
  const encryption = createKeyEncryption(keyEncryptionKey);
  const signingKeys = createSigningKeys({ signingKeys: stores.signingKeys, encryption, clock });
  const keyRefresh = keepKeysCurrent({ signingKeys, log });

  // The organization
  const issueServiceToken = createServiceTokenIssuer({ signingKeys, issuer, baseUrl, clock });
  const directory = createHttpOrganizationDirectory({ url: config.orgApiUrl, issueServiceToken });
  const checkPassword = createCheckPassword(directory);

  // Clients
  const { clients } = stores;
  const guessLimit = createGuessLimit({ database, clock });
  const clientSecrets = createClientSecrets({ slowHash: createSlowHash({ concurrency: 1 }), clock });
  const authenticateClient = createClientAuthentication({ clients, clientSecrets, guessLimit });
  const registerClient = createRegisterClient({ clients, clientSecrets, directory, clock, extraScopes });
  const clientAdministration = createClientAdministration({ clients, clientSecrets, directory, clock });

  // Tokens
  const revocations = createRevocations({ ...stores, clock });
  const successorKey = deriveKey(keyEncryptionKey, 'refresh token successor');
  const refreshTokens = createRefreshTokens({ ...stores, revocations, successorKey, clock });
  const accessTokens = createAccessTokens({ signingKeys, issuer, audience: baseUrl, clock });
  const idTokens = createIdTokens({ signingKeys, issuer, clock });
  const issueTokens = createIssueTokens({ accessTokens, idTokens, refreshTokens });
  const findActiveAccessToken = createFindActiveAccessToken({ accessTokens, revocations, clients, directory });

  // Grants
  const { codes } = stores;
  const runGrant = createGrantSwitch({
    password: createPasswordGrant({ checkPassword, issueTokens, clock }),
    authorizationCode: createAuthorizationCodeGrant({ codes, revocations, directory, issueTokens, clock }),
    refreshToken: createRefreshTokenGrant({ refreshTokens, revocations, directory, issueTokens }),
    clientCredentials: createClientCredentialsGrant({ directory, issueTokens }),
  });

  // The authorization endpoint
  const authorizationExchange = createAuthorizationExchange({
    config,
    getAuthorizationTarget: createGetAuthorizationTarget({ clients }),
    parseAuthorizationRequest: createParseAuthorizationRequest({ idTokens }),
  });

  return {
    config,
    log,
    metrics: createMetrics(),
    database,
    signingKeys,
    authenticateClient,
    registerClient,
    clientAdministration,
    runGrant,
    findActiveAccessToken,
    introspectToken: createIntrospectToken({ findActiveAccessToken, refreshTokens, directory, issuer }),
    revokeToken: createRevokeToken({ accessTokens, refreshTokens, revocations }),
    idTokens,
    checkPassword,
    authorizationExchange,
    authorize: createAuthorize({ codes, accessTokens, idTokens, directory, issuer, clock }),
    browserSessions: createBrowserSessions({ ...stores, clock }),
    browserCookies: createBrowserCookies({ authUrl: issuer, formKey: deriveKey(keyEncryptionKey, 'form token') }),
    authenticateAdministrator: createAdministratorAuthentication({
      directory,
      authenticateClient,
      findActiveAccessToken,
      realm,
    }),
    async close() {
      purging.stop();
      keyRefresh.stop();
      await directory.close();
      await database.close();
    },
  };
}
