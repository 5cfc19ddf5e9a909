import type { Logger } from '@gatehouse/service-kit';
import type { Observation } from '@gatehouse/service-kit/tracing';
import {
  type Answer,
  administrator,
  type CallOptions,
  cheapHashCost,
  createTestDatabase,
  credentialsKey,
  findFreePort,
  keyEncryptionKey,
} from '@gatehouse/test-kit';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { createDependencies } from '../../src/dependencies.ts';
import { fillWithDemoUsers, fillWithKeys } from './fill-databases.ts';
import { type OrganizationApi, startOrganizationApi } from './organization-api.ts';
import { silentLog, waitUntilReady } from './stores.ts';

export { administrator, readClaims } from '@gatehouse/test-kit';

const consoleFiles = new URL('../../../../packages/console/dist/', import.meta.url);

export const callback = 'https://app.example.com/callback';

/** A client for the password and authorization-code grants. */
export const webClient = {
  client_id: 'web',
  client_secret: 'web-secret',
  scope: ['openid', 'profile', 'email', 'offline_access', 'roles'],
  authorized_grant_types: ['authorization_code', 'password', 'refresh_token'],
  redirect_uri: callback,
  access_token_validity: 900,
};
export type Registration = Partial<Omit<typeof webClient, 'client_secret'>> & {
  client_id: string;
  client_secret?: string | undefined;
  srvc_ac_user_name?: string;
};

export interface TokenAnswer {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  refresh_token?: string;
  id_token?: string;
}

export type Realm = Awaited<ReturnType<typeof startRealm>>;

export interface RealmOptions {
  /** Whether client secrets cost as much to hash as they do in production. */
  hashesAtUsualCost?: boolean;
  log?: Logger;
  observation?: Observation;
  observationOfOrgApi?: Observation;
  /** More of the environment of org-api. */
  orgEnv?: Record<string, string>;
  /** An empty database of org-api; on SQLite where it is left out. */
  orgDatabaseUrl?: string;
}

/** The auth server, listening, beside a real org-api with the demo users; both in this process. */
export async function startRealm(env: Record<string, string> = {}, options: RealmOptions = {}) {
  const [port, orgPort, database, orgDatabase] = await Promise.all([
    findFreePort(),
    findFreePort(),
    createTestDatabase('sqlite'),
    createTestDatabase('sqlite'),
  ]);
  const url = `http://localhost:${port}`;
  const orgUrl = `http://localhost:${orgPort}`;
  const urls = { AUTH_URL: env.AUTH_URL ?? url, BASE_URL: orgUrl };

  let ahead = 0;
  const clock = () => Date.now() + ahead;
  const authEnv = {
    ...urls,
    DATABASE_URL: database.url,
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
    TRUST_PROXY: 'true',
    ...env,
  };
  if (env.KEY_ENCRYPTION_KEY === undefined) await fillWithKeys(authEnv.DATABASE_URL);
  const authServer = await startAuthServer(port, authEnv, clock, options);
  const { app, deps } = authServer;

  const orgEnv = {
    ...urls,
    DATABASE_URL: options.orgDatabaseUrl ?? orgDatabase.url,
    MIGRATE_ON_START: 'true',
    DEMO_DATA: 'true',
    JWKS_URL: `${url}/oauth/jwks`,
    CREDENTIALS_KEY: credentialsKey,
    ...options.orgEnv,
  };
  const startOrganization = () => startOrganizationApi(orgPort, orgEnv, options.observationOfOrgApi);
  await fillWithDemoUsers(orgPort, orgEnv);
  let organization: OrganizationApi = await startOrganization();

  const send = createSender(app);

  const register = async <R extends Registration>(registration: R): Promise<R> => {
    const answer = await send('/clients', { basic: administrator, json: registration });
    if (answer.status !== 200) throw new Error(answer.text);
    return registration;
  };
  const tokenRequest = (
    client: Pick<Registration, 'client_id' | 'client_secret'>,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ) =>
    client.client_secret === undefined
      ? send('/oauth/token', { form: { client_id: client.client_id, ...form }, headers })
      : send('/oauth/token', { basic: [client.client_id, client.client_secret], form, headers });
  /** The tokens, or an error that holds the answer. */
  const tokens = async (...request: Parameters<typeof tokenRequest>): Promise<TokenAnswer> => {
    const answer = await tokenRequest(...request);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<TokenAnswer>();
  };

  return {
    app,
    deps,
    url,
    orgUrl,
    authUrl: urls.AUTH_URL,
    /** The environment of the auth server, for another replica. */
    env: authEnv,
    clock,
    advance(milliseconds: number) {
      ahead += milliseconds;
    },
    send,
    register,
    tokenRequest,
    tokens,
    stopOrganization: () => organization.stop(),
    async startOrganization() {
      organization = await startOrganization();
    },
    async close() {
      await authServer.stop();
      await organization.stop();
      await Promise.all([database.drop(), orgDatabase.drop()]);
    },
  };
}

/** The auth server alone, in this process. */
export async function startAuthServer(
  port: number,
  env: Record<string, string>,
  clock?: () => number,
  { hashesAtUsualCost = false, log = silentLog, observation = {} }: RealmOptions = {},
) {
  const cost = hashesAtUsualCost ? {} : { hashCost: cheapHashCost };
  const deps = createDependencies(loadConfig(env), log, clock, { ...cost, ...observation, consoleFiles });
  const app = await buildApp(deps);
  await app.listen({ host: '127.0.0.1', port });
  await waitUntilReady(deps.database);
  return {
    app,
    deps,
    /** As `main.ts` does: org-api may wait for a status list, for up to 25 seconds. */
    async stop() {
      deps.stopWaits();
      await app.close();
      await deps.close();
    },
  };
}

/** One request by `app.inject`, in the words of test-kit's `call`. */
export function createSender(app: FastifyInstance) {
  return async (path: string, options: CallOptions = {}): Promise<Answer> => {
    const { type, payload } = buildPayload(options);
    const { statusCode, headers, body } = await app.inject({
      method: (options.method ?? (payload === undefined ? 'GET' : 'POST')) as 'GET',
      url: path,
      headers: { ...type, ...buildAuthorization(options), ...options.headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: statusCode, headers: headers as Answer['headers'], text: body, json: () => JSON.parse(body) };
  };
}

function buildPayload({ form, json, body }: CallOptions): {
  type: Record<string, string>;
  payload?: string | Uint8Array;
} {
  if (form !== undefined) {
    return { type: { 'content-type': 'application/x-www-form-urlencoded' }, payload: encodeForm(form) };
  }
  if (json !== undefined) return { type: { 'content-type': 'application/json' }, payload: JSON.stringify(json) };
  return { type: {}, ...(body === undefined ? {} : { payload: body }) };
}

function buildAuthorization({ basic, bearer }: CallOptions): Record<string, string> {
  if (basic !== undefined) return { authorization: encodeBasic(...basic) };
  return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
}

export function encodeBasic(userId: string, password: string): string {
  return `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`;
}

export function encodeForm(form: Record<string, string> | [string, string][]): string {
  return new URLSearchParams(form).toString();
}

export const passwordOf = (name: 'user' | 'admin' | 'idp.admin') => ({
  grant_type: 'password',
  username: `${name}@example.com`,
  password: `${name === 'idp.admin' ? 'idp' : name}-password`,
});
