import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { call, createTestBrowser, findFreePort, type Gatehouse, type TestBrowser } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { Credentials } from '../support/clients.ts';
import { administrator, plainUser } from '../support/people.ts';
import { elsewhere, waitsLong } from '../support/suite.ts';
import { getUserTokens, readClaims, readHeader } from '../support/tokens.ts';
import { waitFor } from '../support/wait.ts';
import { codeRequest, isSignInPage, obtainTokens, open } from './authorization-request.ts';
import { describeStandard, type Registration, register } from './realm.ts';

const afterwards = 'https://app.example.com/signed-out';
const backChannelEvent = 'http://schemas.openid.net/event/backchannel-logout';

interface Received {
  contentType: string | undefined;
  form: URLSearchParams;
}

/** The back channel of a client. */
async function listen(port: number) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    received.push({ contentType: request.headers['content-type'], form });
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    received,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describeStandard(
  'OpenID Connect logout',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    let app: Credentials;
    let logout: string;

    beforeAll(async () => {
      gatehouse = getGatehouse();
      logout = `${gatehouse.authUrl}/oauth/logout`;
      app = await register(gatehouse, { post_logout_redirect_uris: [afterwards, `${afterwards}?from=gatehouse`] });
    });

    // The next try comes half a minute later: all other tests run meanwhile.
    let absent: ReturnType<typeof signOutOfAbsentClient>;
    beforeAll(() => {
      if (!waitsLong) return;
      absent = signOutOfAbsentClient();
      // It fails the test that awaits it.
      absent.catch(() => {});
    });
    /** A client that was not there when it was to be told of a logout, and has been there since. */
    const signOutOfAbsentClient = async () => {
      const port = await findFreePort();
      const client = await register(gatehouse, { backchannel_logout_uri: `http://127.0.0.1:${port}/logout` });
      const { browser, idToken } = await start(client);
      await browser.get(urlWith({ id_token_hint: idToken }));
      const failure = 'a client could not be told of a logout';
      await waitFor(
        async () => gatehouse.output(),
        (output) => output.includes(failure),
      );
      return { client, idToken, receiver: await listen(port) };
    };

    const isSignedIn = async (browser: TestBrowser) =>
      !isSignInPage(await open(gatehouse, codeRequest(app[0]).parameters, browser));
    const start = async (client = app) => {
      const browser = createTestBrowser();
      const { id_token = '' } = await obtainTokens(gatehouse, client, {}, browser);
      return { browser, idToken: id_token };
    };
    const urlWith = (parameters: Record<string, string>) => `${logout}?${new URLSearchParams(parameters)}`;
    const expectRefused = async (browser: TestBrowser, parameters: Record<string, string>) => {
      const { status, headers } = await browser.get(urlWith(parameters));
      expect({ status, location: headers.location }).toEqual({ status: 400 });
      expect(await isSignedIn(browser)).toBe(true);
    };

    it('RP-Initiated Logout 2: by GET with id_token_hint the session ends', async () => {
      const { browser, idToken } = await start();
      expect((await browser.get(urlWith({ id_token_hint: idToken }))).status).toBe(200);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('RP-Initiated Logout 2: by POST with id_token_hint the session ends', async () => {
      const { browser, idToken } = await start();
      // A browser sends no SameSite=Lax cookie with a form that another site posts, but with the redirect that follows.
      const posted = await call(logout, { form: { id_token_hint: idToken } });
      expect(posted.status).toBe(303);
      await browser.get(new URL(String(posted.headers.location), logout).href);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('RP-Initiated Logout 2: without id_token_hint the user is asked', async () => {
      const { browser } = await start();
      const page = await browser.get(logout);
      expect(page.status).toBe(200);
      expect(await isSignedIn(browser)).toBe(true);
      expect((await browser.submit(page, logout)).status).toBe(200);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('RP-Initiated Logout 2: with the id_token_hint of another user the user is asked', async () => {
      const { browser } = await start();
      const { id_token = '' } = await getUserTokens(gatehouse, app, administrator);
      expect((await browser.get(urlWith({ id_token_hint: id_token }))).text).toContain('action="logout"');
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('RP-Initiated Logout 2: with an id_token_hint of the same user from elsewhere the user is asked', async () => {
      const { browser, idToken } = await start();
      const { id_token: withoutSid = '' } = await getUserTokens(gatehouse, app, plainUser);
      const { idToken: ofAnotherSession } = await start();
      expect([readClaims(withoutSid).sid, readClaims(ofAnotherSession).sub]).toEqual([
        undefined,
        readClaims(idToken).sub,
      ]);
      for (const id_token_hint of [withoutSid, ofAnotherSession]) {
        const page = await browser.get(urlWith({ id_token_hint }));
        expect([page.status, page.text]).toEqual([200, expect.stringContaining('action="logout"')]);
        expect(await isSignedIn(browser)).toBe(true);
      }
    });

    it('RP-Initiated Logout 2: an id_token_hint that this server did not issue is refused', async () => {
      const { browser, idToken } = await start();
      await expectRefused(browser, { id_token_hint: `${idToken.slice(0, -8)}AAAAAAAA` });
    });

    it('RP-Initiated Logout 2: a client_id other than the one of id_token_hint is refused', async () => {
      const [otherId] = await register(gatehouse);
      const { browser, idToken } = await start();
      await expectRefused(browser, { id_token_hint: idToken, client_id: otherId });
    });

    it('RP-Initiated Logout 3: the browser goes to the registered address, with the state', async () => {
      const { browser, idToken } = await start();
      const state = 'ä b&c';
      const url = urlWith({ id_token_hint: idToken, post_logout_redirect_uri: afterwards, state });
      const { status, headers } = await browser.get(url);
      const location = new URL(String(headers.location));
      expect({ status, target: location.origin + location.pathname }).toEqual({ status: 303, target: afterwards });
      expect(Object.fromEntries(location.searchParams)).toEqual({ state });
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('RP-Initiated Logout 3: the query of the address is kept', async () => {
      const { browser, idToken } = await start();
      const post_logout_redirect_uri = `${afterwards}?from=gatehouse`;
      const { headers } = await browser.get(urlWith({ id_token_hint: idToken, post_logout_redirect_uri, state: 's' }));
      expect(headers.location).toBe(`${afterwards}?from=gatehouse&state=s`);
    });

    it('RP-Initiated Logout 3: an address that is not registered is not gone to', async () => {
      const { browser, idToken } = await start();
      for (const post_logout_redirect_uri of ['https://attacker.example/', `${afterwards}/`, `${afterwards}?a=b`]) {
        await expectRefused(browser, { id_token_hint: idToken, post_logout_redirect_uri });
      }
    });

    it('RP-Initiated Logout 3: without knowing the client no address is gone to', async () => {
      const { browser } = await start();
      await expectRefused(browser, { post_logout_redirect_uri: afterwards });
    });

    it('RP-Initiated Logout 3: the question comes before the redirect', async () => {
      const { browser } = await start();
      const url = urlWith({ client_id: app[0], post_logout_redirect_uri: afterwards, state: 's' });
      const page = await browser.get(url);
      expect({ status: page.status, location: page.headers.location }).toEqual({ status: 200 });
      const { headers } = await browser.submit(page, url);
      expect(headers.location).toBe(`${afterwards}?state=s`);
    });

    it('RP-Initiated Logout 6: a sign-out that another site posts is not done', async () => {
      const { browser } = await start();
      const attackers = await createTestBrowser().get(logout);
      await browser.submit(attackers, logout);
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('Back-Channel Logout 2.1: the metadata says that it is supported', async () => {
      const metadata = (await call(`${gatehouse.authUrl}/.well-known/openid-configuration`)).json();
      expect(metadata).toMatchObject({
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
      });
    });

    /** Signs in and out of a client, and gives what its back channel is sent first. */
    const receiveLogout = async (metadata: Registration = {}) => {
      const port = await findFreePort();
      const receiver = await listen(port);
      const uri = { backchannel_logout_uri: `http://127.0.0.1:${port}/logout` };
      const client = await register(gatehouse, { ...uri, ...metadata });
      const { browser, idToken } = await start(client);
      await browser.get(urlWith({ id_token_hint: idToken }));
      const [received] = await waitFor(
        async () => receiver.received,
        ({ length }) => length > 0,
      );
      await receiver.stop();
      const { contentType, form } = received ?? {};
      return { client, idToken, contentType, logoutToken: form?.get('logout_token') ?? '' };
    };

    it('Back-Channel Logout 2.4: the logout token has typ, claims, event and sid, and no nonce', async () => {
      const { client, idToken, contentType, logoutToken } = await receiveLogout();
      expect(contentType).toMatch(/^application\/x-www-form-urlencoded/);
      const keys = createRemoteJWKSet(new URL(`${gatehouse.authUrl}/oauth/jwks`));
      const { payload, protectedHeader } = await jwtVerify(logoutToken, keys, {
        issuer: gatehouse.authUrl,
        audience: client[0],
        typ: 'logout+jwt',
        requiredClaims: ['iat', 'exp', 'jti', 'events'],
      });
      const { sub, sid } = readClaims(idToken);
      expect(payload).toMatchObject({ sub, sid, events: { [backChannelEvent]: {} } });
      expect(payload).not.toHaveProperty('nonce');
      expect(Number(payload.exp) - Number(payload.iat)).toBeLessThanOrEqual(120);
      expect(protectedHeader.alg).toBe('RS256');
    });

    it('Back-Channel Logout 2.6: the logout token is signed as the client’s ID tokens are', async () => {
      const { idToken, logoutToken } = await receiveLogout({ id_token_signed_response_alg: 'ES256' });
      expect(readHeader(logoutToken).alg).toBe(readHeader(idToken).alg);
    });

    it('Back-Channel Logout 2.3: every client of the session is told, and no client of another', async () => {
      const port = await findFreePort();
      const receiver = await listen(port);
      const uri = { backchannel_logout_uri: `http://127.0.0.1:${port}/logout` };
      const [first, second, elsewhere] = await Promise.all([1, 2, 3].map(() => register(gatehouse, uri)));
      const { browser, idToken } = await start(first);
      await open(gatehouse, codeRequest(second?.[0] ?? '').parameters, browser);
      await start(elsewhere);
      await browser.get(urlWith({ id_token_hint: idToken }));
      await waitFor(
        async () => receiver.received,
        ({ length }) => length >= 2,
      );
      await receiver.stop();
      const told = receiver.received.map(({ form }) => readClaims(form.get('logout_token') ?? '').aud);
      expect(told.sort()).toEqual([first?.[0], second?.[0]].sort());
    });

    it('Back-Channel Logout 2.7: refresh tokens of the session end with it', async () => {
      const browser = createTestBrowser();
      const { id_token = '', refresh_token = '' } = await obtainTokens(gatehouse, app, {}, browser);
      await browser.get(urlWith({ id_token_hint: id_token }));
      const form = { grant_type: 'refresh_token', refresh_token };
      expect((await call(`${gatehouse.authUrl}/oauth/token`, { basic: app, form })).status).toBe(400);
    });

    const itAfterLong = waitsLong ? it : elsewhere;
    itAfterLong(
      'Back-Channel Logout 2.8: a client that was not there when it was to be told is told later',
      async () => {
        const { client, idToken, receiver } = await absent;
        await waitFor(
          async () => receiver.received,
          ({ length }) => length > 0,
          50_000,
        );
        await receiver.stop();
        const tokens = receiver.received.map(({ form }) => readClaims(form.get('logout_token') ?? ''));
        expect(tokens).toEqual([expect.objectContaining({ aud: client[0], sid: readClaims(idToken).sid })]);
        expect(Number(tokens[0]?.exp)).toBeGreaterThan(Date.now() / 1000);
      },
      75_000,
    );
    // Of its own: it reads what auth-server writes.
  },
  {},
);
