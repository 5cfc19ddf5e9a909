import { call, type Gatehouse, type ServiceProcess, startGatehouse, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { postClient, serviceAccountKind } from './support/clients.ts';
import { administrator } from './support/people.ts';
import {
  type RecordedRequest,
  type RecordingProxy,
  sendRecorded,
  startRecordingProxy,
} from './support/recording-proxy.ts';
import { startBeside } from './support/services.ts';
import { readClaims } from './support/tokens.ts';
import { atOnce, waitFor } from './support/wait.ts';

const passwordChecks = '/internal/directory/password-checks';
const userQueries = '/internal/directory/user-queries';

describe.each(testDialects)('a request of auth-server to org-api, read off the wire, on %s', (dialect) => {
  let proxy: RecordingProxy;
  let gatehouse: Gatehouse;
  /** A second replica of org-api. */
  let replica: ServiceProcess;

  beforeAll(async () => {
    proxy = await startRecordingProxy();
    gatehouse = await startGatehouse({ dialect, env: { 'auth-server': { ORG_API_URL: proxy.url } } });
    proxy.target = gatehouse.baseUrl;
    replica = await startBeside(gatehouse, 'org-api');
  }, 180_000);
  afterAll(async () => {
    await replica?.stop();
    await gatehouse?.stop();
    await proxy?.stop();
  });

  const checkPassword = ([username, password]: [string, string] = administrator) =>
    call(`${gatehouse.authUrl}/clients`, { basic: [username, password] });
  /** Asks for the Robot by its name. */
  const lookUp = () => postClient(gatehouse, serviceAccountKind());

  /** The request to `path` that auth-server sends while `work` runs. */
  const capture = async (path: string, work: () => Promise<unknown>): Promise<RecordedRequest> => {
    proxy.recorded.length = 0;
    await work();
    const found = proxy.recorded.findLast((recorded) => recorded.path === path);
    if (found === undefined) throw new Error(`nothing was sent to ${path}`);
    return found;
  };
  /** The same, kept from arriving. */
  const intercept = async (path: string, work: () => Promise<unknown>): Promise<RecordedRequest> => {
    proxy.withheld = path;
    try {
      return await capture(path, work);
    } finally {
      proxy.withheld = undefined;
    }
  };
  const tokenOf = ({ headers }: RecordedRequest) => (headers.authorization ?? '').replace(/^Bearer /, '');

  describe.each([
    [passwordChecks, () => checkPassword()],
    [userQueries, () => lookUp()],
  ])('to %s', (path, work) => {
    test('is not done again, at the same replica or at another', async () => {
      const recorded = await capture(path, work);
      for (const url of [gatehouse.baseUrl, replica.url, gatehouse.baseUrl]) {
        const answer = await sendRecorded(url, recorded);
        const challenge = String(answer.headers['www-authenticate']);
        expect([answer.status, challenge]).toEqual([401, expect.stringContaining('invalid_token')]);
        expect(answer.text).not.toContain('@example.com');
      }
      const isLogged = async () => replica.output().includes('the service token was used before');
      expect(await waitFor(isLogged, Boolean)).toBe(true);
    });

    test('is done once where it comes to two replicas ten times at the same moment', async () => {
      const recorded = await intercept(path, work);
      const sent = atOnce(10, (index) => sendRecorded(index % 2 === 0 ? gatehouse.baseUrl : replica.url, recorded));
      const statuses = (await sent).map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(9).fill(401)]);
    });

    test('is refused with another body, if only by one byte, and nothing is used up by that', async () => {
      const recorded = await intercept(path, work);
      const text = recorded.body.toString();
      for (const body of [`${text} `, text.slice(1), text.replace('@', '%'), '{}', '']) {
        expect((await sendRecorded(replica.url, recorded, { body: Buffer.from(body) })).status).toBe(401);
      }
      expect((await sendRecorded(replica.url, recorded)).status).toBe(200);
    });

    test('is refused at another path, with a query, or by another method', async () => {
      const recorded = await intercept(path, work);
      const other = path === userQueries ? passwordChecks : userQueries;
      for (const changed of [other, `${path}?a=b`, path.replace('-', '%2D')]) {
        const answer = await sendRecorded(gatehouse.baseUrl, recorded, { path: changed });
        expect([changed, answer.status]).toEqual([changed, 401]);
      }
      expect((await sendRecorded(gatehouse.baseUrl, recorded, { method: 'PUT' })).status).toBe(405);
      expect((await sendRecorded(gatehouse.baseUrl, recorded)).status).toBe(200);
    });

    test('has a token of its own, for half a minute', async () => {
      const [one, other] = [await capture(path, work), await capture(path, work)].map(tokenOf) as [string, string];
      const { iat, exp, jti } = readClaims(one);
      expect(Number(exp) - Number(iat)).toBe(30);
      expect(jti).not.toBe(readClaims(other).jti);
    });
  });

  test('makes no guesses: 25 passwords sent with one token are all refused', async () => {
    const recorded = await intercept(passwordChecks, () => checkPassword([administrator[0], 'guess-0']));
    const guesses = Array.from({ length: 25 }, (_, index) => (index === 24 ? administrator[1] : `guess-${index + 1}`));
    for (const guess of guesses) {
      const body = Buffer.from(recorded.body.toString().replace('guess-0', guess));
      expect((await sendRecorded(gatehouse.baseUrl, recorded, { body })).status).toBe(401);
    }
    expect((await sendRecorded(replica.url, recorded)).json()).toMatchObject({ outcome: 'wrong' });
  });
});
