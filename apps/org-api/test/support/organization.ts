import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger, createSlowHash } from '@gatehouse/service-kit';
import {
  type Database,
  type Dialect,
  openDatabase,
  parseDatabaseUrl,
  untilReady,
} from '@gatehouse/service-kit/database';
import { migrateDatabase } from '@gatehouse/service-kit/database/schema';
import type { BuildInfo } from '@gatehouse/service-kit/metrics';
import {
  digestOf,
  levels,
  localRefusalsPath,
  type NewUser,
  serviceTokenAudience,
  serviceTokenLifetime,
  serviceTokenType,
} from '@gatehouse/shared';
import { cheapHashCost, createTestDatabase, fillTestDatabase } from '@gatehouse/test-kit';
import type { JWTPayload } from 'jose';
import { buildApp } from '../../src/app.ts';
import { type Config, statusListsPath } from '../../src/config.ts';
import { createDependencies } from '../../src/dependencies.ts';
import { organizationSchema } from '../../src/schema/organization-schema.ts';
import { buildUser } from '../../src/users/build-user.ts';
import type { User } from '../../src/users/user.ts';
import { createKeyServer, createSigningKey, signJwt } from './key-server.ts';

const log = createLogger('org-api', 'silent');
const slowHash = createSlowHash({ cost: cheapHashCost });

export const authUrl = 'https://auth.example.com';
export const baseUrl = 'https://api.example.com';

const waitUntilReady = (database: Pick<Database, 'check'>) => untilReady(database, 20_000);

/** Gives an empty database the tables of org-api. */
const fillWithTables = (url: string) =>
  fillTestDatabase(url, 'tables of org-api', () =>
    migrateDatabase({ url: parseDatabaseUrl(url), ...organizationSchema }),
  );

/** An empty, migrated organization database. */
export async function openOrganizationDatabase(dialect: Dialect) {
  const { url, drop } = await createTestDatabase(dialect);
  await fillWithTables(url);
  const open = () => openDatabase({ url: parseDatabaseUrl(url), ...organizationSchema, migrateOnStart: true, log });
  const [database, onReplica] = [open(), open()];
  await Promise.all([database, onReplica].map(waitUntilReady));
  return {
    database,
    /** The same data by the connections of another process. */
    onReplica,
    async close() {
      await Promise.all([database.close(), onReplica.close()]);
      await drop();
    },
  };
}

export type Organization = Awaited<ReturnType<typeof startOrganization>>;

/** The organization API on an empty database, a key server it trusts, and a clock that the test moves. */
export async function startOrganization(dialect: Dialect, overrides: Partial<Config> = {}, build?: BuildInfo) {
  const signingKey = await createSigningKey();
  const keyServer = await createKeyServer([signingKey.jwk]);
  await keyServer.listen();
  const { url, drop } = await createTestDatabase(dialect);
  await fillWithTables(url);
  const config: Config = {
    host: '127.0.0.1',
    port: 0,
    authUrl,
    baseUrl,
    consoleUrl: `${authUrl}/console`,
    databaseUrl: parseDatabaseUrl(url),
    migrateOnStart: true,
    trustProxy: false,
    logLevel: 'silent',
    production: false,
    trial: false,
    tracesUrl: undefined,
    auditRetentionDays: 365,
    databasePoolSize: 10,
    hashMemory: 128,
    jwksUrl: keyServer.url,
    jwksCa: undefined,
    statusListsUrl: new URL(statusListsPath, keyServer.url).href,
    localRefusalsUrl: new URL(localRefusalsPath, keyServer.url).href,
    bootstrapAdmin: undefined,
    demoData: false,
    credentialsKey: randomBytes(32),
    previousCredentialsKey: undefined,
    passwordMinLength: 8,
    isBreached: undefined,
    mailTarget: undefined,
    mailFrom: undefined,
    mailCa: undefined,
    mailsPerHour: 1000,
    displayName: undefined,
    helpUrl: undefined,
    accentColor: undefined,
    notifyNewSignIn: true,
    isRegistrationOpen: false,
    registrationDomains: [],
    usernameDomain: undefined,
    mayDeleteAccount: false,
    passkeyRpId: new URL(authUrl).hostname,
    administrationAcr: levels[0],
    usersMayChange: ['nickname', 'locale', 'timezone'],
    variables: [],
    ...overrides,
  };
  const time = { now: Date.UTC(2026, 0, 1, 12, 0, 0, 250) };
  const observed = build === undefined ? {} : { build };
  const deps = createDependencies(config, log, () => time.now, { hashCost: cheapHashCost, ...observed });
  const app = await buildApp(deps);
  await waitUntilReady(deps.database);

  const seconds = () => Math.floor(time.now / 1000);
  /** The claims of an access token, as the contract has them. */
  const accessClaims = (user: Pick<User, 'id' | 'username' | 'passwordChangedAt'>): JWTPayload => ({
    iss: authUrl,
    sub: user.id,
    username: user.username,
    client_id: 'my-app',
    aud: baseUrl,
    iat: seconds(),
    exp: seconds() + 1800,
    jti: randomUUID(),
    scope: 'openid profile',
    auth_time: seconds(),
    password_changed_at: user.passwordChangedAt,
  });

  return {
    app,
    deps,
    /** The same organization by the connections of another process. */
    async startReplica() {
      const ofReplica = createDependencies(config, log, () => time.now, { hashCost: cheapHashCost });
      const replica = await buildApp(ofReplica);
      await waitUntilReady(ofReplica.database);
      return {
        app: replica,
        async close() {
          await replica.close();
          await ofReplica.close();
        },
      };
    },
    keyServer,
    signingKey,
    time,
    seconds,
    accessClaims,
    async addUser(user: Partial<NewUser> & { username: string }): Promise<User> {
      const hash = user.password === undefined ? undefined : await slowHash.hash(user.password);
      const added = buildUser({ userType: 'Person', ...user }, hash, time.now);
      if (!(await deps.users.insert(added))) throw new Error(`${user.username} is there already`);
      return added;
    },
    /** An access token of the user, with claims and header changed as given. */
    accessToken: (user: User, claims: JWTPayload = {}, header: Record<string, unknown> = {}) =>
      signJwt(signingKey, { ...accessClaims(user), ...claims }, { typ: 'at+jwt', ...header }),
    /** What the auth server proves itself with when it sends `body` to `path`. */
    serviceToken: (path: string, body: string, claims: JWTPayload = {}, header: Record<string, unknown> = {}) =>
      signJwt(
        signingKey,
        {
          iss: authUrl,
          sub: authUrl,
          aud: serviceTokenAudience(baseUrl),
          iat: seconds(),
          exp: seconds() + serviceTokenLifetime,
          jti: randomUUID(),
          htm: 'POST',
          path,
          digest: digestOf(body),
          ...claims,
        },
        { typ: serviceTokenType, ...header },
      ),
    async close() {
      await app.close();
      await deps.close();
      await keyServer.close();
      await drop();
    },
  };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
