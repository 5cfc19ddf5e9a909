import { createHash } from 'node:crypto';
import { emblem } from '@gatehouse/service-kit/html';
import { type Answer, createTestBrowser, readHiddenFields } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { languageTags } from '../../src/pages/messages/language-tags.ts';
import { languages } from '../../src/pages/messages/languages.ts';
import { authorizePath, codeRequest, readRedirect, signIn, userForm } from '../support/browser.ts';
import { interruptNext } from '../support/interruption.ts';
import { administrator, callback, encodeForm, type Realm, startRealm, webClient } from '../support/realm.ts';

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('pages', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
    await realm.register({ ...webClient, ...{ client_name: 'The <Web>' } });
    await realm.register({
      ...webClient,
      client_id: 'third-party',
      authorized_grant_types: ['authorization_code'],
      ...{
        require_consent: true,
        client_uri: 'https://third.example.com/',
        policy_uri: 'https://third.example.com/privacy',
        tos_uri: 'https://third.example.com/terms',
      },
    });
  });
  afterAll(() => realm.close());

  const send = (path: string, headers: Record<string, string> = {}) => realm.send(path, { headers });
  const expectPage = (answer: Answer, status: number, language = 'en') => {
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.text).toContain(`<html lang="${language}">`);
  };
  const thirdParty = { ...codeRequest, client_id: 'third-party' };

  describe('GET /', () => {
    it('says what this is, with links to the API reference, discovery and the page of consents', async () => {
      const answer = await send('/', { accept: browserAccept });
      expectPage(answer, 200);
      for (const path of ['/docs', '/.well-known/openid-configuration', '/oauth/consents']) {
        expect(answer.text).toContain(`<a href="${path}">`);
        expect((await send(path)).status).not.toBe(404);
      }
    });

    it('is a page for who takes both a page and JSON', async () => {
      expectPage(await send('/', { accept: 'application/json, text/html' }), 200);
    });

    it('is JSON for Accept: application/json', async () => {
      const answer = await send('/', { accept: 'application/json' });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(answer.headers.vary).toBe('Accept, Accept-Language');
      const { authUrl: issuer } = realm;
      expect(answer.json()).toEqual({
        issuer,
        realm: 'main',
        discovery: `${issuer}/.well-known/openid-configuration`,
        documentation: `${issuer}/docs`,
        openapi: `${issuer}/openapi.json`,
        consents: `${issuer}/oauth/consents`,
      });
    });
  });

  describe('dead ends have a way on', () => {
    it.each(['/oauth/sign-in', '/oauth/consent'])('GET %s, the address of a form, is a page', async (path) => {
      const answer = await send(path);
      expectPage(answer, 200);
      expect(answer.text).toContain('<h1>Start from the application</h1>');
      expect(answer.text).toContain('<a href="/">Start page</a>');
    });

    it('a path that does not exist is a page for a browser, and a problem document for others', async () => {
      const page = await send('/nowhere', { accept: browserAccept });
      expectPage(page, 404);
      const { nothingTitle, nothing, nothingAdvice } = languages.en?.error ?? {};
      for (const text of [nothingTitle, nothing, nothingAdvice, '<a href="/">Start page</a>']) {
        expect(page.text).toContain(text);
      }
      const problem = await send('/nowhere', { accept: '*/*' });
      expect([problem.status, problem.headers['content-type']]).toEqual([404, 'application/problem+json']);
    });

    it('the page of a redirect_uri that is not registered shows the address that came as text, and the client_id', async () => {
      const redirect_uri = 'https://evil.example.com/"><b>\u202e';
      const answer = await send(authorizePath({ ...codeRequest, redirect_uri }));
      expectPage(answer, 400);
      expect(answer.text).toContain('<dd><code>https://evil.example.com/&quot;&gt;&lt;b&gt;%E2%80%AE</code></dd>');
      expect(answer.text).toContain('<dt>client_id</dt><dd><code>web</code></dd>');
      expect(answer.text).not.toContain('href="https://evil');
    });

    it('a long address is cut', async () => {
      const answer = await send(
        authorizePath({ ...codeRequest, redirect_uri: `https://x.example/${'\u{1f511}'.repeat(400)}` }),
      );
      expectPage(answer, 400);
      expect(answer.text).toMatch(/<code>https:\/\/x\.example\/[%0-9A-F]{494}\.\.\.<\/code>/);
    });

    it('an address of 512 characters is not cut', async () => {
      const redirect_uri = 'https://x.example/'.padEnd(512, 'x');
      expect((await send(authorizePath({ ...codeRequest, redirect_uri }))).text).toContain(
        `<code>${redirect_uri}</code>`,
      );
    });

    it('what is wrong is marked with its language, and what came is listed where it helps alone', async () => {
      const alarmOf = async (path: string) => {
        const { text } = await send(path, { 'accept-language': 'de' });
        return [/role="alert" lang="(\w+)"/.exec(text)?.[1], text.includes('<dl>')];
      };
      expect(await alarmOf('/oauth/logout?id_token_hint=x')).toEqual(['de', false]);
      expect(await alarmOf(authorizePath({ ...codeRequest, client_id: 'nobody' }))).toEqual(['de', true]);
    });
  });

  describe('cancelling the sign-in', () => {
    const cancel = { decision: 'cancel', username: '', password: '' };
    const denied = { error: 'access_denied', error_description: 'the user cancelled the sign-in' };

    it('goes back to the application with access_denied, state and iss', async () => {
      const answer = await signIn(realm, { ...codeRequest, state: 's 1' }, { user: cancel });
      expect(answer.status).toBe(303);
      const { target, parameters } = readRedirect(answer);
      expect([target, parameters]).toEqual([callback, { ...denied, state: 's 1', iss: realm.authUrl }]);
    });

    it('checks no password, and signs nobody in', async () => {
      const browser = createTestBrowser();
      const answer = await signIn(realm, codeRequest, { browser, user: { ...userForm, decision: 'cancel' } });
      expect(readRedirect(answer).parameters).toMatchObject(denied);
      expect(browser.cookies()).not.toHaveProperty('gatehouse-session');
    });

    it('also works from a page that was open for too long', async () => {
      const url = realm.url + authorizePath(codeRequest);
      const page = await createTestBrowser().get(url);
      // Another browser: its token does not fit.
      const answer = await createTestBrowser().submit(page, url, cancel);
      expect([answer.status, readRedirect(answer).parameters]).toEqual([303, { ...denied, iss: realm.authUrl }]);
    });

    it('goes nowhere where no application may be answered', async () => {
      const form = { ...cancel, request: 'client_id=web&redirect_uri=https://evil.example.com/' };
      const answer = await realm.send('/oauth/sign-in', { form });
      expectPage(answer, 400);
      expect(answer.headers).not.toHaveProperty('location');
    });
  });

  describe('the page of consent', () => {
    it('names the host that gets the answer, and links to what the application says of itself', async () => {
      const { text } = await signIn(realm, thirdParty);
      expect(text).toContain('<strong>app.example.com</strong>');
      for (const path of ['', 'privacy', 'terms'])
        expect(text).toContain(`<a href="https://third.example.com/${path}">`);
    });

    it('lets somebody else sign in, who is asked then', async () => {
      const browser = createTestBrowser();
      const page = await signIn(realm, thirdParty, { browser });
      const url = `${realm.url}/oauth/consent`;
      const signInPage = await browser.submit(page, url, { decision: 'other_user' });
      expectPage(signInPage, 200);
      expect(signInPage.text).toContain('name="password"');
      const [username, password] = administrator;
      const asked = await browser.submit(signInPage, url, { username, password });
      expect(asked.text).toContain(`You are signed in as ${username}.`);
      expect(readRedirect(await browser.submit(asked, url, { decision: 'allow' })).parameters).toHaveProperty('code');
    });
  });

  describe('the language', () => {
    it.each(languageTags)('%s is that of the whole way from sign-in to consent', async (tag) => {
      const messages = languages[tag];
      const browser = createTestBrowser();
      const url = realm.url + authorizePath({ ...thirdParty, ui_locales: tag, prompt: 'login consent' });
      const first = await browser.get(url);
      expectPage(first, 200, tag);
      expect(first.text).toContain(
        `<label for="username">${messages?.signIn.username.replaceAll("'", '&#39;')}</label>`,
      );
      const consent = await browser.submit(first, url, userForm);
      expectPage(consent, 200, tag);
      expect(consent.text).toContain(messages?.scopes.openid);
    });

    it('is of Accept-Language where ui_locales names none that pages speak', async () => {
      const headers = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };
      expectPage(await send(authorizePath({ ...codeRequest, ui_locales: 'sv tlh' }), headers), 200, 'de');
      expectPage(await send(authorizePath({ ...codeRequest, client_id: 'nobody' }), headers), 400, 'de');
      for (const path of ['/', '/oauth/sign-in', '/oauth/logout']) expectPage(await send(path, headers), 200, 'de');
      expectPage(await send('/oauth/consents', headers), 403, 'de');
    });

    it('is of ui_locales in the query, in a form, or in the request that a form carries', async () => {
      const headers = { 'accept-language': 'de' };
      expectPage(await send('/oauth/logout?ui_locales=fr', headers), 200, 'fr');
      const form = { request: encodeForm({ ...codeRequest, client_id: 'nobody', ui_locales: 'ja' }) };
      expectPage(await realm.send('/oauth/sign-in', { form, headers }), 400, 'ja');
      expectPage(await realm.send('/oauth/sign-in', { form: { ...form, ui_locales: 'pl' }, headers }), 400, 'pl');
    });

    it('stays after a wrong password', async () => {
      const url = realm.url + authorizePath({ ...codeRequest, ui_locales: 'pl' });
      const browser = createTestBrowser();
      const wrong = await browser.submit(await browser.get(url), url, { ...userForm, password: 'wrong-pl' });
      expectPage(wrong, 400, 'pl');
      expect(wrong.text).toContain(languages.pl?.signIn.wrong);
    });

    it('is that of a pushed request', async () => {
      const form = { ...codeRequest, ui_locales: 'ja', scope: 'openid' };
      const pushed = await realm.send('/oauth/par', { basic: ['web', 'web-secret'], form });
      const { request_uri } = pushed.json<{ request_uri: string }>();
      const url = realm.url + authorizePath({ client_id: 'web', request_uri });
      const browser = createTestBrowser();
      const page = await browser.get(url);
      expectPage(page, 200, 'ja');
      expectPage(await browser.submit(page, url, { ...userForm, password: 'wrong-ja-2' }), 400, 'ja');
    });

    it('is that of the request on the page that posts the answer', async () => {
      const answer = await signIn(realm, { ...codeRequest, response_mode: 'form_post', ui_locales: 'fr' });
      expectPage(answer, 200, 'fr');
      expect(answer.text).toContain('<span>main</span>');
      expect(answer.text).toContain('>Continuer</button>');
    });

    it('is that of a pushed request on the page that posts an error', async () => {
      const form = { ...codeRequest, ui_locales: 'ja', response_mode: 'form_post', prompt: 'none' };
      const pushed = await realm.send('/oauth/par', { basic: ['web', 'web-secret'], form });
      const { request_uri } = pushed.json<{ request_uri: string }>();
      const answer = await send(authorizePath({ client_id: 'web', request_uri }));
      expectPage(answer, 200, 'ja');
      for (const text of ['login_required', '<span>main</span>']) expect(answer.text).toContain(text);
    });

    it('is the first where ui_locales comes twice, which is a fault that the application is told of', async () => {
      const twice = Object.entries({ ...codeRequest, response_mode: 'form_post' });
      for (const tag of ['fr', 'de']) twice.push(['ui_locales', tag]);
      const answer = await send(authorizePath(twice));
      expectPage(answer, 200, 'fr');
      expect(answer.text).toContain('invalid_request');
    });

    it('is in the metadata', async () => {
      const metadata = (await send('/.well-known/openid-configuration')).json<Record<string, unknown>>();
      expect(metadata.ui_locales_supported).toEqual(languageTags);
    });

    it('is not read from a list that is longer than any', async () => {
      const answer = await send(authorizePath({ ...codeRequest, ui_locales: 'x'.repeat(513) }));
      expect(readRedirect(answer).parameters).toMatchObject({ error: 'invalid_request' });
    });
  });

  it('the sign-in page begins with the first field that is empty', async () => {
    const findFocused = async (hint: Record<string, string>) => {
      const { text } = await send(authorizePath({ ...codeRequest, ...hint }));
      return [...text.matchAll(/<input id="(\w+)"[^>]* autofocus/g)].map(([, id]) => id);
    };
    expect(await findFocused({})).toEqual(['username']);
    expect(await findFocused({ login_hint: 'ada@example.com' })).toEqual(['password']);
  });

  describe('the sign-in page after a wrong password', () => {
    const marks = ['role="alert"', 'aria-describedby="fault"', 'aria-invalid="true"'];
    const titleOf = ({ text }: Answer) => /<title>(.*?)<\/title>/.exec(text)?.[1];

    it('keeps the username, marks both fields, and says in its title that it failed', async () => {
      const browser = createTestBrowser();
      const url = realm.url + authorizePath({ ...codeRequest, login_hint: 'hinted@example.com' });
      const page = await browser.get(url);
      expect(page.text).toContain('value="hinted@example.com"');
      for (const mark of marks) expect(page.text).not.toContain(mark);
      const wrong = await browser.submit(page, url, { username: 'ada@example.com', password: 'wrong-marked' });
      expectPage(wrong, 400);
      for (const field of ['username', 'password']) {
        const [, attributes] = new RegExp(`<input id="${field}"([^>]*)>`).exec(wrong.text) ?? [];
        for (const mark of marks.slice(1)) expect(attributes).toContain(mark);
        expect(attributes?.includes('autofocus')).toBe(field === 'password');
        expect(attributes?.includes('value="ada@example.com"')).toBe(field === 'username');
      }
      expect(wrong.text).toContain(`<p class="alarm" role="alert" id="fault">${languages.en?.signIn.wrong}`);
      expect([titleOf(page), titleOf(wrong)]).toEqual([languages.en?.signIn.title, languages.en?.signIn.failedTitle]);
    });

    it('is that of a form without its fields, too', async () => {
      const browser = createTestBrowser();
      const { form_token = '', request = '' } = readHiddenFields(
        (await browser.get(realm.url + authorizePath(codeRequest))).text,
      );
      expectPage(await browser.post(`${realm.url}/oauth/sign-in`, { form_token, request }), 400);
    });
  });

  it('the sign-in page names the application, and lets the user cancel', async () => {
    const { text } = await send(authorizePath(codeRequest));
    expect(text).toContain('<strong>The &lt;Web&gt;</strong>');
    expect(text).toContain('value="cancel"');
    expect((await send('/oauth/device')).text).not.toContain('value="cancel"');
  });

  it('the links of an application are a list of its name', async () => {
    const { text } = await send(authorizePath({ ...thirdParty, prompt: 'login' }));
    const { links = '' } = languages.en?.application ?? {};
    expect(text).toContain(`aria-label="${links.replace('{application}', 'third-party')}"`);
  });

  it('a page loads no script that it does not have, and images of this server alone', async () => {
    const policyOf = async (path: string) => (await send(path)).headers['content-security-policy'];
    const plain = await policyOf('/oauth/sign-in');
    expect(plain).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(await policyOf(authorizePath(codeRequest))).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src 'self'; base-uri/,
    );
  });

  it('a page that runs a script holds the one that its policy names', async () => {
    const { text, headers } = await send(authorizePath(codeRequest));
    const [, script = ''] = /<script>(.+)<\/script>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    expect(headers['content-security-policy']).toContain(`script-src 'sha256-${hash}';`);
  });

  it('a page has the emblem and the name of the realm, and no links, where the organization gave none', async () => {
    const { text } = await send('/oauth/sign-in');
    expect(text).toContain(`<p class="realm">${emblem.text}<span>main</span></p>`);
    expect(text).not.toContain('class="links"');
  });

  describe('a page that cannot be shown', () => {
    it('says in English what is wrong with a request, and what to do in the language of the user', async () => {
      const headers = { 'accept-language': 'de' };
      const answer = await realm.send('/oauth/consents', { json: {}, headers });
      expectPage(answer, 415, 'de');
      expect(answer.text).toContain('role="alert" lang="en"');
      const { theirsTitle, theirsAdvice } = languages.de?.error ?? {};
      const fault = 'send the parameters as application/x-www-form-urlencoded, not JSON.';
      for (const text of [theirsTitle, fault, theirsAdvice]) expect(answer.text).toContain(text);
      expect(answer.headers).not.toHaveProperty('retry-after');
    });

    it('says that the fault is ours, where it is, and nothing of the inside', async () => {
      const isMet = interruptNext(realm.deps.database, /FROM clients WHERE client_id IN/, {
        before: () => Promise.reject(new Error('hush')),
      });
      const answer = await send(authorizePath(thirdParty), { 'x-request-id': 'the-request-id' });
      expect(isMet()).toBe(true);
      const { oursTitle, ours, oursAdvice } = languages.en?.error ?? {};
      expectPage(answer, 500);
      for (const text of [oursTitle, ours, oursAdvice, 'the-request-id']) expect(answer.text).toContain(text);
      expect(answer.text).not.toContain('hush');
    });
  });
});
