import { type Answer, call, createTestBrowser, type Gatehouse, type TestBrowser } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from '../support/authorization.ts';
import { type Credentials, passwordKind, redirectUri, registerClient } from '../support/clients.ts';
import { administrator, idpAdministrator, plainUser } from '../support/people.ts';
import { describeSharedGatehouse } from '../support/suite.ts';
import { isActive, postToken, type TokenResponse } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { decide, meanings, readHidden, readItems } from './support/consent-pages.ts';
import { askOrganization, measureRefusal, refusalDeadline } from './support/refusal.ts';
import { registerWith } from './support/registration.ts';

describeSharedGatehouse('consent', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let consentsUrl: string;
  beforeAll(() => {
    gatehouse = getGatehouse();
    consentsUrl = `${gatehouse.authUrl}/oauth/consents`;
  });

  const registerThirdParty = (metadata: Record<string, unknown> = {}) =>
    registerWith(gatehouse, { require_consent: true, ...metadata });

  function buildRequest([clientId]: Credentials, parameters: Record<string, string> = {}) {
    const { verifier, challenge } = createPkce();
    const url = buildAuthorizeUrl(gatehouse, {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'openid profile',
      state: 'the-state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    });
    return { url, verifier };
  }

  /** Signs in at a client that asks for no consent. */
  async function startSession(user: [string, string] = plainUser): Promise<TestBrowser> {
    const browser = createTestBrowser();
    const client = await registerClient(gatehouse, passwordKind());
    const answer = await signIn(buildRequest(client).url, user, browser);
    expect(getLocation(answer).searchParams.get('code')).toEqual(expect.any(String));
    return browser;
  }

  function expectAsked(page: Answer): void {
    expect([page.status, page.headers.location, page.text]).toEqual([
      200,
      undefined,
      expect.stringContaining('<h1>Allow access?</h1>'),
    ]);
  }

  const codeOf = (answer: Answer) => getLocation(answer).searchParams.get('code') ?? '';
  const errorOf = (answer: Answer) => getLocation(answer).searchParams.get('error');

  async function redeem(client: Credentials, code: string, verifier: string) {
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    return postToken(gatehouse, { basic: client, form });
  }

  /** Allows what the client asks for, at a browser that is signed in, and redeems the code. */
  async function allow(browser: TestBrowser, client: Credentials, parameters: Record<string, string> = {}) {
    const { url, verifier } = buildRequest(client, parameters);
    const page = await browser.get(url);
    expectAsked(page);
    const answer = await redeem(client, codeOf(await decide(browser, page, url, 'allow')), verifier);
    expect(answer.status).toBe(200);
    return answer.json() as unknown as TokenResponse;
  }

  /** The part of the page of consents that is about the client. */
  async function readEntry(browser: TestBrowser, clientName: string): Promise<Answer> {
    const page = await browser.get(consentsUrl);
    const entry = page.text.split('<li>').find((text) => text.includes(`>${clientName}</strong>`)) ?? '';
    return { ...page, text: entry };
  }

  /** Takes back what the client was allowed, by its form on the page. */
  async function takeBack(browser: TestBrowser, clientName: string): Promise<Answer> {
    const part = await readEntry(browser, clientName);
    const [formToken = ''] = readHidden(part, 'form_token');
    const [registration = ''] = readHidden(part, 'registration');
    expect([formToken, registration]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    return browser.post(consentsUrl, { form_token: formToken, registration });
  }

  test('the page names the application, the user and everything that is asked for', async () => {
    const scope = Object.keys(meanings);
    const client = await registerThirdParty({ client_name: 'Photo <b>Printer</b> & Söhne', scope });
    const { url } = buildRequest(client, { scope: scope.join(' ') });
    const page = await signIn(url);
    expectAsked(page);
    expect(readItems(page)).toEqual(Object.values(meanings));
    expect(page.text).toContain('Photo &lt;b&gt;Printer&lt;/b&gt; &amp; Söhne');
    expect(page.text).not.toContain('<b>');
    expect(page.text).toContain(`signed in as ${plainUser[0]}`);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  test('“do not allow” gives access_denied and nothing else, and the next request is asked again', async () => {
    const client = await registerThirdParty();
    const browser = await startSession();
    const { url } = buildRequest(client);
    const denied = getLocation(await decide(browser, await browser.get(url), url, 'deny'));
    expect(`${denied.origin}${denied.pathname}`).toBe(redirectUri);
    expect(Object.fromEntries(denied.searchParams)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'the-state',
      iss: gatehouse.authUrl,
    });
    expectAsked(await browser.get(url));
    expect((await browser.get(consentsUrl)).text).not.toContain(client[0]);
  });

  test('no decision, or one that is neither, counts as “do not allow”', async () => {
    const client = await registerThirdParty();
    const browser = await startSession();
    const { url } = buildRequest(client);
    for (const fields of [{}, { decision: 'maybe' }, { decision: 'ALLOW' }] as Record<string, string>[]) {
      expect(errorOf(await browser.submit(await browser.get(url), url, fields))).toBe('access_denied');
    }
  });

  test('“allow” gives a code; from then on nobody is asked, at this browser or at another', async () => {
    const client = await registerThirdParty();
    const browser = await startSession();
    const tokens = await allow(browser, client);
    expect(tokens.scope).toBe('openid profile');
    expect(await askOrganization(gatehouse, tokens.access_token)).toBe(200);

    expect(codeOf(await browser.get(buildRequest(client).url))).not.toBe('');
    expect(codeOf(await signIn(buildRequest(client).url))).not.toBe('');
    // Less than what was allowed is allowed.
    expect(codeOf(await browser.get(buildRequest(client, { scope: 'openid' }).url))).not.toBe('');
  });

  test('one user’s consent is no other’s', async () => {
    const client = await registerThirdParty();
    await allow(await startSession(), client);
    const other = await startSession(idpAdministrator);
    expectAsked(await other.get(buildRequest(client).url));
    expect((await other.get(consentsUrl)).text).not.toContain(client[0]);
  });

  test('more scope asks again, and adds to what was allowed', async () => {
    const client = await registerThirdParty();
    const browser = await startSession();
    await allow(browser, client, { scope: 'openid profile' });
    const { url } = buildRequest(client, { scope: 'openid email' });
    const page = await browser.get(url);
    expectAsked(page);
    expect(readItems(page)).toEqual([meanings.openid, meanings.email]);
    await decide(browser, page, url, 'allow');
    expect(codeOf(await browser.get(buildRequest(client, { scope: 'openid profile email' }).url))).not.toBe('');
    expectAsked(await browser.get(buildRequest(client, { scope: 'openid profile email roles' }).url));
  });

  test('prompt=none shows no page: login_required, consent_required, then a code', async () => {
    const client = await registerThirdParty();
    const { url } = buildRequest(client, { prompt: 'none' });
    expect(errorOf(await call(url))).toBe('login_required');
    const browser = await startSession();
    expect(errorOf(await browser.get(url))).toBe('consent_required');
    await allow(browser, client);
    expect(codeOf(await browser.get(url))).not.toBe('');
    const more = buildRequest(client, { prompt: 'none', scope: 'openid email' }).url;
    expect(errorOf(await browser.get(more))).toBe('consent_required');
  });

  test('prompt=consent asks again; “do not allow” then leaves what was allowed before', async () => {
    const client = await registerThirdParty();
    const browser = await startSession();
    await allow(browser, client);
    const { url } = buildRequest(client, { prompt: 'consent' });
    const page = await browser.get(url);
    expectAsked(page);
    expect(errorOf(await decide(browser, page, url, 'deny'))).toBe('access_denied');
    const again = await browser.get(url);
    expectAsked(again);
    expect(codeOf(await decide(browser, again, url, 'allow'))).not.toBe('');
  });

  test('prompt=login signs in first and asks then, once each', async () => {
    const client = await registerThirdParty();
    const browser = await startSession();
    const { url } = buildRequest(client, { prompt: 'login consent' });
    const page = await signIn(url, plainUser, browser);
    expectAsked(page);
    expect(codeOf(await decide(browser, page, url, 'allow'))).not.toBe('');
  });

  test('a client without require_consent is never asked about', async () => {
    const client = await registerWith(gatehouse, { require_consent: false });
    const browser = await startSession();
    for (const parameters of [{}, { prompt: 'consent' }] as Record<string, string>[]) {
      expect(codeOf(await browser.get(buildRequest(client, parameters).url))).not.toBe('');
    }
    expect((await browser.get(consentsUrl)).text).not.toContain(client[0]);
  });

  test('is asked for before anything leaves by the implicit flow, and by a pushed request', async () => {
    const client = await registerThirdParty({ authorized_grant_types: ['authorization_code', 'implicit'] });
    const browser = await startSession();
    const implicit = buildRequest(client, { response_type: 'id_token token', nonce: 'n' }).url;
    const page = await browser.get(implicit);
    expectAsked(page);
    const back = getLocation(await decide(browser, page, implicit, 'allow'));
    const fragment = new URLSearchParams(back.hash.slice(1));
    expect([fragment.get('access_token'), fragment.get('id_token')]).toEqual([expect.any(String), expect.any(String)]);

    const form = Object.fromEntries(new URL(buildRequest(client, { scope: 'openid email' }).url).searchParams);
    const pushed = await call(`${gatehouse.authUrl}/oauth/par`, { basic: client, form });
    const { request_uri: requestUri } = pushed.json() as { request_uri: string };
    const url = buildAuthorizeUrl(gatehouse, { client_id: client[0], request_uri: requestUri });
    const second = await browser.get(url);
    expectAsked(second);
    expect(codeOf(await decide(browser, second, url, 'allow'))).not.toBe('');
  });

  test('is asked for again where the client was deleted and another took its name', async () => {
    const fields = passwordKind();
    const client = await registerWith(gatehouse, { require_consent: true }, fields);
    const browser = await startSession();
    await allow(browser, client);
    const deleted = await call(`${gatehouse.authUrl}/clients/${client[0]}`, { method: 'DELETE', basic: administrator });
    expect(deleted.status).toBe(204);
    expect((await browser.get(consentsUrl)).text).not.toContain(client[0]);
    await registerWith(gatehouse, { require_consent: true }, fields);
    expectAsked(await browser.get(buildRequest(client).url));
  });

  describe('at /oauth/consents', () => {
    test('the user sees, by its name, each application and what it may do', async () => {
      const name = `Calendar & ${uniqueName('Friends')}`;
      const client = await registerThirdParty({ client_name: name });
      const browser = await startSession();
      await allow(browser, client, { scope: 'openid email' });
      const page = await browser.get(consentsUrl);
      expect(page.status).toBe(200);
      const entry = page.text.split('<li>').find((text) => text.includes(name.replace('&', '&amp;'))) ?? '';
      expect(entry).toContain(
        `may ${meanings.openid}; ${meanings.email} – since ${new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date())}`,
      );
      expect(page.headers['cache-control']).toBe('no-store');
    });

    test('nobody sees anything without a session', async () => {
      const answer = await call(consentsUrl);
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('You are not signed in here')]);
    });

    test('what is taken back ends at once: refresh token, access token, and the next request is asked', async () => {
      const client = await registerThirdParty();
      const [other, browser] = [await registerThirdParty(), await startSession()];
      const tokens = await allow(browser, client);
      const untouched = await allow(browser, other);
      const elsewhere = await allow(await startSession(idpAdministrator), client);
      expect(await askOrganization(gatehouse, tokens.access_token)).toBe(200);

      const start = performance.now();
      const answer = await takeBack(browser, client[0]);
      expect([answer.status, answer.headers.location]).toEqual([303, 'consents']);
      expect((await browser.get(consentsUrl)).text).not.toContain(`>${client[0]}<`);

      const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
      const refreshed = await postToken(gatehouse, { basic: client, form: refresh });
      expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
      expect(await isActive(gatehouse, client, tokens.access_token)).toBe(false);
      const elapsed = await measureRefusal(gatehouse, tokens.access_token, { start });
      process.stdout.write(`consent taken back → refused by org-api: ${elapsed} ms\n`);
      expect(elapsed).toBeLessThan(refusalDeadline);
      expectAsked(await browser.get(buildRequest(client).url));

      expect(await askOrganization(gatehouse, untouched.access_token)).toBe(200);
      expect(await isActive(gatehouse, client, elsewhere.access_token)).toBe(true);
      expect(codeOf(await browser.get(buildRequest(other).url))).not.toBe('');
    });

    test('what is taken back ends also where the client has no refresh token', async () => {
      const client = await registerThirdParty({ authorized_grant_types: ['authorization_code'] });
      const browser = await startSession();
      const tokens = await allow(browser, client);
      expect(tokens.refresh_token).toBeUndefined();
      expect(await askOrganization(gatehouse, tokens.access_token)).toBe(200);
      await takeBack(browser, client[0]);
      expect(await isActive(gatehouse, client, tokens.access_token)).toBe(false);
      expect(await measureRefusal(gatehouse, tokens.access_token)).toBeLessThan(refusalDeadline);
    });

    test('a code that was not redeemed yet is taken back as well', async () => {
      const client = await registerThirdParty();
      const browser = await startSession();
      await allow(browser, client);
      const { url, verifier } = buildRequest(client);
      const code = codeOf(await browser.get(url));
      await takeBack(browser, client[0]);
      const answer = await redeem(client, code, verifier);
      const token = answer.status === 200 ? String(answer.json().access_token) : '';
      expect(token === '' ? false : await isActive(gatehouse, client, token)).toBe(false);
    });

    test('a forged post takes nothing back', async () => {
      const client = await registerThirdParty();
      const [browser, stranger] = [await startSession(), await startSession(idpAdministrator)];
      await allow(browser, client);
      await allow(stranger, client);
      // The user has other consents: of the forgeries each names this one.
      const page = await readEntry(browser, client[0]);
      const [registration = ''] = readHidden(page, 'registration');
      expect(registration).not.toBe('');
      const foreign = readHidden(await stranger.get(consentsUrl), 'form_token')[0] ?? '';
      expect(foreign).toMatch(/^[\w-]{43}$/);
      const forgeries: Record<string, string>[] = [
        { registration },
        { registration, form_token: '' },
        { registration, form_token: foreign },
        { registration, form_token: 'A'.repeat(43) },
      ];
      for (const form of forgeries) expect((await browser.post(consentsUrl, form)).status).toBe(303);
      expect(codeOf(await browser.get(buildRequest(client).url))).not.toBe('');

      // A right token, and the cookies of nobody.
      const [own = ''] = readHidden(page, 'form_token');
      expect((await call(consentsUrl, { form: { registration, form_token: own } })).status).toBe(403);
      expect(codeOf(await browser.get(buildRequest(client).url))).not.toBe('');
    });

    test('a registration that is none is no failure', async () => {
      const browser = await startSession();
      await allow(browser, await registerThirdParty());
      const [formToken = ''] = readHidden(await browser.get(consentsUrl), 'form_token');
      for (const registration of ['', 'x', '00000000-0000-0000-0000-000000000000', "' OR 1=1 --"]) {
        const answer = await browser.post(consentsUrl, { form_token: formToken, registration });
        expect([registration, answer.status]).toEqual([registration, 303]);
      }
    });
  });

  test('a forged decision allows nothing', async () => {
    const client = await registerThirdParty();
    const [browser, stranger] = [await startSession(), await startSession(idpAdministrator)];
    const { url } = buildRequest(client);
    const consentUrl = `${gatehouse.authUrl}/oauth/consent`;
    const page = await browser.get(url);
    const [request = '', formToken = ''] = [readHidden(page, 'request')[0], readHidden(page, 'form_token')[0]].map(
      (value) => value?.replaceAll('&amp;', '&'),
    );
    const [foreign = ''] = readHidden(await stranger.get(url), 'form_token');
    const wider = request.replace('openid+profile', 'openid+profile+email');
    expect(wider).not.toBe(request);
    const forgeries: Record<string, string>[] = [
      { request },
      { request, form_token: foreign },
      { request, form_token: 'A'.repeat(43) },
      { request: wider, form_token: formToken },
      { request: '', form_token: formToken },
    ];
    for (const form of forgeries) {
      const answer = await browser.post(consentUrl, { ...form, decision: 'allow' });
      expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
    }
    const byNobody = await call(consentUrl, { form: { request, form_token: formToken, decision: 'allow' } });
    expect([byNobody.status, byNobody.headers.location]).toEqual([403, undefined]);
    expectAsked(await browser.get(url));
    expectAsked(await stranger.get(url));
    // The very same form, by the user it was made for.
    const decided = await browser.post(consentUrl, { request, form_token: formToken, decision: 'allow' });
    expect(codeOf(decided)).not.toBe('');
  });

  test('a user who was disabled meanwhile cannot decide any more', async () => {
    const client = await registerThirdParty();
    const browser = await startSession();
    const { url } = buildRequest(client);
    const page = await browser.get(url);
    await browser.submit(await browser.get(`${gatehouse.authUrl}/oauth/logout`), `${gatehouse.authUrl}/oauth/logout`);
    const answer = await decide(browser, page, url, 'allow');
    expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
  });
});
