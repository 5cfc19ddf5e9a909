import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import { type Credentials, passwordKind, registerClient } from './support/clients.ts';
import { accessTokenType, exchangerKind, tokenExchange } from './support/exchanges.ts';
import { administrator, plainUser } from './support/people.ts';
import { getTokens, isActive, postToken, readClaims, type TokenResponse } from './support/tokens.ts';
import { describeTwoReplicas } from './support/two-replicas.ts';
import { getUserDetails } from './support/users.ts';
import { atOnce, waitFor } from './support/wait.ts';

describeTwoReplicas('token exchange at two replicas of auth-server', (at) => {
  let gatehouse: Gatehouse;
  let observer: Credentials;
  beforeAll(async () => {
    gatehouse = at(0);
    observer = await registerClient(gatehouse, passwordKind());
  });

  interface Scene {
    app: Credentials;
    api: Credentials;
    tokens: TokenResponse;
  }

  /** A subject token for org-api, in whose grant is all that org-api has. */
  const prepare = async (form: Record<string, string> = {}): Promise<Scene> => {
    const app = await registerClient(gatehouse, {
      ...passwordKind({ authorized_grant_types: ['password', 'refresh_token', 'client_credentials'] }),
      redirect_uri: undefined as never,
    });
    const api = await registerClient(gatehouse, exchangerKind([app], [gatehouse.baseUrl], []));
    const [username, password] = plainUser;
    const tokens = await getTokens(gatehouse, app, { grant_type: 'password', username, password, ...form });
    return { app, api, tokens };
  };
  const machine = { grant_type: 'client_credentials' };
  const exchange = (index: number, { api, tokens }: Scene) =>
    postToken(at(index), {
      basic: api,
      form: {
        grant_type: tokenExchange,
        subject_token: tokens.access_token,
        subject_token_type: accessTokenType,
        scope: 'profile',
      },
    });
  const revoke = (index: number, basic: Credentials, token = '') =>
    call(`${at(index).authUrl}/oauth/revoke`, { basic, form: { token } });
  const remove = (index: number, [id]: Credentials) =>
    call(`${at(index).authUrl}/clients/${id}`, { basic: administrator, method: 'DELETE' });

  const ends: [string, Record<string, string>, (index: number, scene: Scene) => Promise<{ status: number }>][] = [
    ['the grant', {}, (index, { app, tokens }) => revoke(index, app, tokens.refresh_token)],
    ['the token of a client for itself', machine, (index, { app, tokens }) => revoke(index, app, tokens.access_token)],
    ['the client of the subject token', {}, (index, { app }) => remove(index, app)],
    ['the client that exchanges', {}, (index, { api }) => remove(index, api)],
  ];
  const rounds = ends.flatMap(([what, form, end]) => [1, 2, 3, 4].map((round) => [what, round, form, end] as const));

  test.each(rounds)(
    '%s ends at one replica while it is exchanged at both: no token is left (round %d)',
    async (...row) => {
      const [, round, form, end] = row;
      const scene = await prepare(form);
      const exchanging = atOnce(12, (index) => exchange(index, scene));
      const ending = (async () => {
        // In the middle of them, more or less.
        await new Promise((resolve) => setTimeout(resolve, round * 4));
        return end(round, scene);
      })();
      const [answers, ended] = await Promise.all([exchanging, ending]);
      expect([200, 204]).toContain(ended.status);
      const refusals = answers.filter(({ status }) => status !== 200).map((answer) => answer.json().error);
      for (const error of refusals) expect(['invalid_request', 'invalid_client']).toContain(error);
      const issued = answers
        .filter(({ status }) => status === 200)
        .map((answer) => answer.json<TokenResponse & Record<string, unknown>>().access_token);
      const states = await waitFor(
        async () =>
          Promise.all(issued.flatMap((token) => [isActive(at(0), observer, token), isActive(at(1), observer, token)])),
        (each) => !each.includes(true),
        1_500,
      );
      expect(states).not.toContain(true);
      // org-api looks at the status list alone.
      if (form !== machine) {
        for (const token of issued) {
          const last = await waitFor(
            async () => (await getUserDetails(gatehouse, plainUser[0], token)).status,
            (status) => status === 401,
            3_000,
          );
          expect(last).toBe(401);
        }
      }
    },
  );

  test('two hundred exchanges of one token end with one revocation', async () => {
    const scene = await prepare();
    const issued: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      const answers = await atOnce(20, (index) => exchange(index, scene));
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        issued.push(answer.json<TokenResponse & Record<string, unknown>>().access_token);
      }
    }
    expect(new Set(issued.map((token) => JSON.stringify(readClaims(token).status))).size).toBe(issued.length);
    expect((await revoke(0, scene.app, scene.tokens.refresh_token)).status).toBe(200);
    const states = await Promise.all(issued.map((token, index) => isActive(at(index), observer, token)));
    expect(states).not.toContain(true);
  });
});
