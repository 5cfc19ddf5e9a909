import { createTestBrowser, readHiddenFields, type TestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../src/pages/messages/en.ts';
import { authorizePath, codeRequest, readRedirect, signIn, userForm } from './support/browser.ts';
import { type Realm, startRealm, webClient } from './support/realm.ts';

const administratorForm = { username: 'admin@example.com', password: 'admin-password' };

describe('the pages of consent', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
    const authorized_grant_types = ['authorization_code'];
    await realm.register({
      ...webClient,
      client_id: 'third-party',
      authorized_grant_types,
      ...{ require_consent: true },
    });
  });
  afterAll(() => realm.close());

  const request = { ...codeRequest, client_id: 'third-party' };
  const consentUrl = () => `${realm.url}/oauth/consent`;
  const listUrl = () => `${realm.url}/oauth/consents`;
  /** Signs the user in, in the place of the user who was signed in, and gives the page that asks for consent. */
  const askForConsent = (browser: TestBrowser, user: Record<string, string>) =>
    signIn(realm, { ...request, prompt: 'login' }, { browser, user });
  const isAsked = async (browser: TestBrowser) =>
    (await browser.get(realm.url + authorizePath(request))).text.includes('Allow access?');

  it('take no decision by a form of the session before, in the same browser', async () => {
    const browser = createTestBrowser();
    const former = readHiddenFields((await askForConsent(browser, userForm)).text);
    const page = await askForConsent(browser, administratorForm);
    expect(page.text).toContain('You are signed in as admin@example.com');
    const decide = (form: Record<string, string>) => browser.post(consentUrl(), { ...form, decision: 'allow' });
    // The requests differ in nothing, so that the forms differ in the session alone.
    expect(readHiddenFields(page.text).request).toBe(former.request);
    expect(readHiddenFields(page.text).form_token).not.toBe(former.form_token);
    const refused = await decide(former);
    expect([refused.status, refused.headers.location]).toEqual([403, undefined]);
    expect(await isAsked(browser)).toBe(true);
    expect(readRedirect(await decide(readHiddenFields(page.text))).parameters).toHaveProperty('code');
    expect(await isAsked(browser)).toBe(false);
  });

  it('take no decision of nobody who is signed in, and none about another page than was shown', async () => {
    const browser = createTestBrowser();
    const form = readHiddenFields((await askForConsent(browser, userForm)).text);
    const allowed = { ...form, decision: 'allow' };
    expect((await createTestBrowser().post(consentUrl(), allowed)).status).toBe(403);
    expect((await browser.post(consentUrl(), { ...allowed, shown: 'another page' })).status).toBe(403);
    expect(await isAsked(browser)).toBe(true);
  });

  it('withdraw no consent by a form of the session before, in the same browser', async () => {
    const browser = createTestBrowser();
    const allowAndList = async (user: Record<string, string>) => {
      const page = await askForConsent(browser, user);
      if (page.text.includes('Allow access?')) await browser.submit(page, consentUrl(), { decision: 'allow' });
      return readHiddenFields((await browser.get(listUrl())).text);
    };
    const former = await allowAndList(userForm);
    const own = await allowAndList(administratorForm);
    expect(own.registration).toBe(former.registration);
    await browser.post(listUrl(), former);
    expect(await isAsked(browser)).toBe(false);
    await browser.post(listUrl(), own);
    expect(await isAsked(browser)).toBe(true);
  });

  it('ask with a way to the list of consents, and name no resources where none are asked for', async () => {
    const page = await signIn(realm, { ...request, prompt: 'consent' });
    expect(page.text).toContain('<a href="consents">Applications with access</a>');
    expect(readHiddenFields(page.text)).not.toHaveProperty('shown');
  });

  it('list nothing for a user who allowed nothing, and say who is signed in', async () => {
    const browser = createTestBrowser();
    await askForConsent(browser, { username: 'idp.admin@example.com', password: 'idp-password' });
    const page = await browser.get(listUrl());
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('You are signed in as idp.admin@example.com'),
    ]);
    expect(page.text).toContain(`<p>${en.consents.none}</p>`);
    expect(page.text).not.toContain('<ul class="plain">');
  });

  it('withdraw nothing for a form of nobody, nor for one that names no application', async () => {
    const browser = createTestBrowser();
    const page = await signIn(realm, { ...request, prompt: 'consent' }, { browser });
    await browser.submit(page, consentUrl(), { decision: 'allow' });
    const { form_token = '', registration = '' } = readHiddenFields((await browser.get(listUrl())).text);
    const ofNobody = await createTestBrowser().post(listUrl(), { form_token, registration });
    expect([ofNobody.status, ofNobody.headers.location]).toEqual([403, undefined]);
    const withoutName = await browser.post(listUrl(), { form_token });
    expect([withoutName.status, withoutName.headers.location]).toEqual([303, 'consents']);
    expect(await isAsked(browser)).toBe(false);
  });

  it('withdraw nothing more, and show the list, where the form of a withdrawal comes twice', async () => {
    const browser = createTestBrowser();
    const page = await signIn(realm, { ...request, prompt: 'consent' }, { browser });
    await browser.submit(page, consentUrl(), { decision: 'allow' });
    const form = readHiddenFields((await browser.get(listUrl())).text);
    for (const _time of ['first', 'second']) {
      const answer = await browser.post(listUrl(), form);
      expect([answer.status, answer.headers.location]).toEqual([303, 'consents']);
    }
    expect(await isAsked(browser)).toBe(true);
  });
});
