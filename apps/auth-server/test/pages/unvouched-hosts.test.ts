import { type Answer, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { languageTags } from '../../src/pages/messages/language-tags.ts';
import { languages } from '../../src/pages/messages/languages.ts';
import { authorizePath, createPkce, readRedirect, userForm } from '../support/browser.ts';
import {
  type ClientInformation,
  type DynamicClients,
  obtainTokens,
  startOpenRealm,
} from '../support/dynamic-clients.ts';
import { callback, type Realm, webClient } from '../support/realm.ts';

const host = 'agent.example.com:8443';
const redirectUri = `https://${host}/callback?from=here`;
const bye = `https://${host}/bye`;
const body = {
  redirect_uris: [redirectUri],
  post_logout_redirect_uris: [bye],
  client_name: 'Your password has expired',
};

/** The address that the page leads to; undefined where the answer is no such page. */
function findWay({ headers, text }: Answer): string | undefined {
  const [, href] = /<a href="([^"]*)">[^<]*agent\.example\.com/.exec(text) ?? [];
  return headers.location === undefined ? href?.replaceAll('&amp;', '&') : undefined;
}

describe.each(testDialects)('RFC 9700 4.11.2: a website that a stranger registered, on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  let client: ClientInformation;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
    client = await dynamic.register(body);
    await realm.register(webClient);
  });
  afterAll(() => realm.close());

  const build = (changes: Record<string, string> = {}, { client_id, redirect_uris }: ClientInformation = client) =>
    authorizePath({
      ...{ response_type: 'code', client_id, redirect_uri: redirect_uris[0] as string, scope: 'openid', state: 's 1' },
      ...createPkce().parameters,
      ...changes,
    });
  const expectPage = (answer: Answer, error: string, status = 400) => {
    expect([answer.status, answer.headers['cache-control']]).toEqual([status, 'no-store']);
    const [target, query] = (findWay(answer) ?? '').split(/[?]from=here[&#]/);
    expect(`${target}?from=here`).toBe(redirectUri);
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      ...{ error, state: 's 1', iss: realm.authUrl },
      error_description: expect.any(String),
    });
    expect(answer.text).toContain(`<strong>${host}</strong>`);
    expect(answer.text).not.toContain('<script');
  };

  describe('is gone to by the user alone after an error', () => {
    it.each<[string, Record<string, string>, string]>([
      ['an unknown scope', { scope: 'openid nonsense' }, 'invalid_scope'],
      ['a scope that is not the client’s', { scope: 'openid roles' }, 'invalid_scope'],
      ['prompt=none where nobody is signed in', { prompt: 'none' }, 'login_required'],
      ['prompt=none and login', { prompt: 'none login' }, 'invalid_request'],
      ['no PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['another response type', { response_type: 'token' }, 'unauthorized_client'],
      ['another resource', { resource: 'https://other.example.com/' }, 'invalid_target'],
    ])('%s', async (_what, changes, error) => {
      expectPage(await realm.send(build(changes)), error);
    });

    it.each<[string, Record<string, string>, string]>([
      ['a request object', { request: 'x' }, 'invalid_request_object'],
      ['a request_uri', { request_uri: 'https://x.example/' }, 'invalid_request_uri'],
    ])('%s', async (_what, changes, error) => {
      const answer = await realm.send(build({ ...changes, state: '' }));
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      expect(answer.text).toContain(`<strong>${host}</strong>`);
      expect(answer.text).toContain(`error=${error}`);
    });

    it('a repeated parameter', async () => {
      expectPage(await realm.send(`${build()}&scope=openid`), 'invalid_request');
    });

    it('a request by POST, which comes again by GET', async () => {
      const form = Object.fromEntries(new URL(build({ scope: 'nonsense' }), realm.url).searchParams);
      const posted = await realm.send('/oauth/authorize', { form });
      expectPage(await realm.send(`/oauth/${posted.headers.location}`), 'invalid_scope');
    });

    it('a sign-in that the user cancels, and access that the user denies', async () => {
      const url = realm.url + build();
      const browser = createTestBrowser();
      expectPage(await browser.submit(await browser.get(url), url, { decision: 'cancel' }), 'access_denied', 403);
      const consent = await browser.submit(await browser.get(url), url, userForm);
      expect(consent.text).toContain('value="deny"');
      expectPage(await browser.submit(consent, url, { decision: 'deny' }), 'access_denied', 403);
    });

    it('a form in place of a redirect, which the page does not send by itself', async () => {
      const answer = await realm.send(build({ response_mode: 'form_post', scope: 'nonsense' }));
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`<form method="post" action="${redirectUri}">`);
      expect(answer.text).toContain('<input type="hidden" name="error" value="invalid_scope">');
      expect(answer.text).toContain(`<button type="submit">Go on to ${host}</button>`);
      expect(answer.text).not.toContain('<script');
    });

    it('an answer in the fragment', async () => {
      const answer = await realm.send(build({ response_mode: 'fragment', scope: 'nonsense' }));
      expect(findWay(answer)).toMatch(/^https:\/\/agent\.example\.com:8443\/callback\?from=here#error=invalid_scope&/);
    });
  });

  describe('is shown by a page', () => {
    it.each(languageTags)('in %s, by ui_locales', async (language) => {
      const { text } = await realm.send(build({ scope: 'nonsense', ui_locales: language }));
      const { leaving: texts } = languages[language];
      expect(text).toContain(`<html lang="${language}">`);
      expect(text).toContain(`<h1>${texts?.title}</h1>`);
      expect(text).toContain(`${texts?.goOn.replace('{host}', host)}</a>`);
    });

    it('without a word of the stranger: no name, no state, no description', async () => {
      const { text } = await realm.send(build({ scope: 'nonsense', state: 'call 0800 123' }));
      const shown = text.replace(/<[^>]*>/g, '');
      expect(shown).not.toMatch(/password has expired|call 0800|nonsense/);
      expect(shown).toContain('invalid_scope');
    });
  });

  describe('is gone to at once', () => {
    it('in a frame of another page, where no address is shown', async () => {
      const path = build({ prompt: 'none' });
      const ask = (destination: string) => realm.send(path, { headers: { 'sec-fetch-dest': destination } });
      for (const destination of ['iframe', 'frame']) {
        const { parameters } = readRedirect(await ask(destination));
        expect(parameters).toMatchObject({ error: 'login_required', state: 's 1' });
      }
      expectPage(await ask('document'), 'login_required');
    });

    it('with a code for a user who allowed the client before', async () => {
      const browser = createTestBrowser();
      await obtainTokens(realm, client, { browser, scope: 'openid' });
      const silent = await browser.get(realm.url + build({ prompt: 'none' }));
      expect([silent.status, readRedirect(silent).parameters]).toMatchObject([302, { code: expect.any(String) }]);
      expectPage(await browser.get(realm.url + build({ prompt: 'none', scope: 'openid email' })), 'consent_required');
    });

    it.each([
      'http://127.0.0.1:5173/callback',
      'http://[::1]/callback',
      'http://localhost:5173/callback',
      'com.example.app:/callback',
    ])('never: %s is a program of the user’s machine, and gets the error by a redirect', async (uri) => {
      const native = await dynamic.register({ redirect_uris: [uri] });
      const answer = await realm.send(build({ scope: 'nonsense' }, native));
      expect([answer.status, readRedirect(answer).target]).toEqual([302, uri]);
    });

    it('where an administrator, or the holder of an initial access token, registered it', async () => {
      const vouchedFor = await dynamic.register(body, await dynamic.createToken());
      expect((await realm.send(build({ scope: 'nonsense' }, vouchedFor))).status).toBe(302);
      const web = build({ client_id: webClient.client_id, redirect_uri: callback, scope: 'nonsense' });
      expect((await realm.send(web)).status).toBe(302);
    });
  });

  describe('after a sign-out', () => {
    const logout = (parameters: Record<string, string>) =>
      `${realm.url}/oauth/logout?${new URLSearchParams({ post_logout_redirect_uri: bye, state: 's', ...parameters })}`;
    const expectWay = (answer: Answer) => {
      expect([answer.status, findWay(answer)]).toEqual([200, `${bye}?state=s`]);
      expect(answer.text).toContain('You are signed out');
      expect(answer.text).toContain(`<strong>${host}</strong>`);
    };

    it('is gone to by the user alone where nobody is signed in, with and without a hint', async () => {
      const { id_token: hint = '' } = await obtainTokens(realm, client, { scope: 'openid' });
      expectWay(await createTestBrowser().get(logout({ client_id: client.client_id })));
      expectWay(await createTestBrowser().get(logout({ id_token_hint: hint })));
    });

    it('is gone to by the user alone after the question, and after a hint of another session', async () => {
      const { id_token: hint = '' } = await obtainTokens(realm, client, { scope: 'openid' });
      for (const url of [logout({ client_id: client.client_id }), logout({ id_token_hint: hint })]) {
        const browser = createTestBrowser();
        await obtainTokens(realm, client, { browser, scope: 'openid' });
        const question = await browser.get(url);
        expect(question.text).toContain('Sign out?');
        expectWay(await browser.submit(question, url));
      }
    });

    it('is gone to at once where the hint is of this very session', async () => {
      const browser = createTestBrowser();
      const { id_token: hint = '' } = await obtainTokens(realm, client, { browser, scope: 'openid' });
      const answer = await browser.get(logout({ id_token_hint: hint }));
      expect([answer.status, answer.headers.location]).toEqual([303, `${bye}?state=s`]);
    });

    it('is gone to at once where it is a program of the user’s machine', async () => {
      const uri = 'http://127.0.0.1:5173/bye';
      const native = await dynamic.register({ redirect_uris: [uri], post_logout_redirect_uris: [uri] });
      const url = logout({ client_id: native.client_id, post_logout_redirect_uri: uri });
      const answer = await createTestBrowser().get(url);
      expect([answer.status, answer.headers.location]).toEqual([303, `${uri}?state=s`]);
    });
  });
});
