import {
  type Certificates,
  call,
  findFreePort,
  type Gatehouse,
  type MariaDbServer,
  makeCertificates,
  quickestDialect,
  startGatehouse,
  startMariaDbServer,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listKeys } from './journeys/support/keys-command.ts';
import { type Credentials, passwordKind, registerClient } from './support/clients.ts';
import { plainUser } from './support/people.ts';
import { startBeside } from './support/services.ts';
import { startTlsProxy } from './support/tls-proxy.ts';
import { getUserTokens, postToken } from './support/tokens.ts';
import { getUserDetails } from './support/users.ts';
import { waitFor } from './support/wait.ts';

type TlsProxy = Awaited<ReturnType<typeof startTlsProxy>>;

/** SQLite is reached by nothing, so it has no part in this where there is MySQL. */
const dialect = testDialects.at(-1) ?? quickestDialect;

describe(`services that reach each other and their database by TLS, on ${dialect}`, () => {
  let certificates: Certificates;
  let other: Certificates;
  let server: MariaDbServer | undefined;
  let gatehouse: Gatehouse;
  let proxies: TlsProxy[];
  let app: Credentials;

  /** A database server that takes nobody without TLS. */
  const startDatabaseServer = async () => {
    const { ca, certificate, key } = certificates;
    server = await startMariaDbServer([`--ssl-ca=${ca}`, `--ssl-cert=${certificate}`, `--ssl-key=${key}`]);
    const root = await server.connectAsRoot();
    await root.query("CREATE USER app@'%' IDENTIFIED BY 'app' REQUIRE SSL");
    for (const name of ['auth', 'org']) {
      await root.query(`CREATE DATABASE ${name}`);
      await root.query(`GRANT ALL ON ${name}.* TO app@'%'`);
    }
    const { port } = server;
    return (name: string) => ({ DATABASE_URL: `mysql://app:app@localhost:${port}/${name}?tls=verify&tls-ca=${ca}` });
  };

  beforeAll(async () => {
    [certificates, other] = await Promise.all([makeCertificates('localhost'), makeCertificates('localhost')]);
    const databaseOf = dialect === 'mysql' ? await startDatabaseServer() : () => ({});
    const [orgTls, authTls] = await Promise.all([findFreePort(), findFreePort()]);
    gatehouse = await startGatehouse({
      dialect,
      env: {
        'auth-server': {
          ...databaseOf('auth'),
          ORG_API_URL: `https://localhost:${orgTls}`,
          ORG_API_CA_FILE: certificates.ca,
        },
        'org-api': {
          ...databaseOf('org'),
          JWKS_URL: `https://localhost:${authTls}/oauth/jwks`,
          JWKS_CA_FILE: certificates.ca,
        },
      },
    });
    const portOf = (url: string) => Number(new URL(url).port);
    proxies = [
      await startTlsProxy(orgTls, portOf(gatehouse.baseUrl), certificates),
      await startTlsProxy(authTls, portOf(gatehouse.authUrl), certificates),
    ];
    app = await registerClient(gatehouse, passwordKind());
  }, 180_000);
  afterAll(async () => {
    await gatehouse?.stop();
    await Promise.all((proxies ?? []).map(({ stop }) => stop()));
    await server?.drop();
    await Promise.all([certificates?.remove(), other?.remove()]);
  });

  test('sign users in and show their details', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, app);
    expect((await getUserDetails(gatehouse, plainUser[0], token)).status).toBe(200);
  });

  test('follow the status lists: a revoked token is refused', async () => {
    const { access_token: token, refresh_token: refreshToken = '' } = await getUserTokens(gatehouse, app);
    expect((await getUserDetails(gatehouse, plainUser[0], token)).status).toBe(200);
    await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form: { token: refreshToken } });
    const details = () => getUserDetails(gatehouse, plainUser[0], token);
    expect((await waitFor(details, ({ status }) => status !== 200)).status).toBe(401);
  });

  test('list the signing keys by the command', async () => {
    expect(await listKeys(gatehouse)).not.toEqual([]);
  });

  test('do not talk to an org-api whose certificate another CA signed', async () => {
    const distrustful = await startBeside(gatehouse, 'auth-server', { ORG_API_CA_FILE: other.ca });
    const [username, password] = plainUser;
    const form = { grant_type: 'password', username, password };
    const answer = await postToken({ ...gatehouse, authUrl: distrustful.url }, { basic: app, form });
    await distrustful.stop();
    expect(answer.status).toBe(503);
    expect(distrustful.output()).toMatch(/certificate/);
    expect(distrustful.output()).not.toContain(password);
  });
});
