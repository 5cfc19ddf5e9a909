import {
  type Answer,
  assertionType,
  call,
  createClientKey,
  createTestBrowser,
  type Gatehouse,
} from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { buildAuthorizeUrl } from '../support/authorization.ts';
import { type Credentials, redirectUri } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
import { codeRequest, isSignInPage, obtainCode, open, readRedirect, redeem, signIn } from './authorization-request.ts';
import { describeStandard, publicKind, register } from './realm.ts';

describeStandard('RFC 9126, pushed authorization requests', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let other: Credentials;
  let url: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    url = `${gatehouse.authUrl}/oauth/par`;
    [app, other] = await Promise.all([register(gatehouse), register(gatehouse)]);
  });
  const push = (client: Credentials, changes: Record<string, string | undefined> = {}): Promise<Answer> =>
    call(url, { basic: client, form: codeRequest(client[0], changes).parameters });
  const pushed = async (client: Credentials = app, changes: Record<string, string | undefined> = {}) => {
    const answer = await push(client, changes);
    expect(answer.status).toBe(201);
    return answer.json<{ request_uri: string; expires_in: number }>();
  };
  const errorOf = async (client: Credentials, changes: Record<string, string | undefined>) => {
    const { status, json } = await push(client, changes);
    return { status, error: json().error };
  };
  const expectShownToUser = async (parameters: Record<string, string>) => {
    const { status, headers } = await open(gatehouse, parameters);
    expect({ status, location: headers.location }).toEqual({ status: 400, location: undefined });
  };

  it('RFC 9126 2: the endpoint takes a form by POST', async () => {
    expect((await push(app)).status).toBe(201);
  });

  it('RFC 9126 2: the client authenticates as at the token endpoint', async () => {
    const { parameters } = codeRequest(app[0]);
    const refused = await call(url, { basic: [app[0], 'wrong'], form: parameters });
    expect({ status: refused.status, error: refused.json().error }).toEqual({ status: 401, error: 'invalid_client' });
    expect((await call(url, { form: parameters })).status).toBe(401);
    expect((await call(url, { form: { ...parameters, client_secret: app[1] } })).status).toBe(201);
  });

  it('RFC 9126 7.2: a public client pushes 300 requests a minute from one network, at all replicas together', async () => {
    const pushMany = async () => {
      const [clientId] = await register(gatehouse, publicKind);
      const { parameters } = codeRequest(clientId);
      const answers: Answer[] = [];
      while (answers.length < 320) {
        answers.push(...(await Promise.all(Array.from({ length: 20 }, () => call(url, { form: parameters })))));
      }
      return answers;
    };
    // All of them in one minute of the clock: another client tries where it ended on the way.
    const minute = () => Math.floor(Date.now() / 60_000);
    let startedIn = minute();
    let answers = await pushMany();
    if (minute() !== startedIn) {
      startedIn = minute();
      answers = await pushMany();
    }
    expect(minute()).toBe(startedIn);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(300);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(20);
    expect(refused[0]?.json().error).toBe('temporarily_unavailable');
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
  }, 90_000);

  it('RFC 9126 2: an assertion may name the issuer, the token endpoint or this endpoint as its audience', async () => {
    const key = createClientKey();
    const [clientId] = await register(gatehouse, {
      client_secret: undefined,
      authorized_grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [key.jwk] },
    });
    for (const audience of [gatehouse.authUrl, `${gatehouse.authUrl}/oauth/token`, url]) {
      const client_assertion = key.assertion(clientId, audience);
      const form = {
        ...codeRequest(clientId).parameters,
        client_assertion_type: assertionType,
        client_assertion,
      };
      expect((await call(url, { form })).status).toBe(201);
    }
  });

  it('RFC 9126 2: a public client names itself by client_id', async () => {
    const spa = await register(gatehouse, publicKind);
    expect((await call(url, { form: codeRequest(spa[0]).parameters })).status).toBe(201);
  });

  it('RFC 9126 2.1: request_uri cannot be pushed', async () => {
    const { request_uri } = await pushed();
    expect(await errorOf(app, { request_uri })).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 9126 2.1: the request is checked as at the authorization endpoint', async () => {
    expect(await errorOf(app, { redirect_uri: 'https://attacker.example/' })).toEqual({
      status: 400,
      error: 'invalid_request',
    });
    expect(await errorOf(app, { scope: 'nonsense' })).toEqual({ status: 400, error: 'invalid_scope' });
    expect(await errorOf(app, { response_type: 'nonsense' })).toEqual({
      status: 400,
      error: 'unsupported_response_type',
    });
    expect(await errorOf(app, { code_challenge_method: 'plain' })).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 9126 2.1: a client_id other than the authenticated client’s is refused', async () => {
    expect(await errorOf(app, { client_id: other[0] })).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 9126 2.2: the answer is 201 with a request_uri that cannot be guessed, and its lifetime', async () => {
    const { status, headers, json } = await push(app);
    expect(status).toBe(201);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toMatch(/no-store/);
    const { request_uri, expires_in } = json();
    expect(request_uri).toMatch(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{43}$/);
    expect(expires_in).toBeGreaterThanOrEqual(5);
    expect(expires_in).toBeLessThanOrEqual(600);
  });

  it('RFC 9126 2.3: a parameter sent twice is invalid_request', async () => {
    const form: [string, string][] = [...Object.entries(codeRequest(app[0]).parameters), ['state', 'another']];
    const { status, json } = await call(url, { basic: app, form });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 9126 2.3: another method than POST is 405', async () => {
    expect((await call(url)).status).toBe(405);
  });

  it('RFC 9126 2.3: a request that is too large is 413', async () => {
    expect((await push(app, { state: 'x'.repeat(70_000) })).status).toBe(413);
  });

  it('RFC 9126 4: the browser comes with client_id and request_uri, and the rest is as it was pushed', async () => {
    const { parameters, verifier } = codeRequest(app[0], { state: 'pushed-state' });
    const { request_uri } = (await call(url, { basic: app, form: parameters })).json<{ request_uri: string }>();
    const { target, query } = readRedirect(await signIn(gatehouse, { client_id: app[0], request_uri }));
    expect({ target, state: query.state }).toEqual({ target: redirectUri, state: 'pushed-state' });
    const form = { grant_type: 'authorization_code', code: query.code ?? '', redirect_uri: redirectUri };
    expect((await redeem(gatehouse, app, { ...form, code_verifier: verifier })).status).toBe(200);
  });

  it('RFC 9126 4: parameters beside request_uri do not change what was pushed', async () => {
    const { request_uri } = await pushed(app, { state: 'pushed-state', scope: 'openid' });
    const changes = { state: 'changed', scope: 'openid email', redirect_uri: 'https://attacker.example/' };
    const { target, query } = readRedirect(await signIn(gatehouse, { client_id: app[0], request_uri, ...changes }));
    expect({ target, state: query.state }).toEqual({ target: redirectUri, state: 'pushed-state' });
  });

  it('RFC 9126 4: a request_uri serves one sign-in; until then its page may be loaded again', async () => {
    const { request_uri } = await pushed();
    const parameters = { client_id: app[0], request_uri };
    for (let loads = 0; loads < 2; loads += 1) expect(isSignInPage(await open(gatehouse, parameters))).toBe(true);
    expect(readRedirect(await signIn(gatehouse, parameters)).query.code).toEqual(expect.any(String));
    await expectShownToUser(parameters);
  });

  it('RFC 9126 4: of two pages of one request_uri, the one that is sent later gives nothing', async () => {
    const { request_uri } = await pushed();
    const parameters = { client_id: app[0], request_uri };
    const [username, password] = plainUser;
    const browsers = [createTestBrowser(), createTestBrowser()];
    const pages = await Promise.all(browsers.map((browser) => open(gatehouse, parameters, browser)));
    const sent = browsers.map((browser, index) =>
      browser.submit(pages[index] as Answer, buildAuthorizeUrl(gatehouse, parameters), { username, password }),
    );
    const answers = (await Promise.all(sent)).map((answer) => readRedirect(answer).query);
    expect(answers.filter(({ code }) => code !== undefined)).toHaveLength(1);
    expect(answers.map(({ error }) => error).sort()).toEqual(['invalid_request_uri', undefined]);
  });

  it('RFC 9126 4: a request_uri is bound to the client that pushed it', async () => {
    const { request_uri } = await pushed();
    await expectShownToUser({ client_id: other[0], request_uri });
    expect(isSignInPage(await open(gatehouse, { client_id: app[0], request_uri }))).toBe(true);
  });

  it('RFC 9126 4: client_id stands beside request_uri', async () => {
    const { request_uri } = await pushed();
    await expectShownToUser({ request_uri });
  });

  it('RFC 9126 7.1: an invented request_uri is refused and not redirected', async () => {
    const request_uri = `urn:ietf:params:oauth:request_uri:${'a'.repeat(43)}`;
    await expectShownToUser({ client_id: app[0], request_uri, redirect_uri: redirectUri });
  });

  it('RFC 9126 7.2: a pushed redirect_uri must be registered, also for a client that authenticated', async () => {
    expect((await push(app, { redirect_uri: `${redirectUri}/deeper` })).status).toBe(400);
  });

  it('RFC 9126 5: the metadata names the endpoint', async () => {
    const metadata = (await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      pushed_authorization_request_endpoint: url,
      require_pushed_authorization_requests: false,
    });
  });

  it('RFC 9126 6: a client registered to push may do nothing else', async () => {
    const pushing = await register(gatehouse, { require_pushed_authorization_requests: true });
    const { query } = readRedirect(await open(gatehouse, codeRequest(pushing[0]).parameters));
    expect(query.error).toBe('invalid_request');
    const { request_uri } = await pushed(pushing);
    const parameters = { client_id: pushing[0], request_uri };
    expect(readRedirect(await signIn(gatehouse, parameters)).query.code).toEqual(expect.any(String));
  });

  it('RFC 9126 2: without being pushed, requests of other clients go on', async () => {
    const { code } = await obtainCode(gatehouse, app);
    expect(code).not.toBe('');
  });
});
