import { type Answer, createTestBrowser, readHiddenFields, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { de } from '../../src/pages/messages/de.ts';
import { en } from '../../src/pages/messages/en.ts';
import { fr } from '../../src/pages/messages/fr.ts';
import { authorizePath, codeRequest, readRedirect, signIn, userForm } from '../support/browser.ts';
import { type Realm, startRealm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

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

describe.each(testDialects)('the list of applications with access, signed out, on %s,', (dialect) => {
  let realm: Realm;
  let listUrl: string;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    listUrl = `${realm.url}/oauth/consents`;
  });
  afterAll(() => realm.close());

  /** Presses the button of the page, as a browser does: a form by GET. */
  const press = async (browser: TestBrowser, page: Answer) => {
    const action = /<form method="get" action="([^"]+)">/.exec(page.text)?.[1] ?? '';
    return browser.get(`${new URL(action, listUrl)}?${new URLSearchParams(readHiddenFields(page.text))}`);
  };
  const signInUrl = () => `${realm.url}/oauth/consents-sign-in`;

  it('offers the sign-in, which comes back to the list in the language of the page', async () => {
    const browser = createTestBrowser();
    const offer = await browser.get(`${listUrl}?ui_locales=de`);
    expect([offer.status, offer.text]).toEqual([403, expect.stringContaining(`<h1>${de.error.notSignedInTitle}</h1>`)]);
    expect(offer.text).toContain(`<button type="submit">${de.signIn.submit}</button>`);
    const page = await press(browser, offer);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(de.signIn.consents)]);
    expect(page.text).not.toContain('value="cancel"');
    const signedIn = await browser.submit(page, signInUrl(), userForm);
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, 'consents?ui_locales=de']);
    const list = await browser.get(`${realm.url}/oauth/${signedIn.headers.location}`);
    expect([list.status, list.text]).toEqual([200, expect.stringContaining(`<p>${de.consents.none}</p>`)]);
  });

  it('shows the sign-in again, and why, after a wrong password and for a form of another browser', async () => {
    const browser = createTestBrowser();
    const page = await browser.get(`${signInUrl()}?ui_locales=fr`);
    const wrong = await browser.submit(page, signInUrl(), { ...userForm, password: 'wrong-at-the-list' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining(fr.signIn.wrong)]);
    const strange = await createTestBrowser().submit(page, signInUrl(), userForm);
    expect([strange.status, strange.text]).toEqual([403, expect.stringContaining(fr.signIn.stale)]);
    expect(strange.headers['set-cookie'] ?? '').not.toContain('gatehouse-session');
    expect((await browser.submit(wrong, signInUrl(), userForm)).status).toBe(303);
  });

  it('takes no form of the sign-in for a device, nor the other way round', async () => {
    const browser = createTestBrowser();
    for (const [path, other] of [
      ['device', 'consents-sign-in'],
      ['consents-sign-in', 'device-sign-in'],
    ]) {
      const { form_token = '', request = '' } = readHiddenFields(
        (await browser.get(`${realm.url}/oauth/${path}`)).text,
      );
      const answer = await browser.post(`${realm.url}/oauth/${other}`, { form_token, request, ...userForm });
      expect([answer.status, browser.cookies()]).toEqual([
        403,
        expect.not.objectContaining({ 'gatehouse-session': expect.anything() }),
      ]);
    }
  });

  it('offers it after the form of a withdrawal too, and withdraws nothing', async () => {
    const answer = await createTestBrowser().post(listUrl, { registration: 'x', form_token: 'x' });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('action="consents-sign-in"')]);
  });
});
