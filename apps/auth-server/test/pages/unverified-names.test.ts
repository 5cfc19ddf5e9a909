import { type Answer, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { languageTags } from '../../src/pages/messages/language-tags.ts';
import { languages } from '../../src/pages/messages/languages.ts';
import { authorizePath, createPkce, userForm } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { type ClientInformation, type DynamicClients, startOpenRealm } from '../support/dynamic-clients.ts';
import { type Realm, webClient } from '../support/realm.ts';

const sentence = languages.en?.application.unverified ?? '';
const codeFlow = ['authorization_code'];
const redirect_uris = ['https://agent.example.com:8443/callback'];

describe.each(testDialects)('the name of a client that registered itself, on %s,', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
    await realm.register({
      ...webClient,
      client_name: 'Portal',
      require_consent: true,
      authorized_grant_types: codeFlow,
    });
  });
  afterAll(() => realm.close());

  const pathOf = ({ client_id, redirect_uris: [uri] }: Pick<ClientInformation, 'client_id' | 'redirect_uris'>) => {
    const asked = { response_type: 'code', client_id, redirect_uri: uri as string, scope: 'openid' };
    return authorizePath({ ...asked, ...createPkce().parameters });
  };
  const own = { client_id: webClient.client_id, redirect_uris: [webClient.redirect_uri] };
  /** The sign-in page and the consent page. */
  const openPages = async (client: Pick<ClientInformation, 'client_id' | 'redirect_uris'>): Promise<Answer[]> => {
    const browser = createTestBrowser();
    const url = realm.url + pathOf(client);
    const signIn = await browser.get(url);
    const consent = await browser.submit(signIn, url, userForm);
    expect([signIn.text.includes('name="password"'), consent.text.includes('value="allow"')]).toEqual([true, true]);
    return [signIn, consent];
  };

  it('comes with one sentence: open registration, or an initial access token', async () => {
    const body = { redirect_uris, client_name: 'Reader' };
    for (const token of [undefined, await dynamic.createToken()]) {
      for (const { text } of await openPages(await dynamic.register(body, token))) {
        expect(text.split(sentence)).toHaveLength(2);
      }
    }
    for (const { text } of await openPages(own)) expect(text).not.toContain(sentence);
  });

  it.each(languageTags)('comes with it in the language of the page: %s', async (tag) => {
    const client = await dynamic.register({ redirect_uris, client_name: 'Reader' });
    const { text } = await realm.send(`${pathOf(client)}&ui_locales=${tag}`);
    expect(text).toContain(languages[tag].application.unverified);
  });

  it.each([
    ['the same', 'Portal'],
    ['in other case', 'pORTAL'],
    ['in other forms of the letters (NFKC)', '\uff30\uff4f\uff52\uff54\uff41\uff4c'],
    ['in letters that look alike', 'P\u043ertal'],
    ['with white space around it', '  Portal '],
    ['with a host that is not its own', 'Portal (app.example.com)'],
    ['as long as a name may be', 'Portal'.padEnd(128, '\u3000 .')],
  ])('is told apart from a name that another client has: %s', async (_what, client_name) => {
    for (const { text } of await openPages(await dynamic.register({ redirect_uris, client_name }))) {
      expect(text).toContain(`<strong>${client_name}</strong> (<bdi>agent.example.com:8443</bdi>)`);
      // Nothing cuts what stands behind the name.
      expect(text).not.toMatch(/class="[^"]*\bname\b/);
    }
    for (const { text } of await openPages(own)) {
      expect(text).toContain('<strong>Portal</strong>');
      expect(text).not.toContain('<bdi>');
    }
  });

  it('is told apart by the place to which this answer goes, of several that the client has', async () => {
    const more = ['https://portal.example.com/', 'http://127.0.0.1:7000/', 'com.example.reader:/callback'];
    const body = { redirect_uris: more, client_name: 'Portal', application_type: 'native' };
    const client = await dynamic.register(body);
    for (const [uri, place] of [
      [more[0], 'portal.example.com'],
      [more[1], '127.0.0.1:7000'],
      [more[2], 'com.example.reader:'],
    ] as [string, string][]) {
      const [signIn] = await openPages({ ...client, redirect_uris: [uri] });
      expect(signIn?.text).toContain(`(<bdi>${place}</bdi>)`);
    }
  });

  it('is its client_id where it chose none, told apart in the same way', async () => {
    const client = await dynamic.register({ redirect_uris });
    const [signIn] = await openPages(client);
    expect(signIn?.text).toContain(`<strong>${client.client_id}</strong> (<bdi>agent.example.com:8443</bdi>)`);
  });

  it('is told apart at the list of applications with access, and that of an administrator stands alone', async () => {
    const browser = createTestBrowser();
    const hosts = ['one.example.com', 'two.example.com'];
    const clients = await Promise.all(
      hosts.map((host) => dynamic.register({ redirect_uris: [`https://${host}/`], client_name: 'Portal' })),
    );
    for (const client of [own, ...clients]) {
      const url = realm.url + pathOf(client);
      const page = await browser.get(url);
      const isSignIn = page.text.includes('name="password"');
      const consent = isSignIn ? await browser.submit(page, url, userForm) : page;
      expect((await browser.submit(consent, url, { decision: 'allow' })).status).toBe(303);
    }
    const { text } = await browser.get(`${realm.url}/oauth/consents`);
    for (const host of hosts) expect(text).toContain(`<strong>Portal</strong> (<bdi>${host}</bdi>)`);
    expect(text).toContain('<div class="name"><strong>Portal</strong></div>');
  });

  it('comes with its client_id at the page of a device, where a host says nothing, and with the sentence', async () => {
    const token = await dynamic.createToken({ grant_types: [deviceGrant, 'authorization_code'] });
    const portal = ['https://app.example.com/'];
    const body = { redirect_uris: portal, client_name: 'Portal', grant_types: [deviceGrant, 'authorization_code'] };
    const client = await dynamic.register(body, token);
    const devices = useDevices(realm);
    const browser = await devices.signIn();
    const page = await devices.open(browser, (await devices.start(client)).user_code);
    const name = `<strong>Portal</strong> (<bdi>${client.client_id}</bdi>)`;
    expect(page.text).toContain(name);
    expect(page.text.split(sentence)).toHaveLength(2);
    const decided = await browser.submit(page, devices.page, { decision: 'allow' });
    expect(decided.text).toContain(name);
  });
});
