import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ClientKey,
  call,
  createClientKey,
  type Gatehouse,
  startGatehouse,
  startMailServer,
} from '@gatehouse/test-kit';
import { strictRole } from './prepare-people.ts';

/** Members that users change themselves: all that there are. */
const changeable =
  'firstName middleName lastName nickname profile picture website gender birthdate locale timezone phoneNumber address';

/** Both services with all that is off at first, and what only they have at hand elsewhere. */
export interface FuzzedGatehouse extends Gatehouse {
  /** org-api believes it as it believes the keys of auth-server. */
  serviceKey: ClientKey;
  /** Gives the texts of the mails since the last call. */
  takeMails(): string[];
}

/** Starts both services on empty databases. `database`: sqlite, or the URL of a MySQL server. */
export async function startFuzzedGatehouse(database: string): Promise<FuzzedGatehouse> {
  const serviceKey = createClientKey('ES256', 'of-the-fuzzer');
  const publication = await publishKeys(serviceKey);
  const mailServer = await startMailServer();
  // One proxy is believed: what it says is the address of the caller.
  const common = { TRUST_PROXY: '1', LOG_LEVEL: 'error' };
  const mail = { MAIL_URL: mailServer.url, MAIL_FROM: 'no-reply@example.com', MAILS_PER_HOUR: '1000000' };
  const accounts = { REGISTRATION: 'open', ACCOUNT_DELETION: 'on', USERS_MAY_CHANGE: changeable };
  const gatehouse = await startGatehouse({
    dialect: database === 'sqlite' ? 'sqlite' : 'mysql',
    env: {
      'auth-server': { ...common, DYNAMIC_REGISTRATION: 'open', REQUIRE_MFA: strictRole },
      'org-api': { ...common, ...mail, ...accounts, JWKS_URL: publication.url },
    },
    ...(database === 'sqlite' ? {} : { databaseServer: database }),
  });
  publication.follow(gatehouse.authUrl);
  return {
    ...gatehouse,
    serviceKey,
    takeMails: () => mailServer.mails.splice(0).map(({ text }) => text),
    async stop() {
      await gatehouse.stop();
      await mailServer.close();
      publication.close();
    },
  };
}

/** Publishes the keys of auth-server, once it is there, with one more. */
async function publishKeys(key: ClientKey) {
  let authUrl: string | undefined;
  const server = createServer(async (_request, response) => {
    const { keys } =
      authUrl === undefined ? { keys: [] } : (await call(`${authUrl}/oauth/jwks`)).json<{ keys: object[] }>();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [...keys, { ...key.jwk, use: 'sig', alg: 'ES256' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    follow(url: string) {
      authUrl = url;
    },
    close: () => void server.close(),
  };
}
