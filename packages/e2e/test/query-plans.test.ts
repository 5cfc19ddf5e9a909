import {
  call,
  createTestDatabase,
  explain,
  type Gatehouse,
  looksForRows,
  type ServiceName,
  type StatementRecorder,
  startGatehouse,
  startStatementRecorder,
  type TestDatabase,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readStatus } from './journeys/support/status-lists.ts';
import { obtainCode } from './support/authorization.ts';
import { type Credentials, passwordKind, registerClient, serviceAccountKind } from './support/clients.ts';
import { decideDevice, deviceGrant, deviceKind, startDevice } from './support/device.ts';
import { accessTokenType, exchangerKind, tokenExchange } from './support/exchanges.ts';
import { robotUsername } from './support/people.ts';
import { registerResource } from './support/resources.ts';
import { describeOnMysql } from './support/suite.ts';
import { getTokens, getUserTokens, isActive } from './support/tokens.ts';
import { getUserDetails } from './support/users.ts';

interface Recorded {
  database: TestDatabase;
  recorder: StatementRecorder;
}

async function recordDatabase(): Promise<Recorded> {
  const database = await createTestDatabase('mysql');
  return { database, recorder: await startStatementRecorder(database.url) };
}

/** The statements that do not read every table by an index, each with its plan. */
async function findScans({ url }: TestDatabase, statements: readonly string[]) {
  return (await explain(url, statements)).filter(({ usesIndexes }) => !usesIndexes);
}

describeOnMysql('statements of the hot paths', (dialect) => {
  let gatehouse: Gatehouse;
  let recorded: Record<ServiceName, Recorded>;
  let app: Credentials;
  let machine: Credentials;

  beforeAll(async () => {
    recorded = { 'auth-server': await recordDatabase(), 'org-api': await recordDatabase() };
    const urlOf = (name: ServiceName) => ({ DATABASE_URL: recorded[name].recorder.url });
    const env = { 'auth-server': urlOf('auth-server'), 'org-api': urlOf('org-api') };
    gatehouse = await startGatehouse({ dialect, env });
    app = await registerClient(gatehouse, passwordKind());
    machine = await registerClient(gatehouse, serviceAccountKind());
  });
  afterAll(async () => {
    await gatehouse?.stop();
    for (const { recorder, database } of Object.values(recorded ?? {})) {
      await recorder.close();
      await database.drop();
    }
  });

  /** What each service sends to its database while `act` runs. */
  const record = async (act: () => Promise<unknown>) => {
    // The look for rows without terms, once a minute, is of no request.
    const isOfRequest = (statement: string) => looksForRows(statement) && !statement.includes('terms_at <> updated_at');
    const take = (name: ServiceName) => recorded[name].recorder.take().filter(isOfRequest);
    take('auth-server');
    take('org-api');
    await act();
    return { 'auth-server': take('auth-server'), 'org-api': take('org-api') };
  };
  const machineToken = () => getTokens(gatehouse, machine, { grant_type: 'client_credentials' });
  const prepareRefresh = async () => {
    const { refresh_token: token = '' } = await getUserTokens(gatehouse, app);
    return () => getTokens(gatehouse, app, { grant_type: 'refresh_token', refresh_token: token });
  };
  const prepareExchange = async () => {
    const { redemption } = await obtainCode(gatehouse, app);
    return () => getTokens(gatehouse, app, redemption);
  };
  const prepareIntrospection = async () => {
    const { access_token: token } = await machineToken();
    return async () => expect(await isActive(gatehouse, app, token)).toBe(true);
  };
  const prepareResourceToken = async () => {
    const { resource, scopes } = await registerResource(gatehouse);
    const client = await registerClient(gatehouse, {
      ...serviceAccountKind({ scope: scopes.map(({ name }) => name) }),
      ...{ resources: [resource], default_resource: resource },
    });
    return () => getTokens(gatehouse, client, { grant_type: 'client_credentials' });
  };
  const registerExchanger = () => registerClient(gatehouse, exchangerKind([app], [gatehouse.baseUrl], []));
  const exchange = (exchanger: Credentials, token: string) =>
    getTokens(gatehouse, exchanger, {
      ...{ grant_type: tokenExchange, subject_token: token, subject_token_type: accessTokenType },
    });
  const prepareTokenExchange = async () => {
    const [{ access_token: token }, exchanger] = [await getUserTokens(gatehouse, app), await registerExchanger()];
    return () => exchange(exchanger, token);
  };
  const prepareEnd = async () => {
    const { access_token: token, refresh_token = '' } = await getUserTokens(gatehouse, app);
    await exchange(await registerExchanger(), token);
    return async () => {
      for (const ended of [token, refresh_token]) {
        await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form: { token: ended } });
      }
    };
  };
  const prepareUserDetails = async () => {
    const { access_token: bearer } = await machineToken();
    return async () => expect((await getUserDetails(gatehouse, robotUsername, bearer)).status).toBe(200);
  };

  const prepareDevice = async () => {
    const device = await registerClient(gatehouse, deviceKind());
    return async () => {
      const started = await startDevice(gatehouse, device, { scope: 'openid' });
      const form = { grant_type: deviceGrant, device_code: started.device_code };
      expect((await call(`${gatehouse.authUrl}/oauth/token`, { basic: device, form })).status).toBe(400);
      await decideDevice(started);
      expect((await call(`${gatehouse.authUrl}/oauth/token`, { basic: device, form })).status).toBe(200);
    };
  };

  const preparePublicDevice = async () => {
    const [client_id] = await registerClient(gatehouse, deviceKind({ client_secret: undefined }));
    const url = `${gatehouse.authUrl}/oauth/device_authorization`;
    return async () => expect((await call(url, { form: { client_id, scope: 'openid' } })).status).toBe(200);
  };

  const prepareWait = async () => {
    const { access_token: token } = await machineToken();
    const { uri } = readStatus(token);
    const { etag } = (await call(uri)).headers;
    return async () => {
      const { status } = await call(uri, { headers: { prefer: 'wait=1', 'if-none-match': String(etag) } });
      expect(status).toBe(304);
    };
  };

  it.each<[string, ServiceName, () => Promise<() => Promise<unknown>>]>([
    ['client_credentials', 'auth-server', async () => machineToken],
    ['client_credentials for a resource', 'auth-server', prepareResourceToken],
    ['the password grant', 'org-api', async () => () => getUserTokens(gatehouse, app)],
    ['a refresh', 'auth-server', prepareRefresh],
    ['a code exchange', 'auth-server', prepareExchange],
    ['a token exchange', 'auth-server', prepareTokenExchange],
    ['the end of a token that was exchanged, and of its grant', 'auth-server', prepareEnd],
    ['introspection', 'auth-server', prepareIntrospection],
    ['a device and its user', 'auth-server', prepareDevice],
    ['a device code of a public client', 'auth-server', preparePublicDevice],
    ['user details', 'org-api', prepareUserDetails],
    ['a reader that waits for a status list', 'auth-server', prepareWait],
  ])('of %s read every table by an index', async (_what, busiest, prepare) => {
    const statements = await record(await prepare());
    expect(statements[busiest].length).toBeGreaterThan(0);
    for (const name of ['auth-server', 'org-api'] as const) {
      expect(await findScans(recorded[name].database, statements[name])).toEqual([]);
    }
  });

  it('find the origin of a page among clients that registered themselves by an index', async () => {
    const headers = { origin: 'https://nobody.example', 'access-control-request-method': 'POST' };
    const statements = await record(async () => {
      const answer = await call(`${gatehouse.authUrl}/oauth/token`, { method: 'OPTIONS', headers });
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    });
    // The other statement reads what changed of administrators' clients, all of them at first (ADR 36).
    const lookUps = statements['auth-server'].filter((statement) => statement.includes('client_origins'));
    expect(lookUps).toHaveLength(1);
    expect(await findScans(recorded['auth-server'].database, lookUps)).toEqual([]);
  });

  it('would be noticed if one read a whole table', async () => {
    const scans = await findScans(recorded['org-api'].database, ["SELECT * FROM users WHERE first_name = 'Ursula'"]);
    expect(scans).toHaveLength(1);
  });
});
