import { randomBytes } from 'node:crypto';
import { type Answer, createTestBrowser, deviceGrant, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chooseText } from '../../src/resources/tagged-texts.ts';
import { authorizePath, codeRequest, userForm } from '../support/browser.ts';
import { useDevices } from '../support/device.ts';
import { administrator, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface View {
  id: string;
  resource: string;
  scopes: { name: string }[];
  [member: string]: unknown;
}

describe.each(testDialects)('names of an API in the languages of its users, on %s,', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
  });
  afterAll(() => realm.close());

  const manage = (path: string, method: string, json?: object) =>
    realm.send(path, { method, basic: administrator, ...(json === undefined ? {} : { json }) });
  const buildBody = (changes: object = {}) => {
    const unique = randomBytes(6).toString('hex');
    return {
      resource: `https://${unique}.example.com/`,
      name: 'Orders',
      'name#de': 'Bestellungen',
      'name#pt-BR': 'Pedidos',
      scopes: [
        { name: `${unique}:read`, description: 'see your orders', 'description#de': 'Ihre Bestellungen sehen' },
        { name: `${unique}:write`, description: '', 'description#zh-Hans': '\u66f4\u6539\u8ba2\u5355' },
      ],
      ...changes,
    };
  };
  const create = async (changes: object = {}): Promise<View> => {
    const answer = await manage('/resources', 'POST', buildBody(changes));
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.json<View>();
  };
  const change = async ({ id }: View, changes: object): Promise<View> => {
    const answer = await manage(`/resources/${id}`, 'PATCH', changes);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json<View>();
  };

  it('are given back as they were sent, and listed', async () => {
    const body = buildBody();
    const created = (await manage('/resources', 'POST', body)).json<View>();
    expect(created).toMatchObject(body);
    expect((await manage(`/resources/${created.id}`, 'GET')).json()).toEqual(created);
    const list = await manage(`/resources?resource=${encodeURIComponent(body.resource)}`, 'GET');
    expect(list.json()).toEqual({ resources: [created] });
  });

  it('are changed one by one: null takes one away, whatever the case of its tag, and others stay', async () => {
    const resource = await create();
    const changed = await change(resource, { 'name#DE': null, 'name#fr': 'Commandes' });
    expect(changed).not.toHaveProperty('name#de');
    expect(changed).toMatchObject({ 'name#pt-BR': 'Pedidos', 'name#fr': 'Commandes', scopes: resource.scopes });
    expect(await change(resource, { name: 'All orders' })).toMatchObject({ 'name#fr': 'Commandes' });
    const without = await change(resource, { 'name#fr': null, 'name#pt-BR': null });
    expect(Object.keys(without).filter((member) => member.includes('#'))).toEqual([]);
    expect((await manage(`/resources/${resource.id}`, 'GET')).json()).toEqual(without);
  });

  it('are those of the API of the organization too, whose scopes have the words of the pages', async () => {
    const path = `/resources?resource=${encodeURIComponent(realm.orgUrl)}`;
    const [orgApi] = (await manage(path, 'GET')).json<{ resources: [View] }>().resources;
    expect(await change(orgApi, { 'name#it': 'API comune' })).toMatchObject({ 'name#it': 'API comune' });
  });

  const languages = (count: number, value = 'Bestellungen') =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`name#x${String.fromCharCode(97 + index)}`, value]),
    );

  it.each<[string, object, string]>([
    ['a tag that is none', { 'name#d': 'x' }, 'name#d'],
    ['a tag with a long part', { 'name#de-abcdefghi': 'x' }, 'name#de-abcdefghi'],
    ['no tag', { 'name#': 'x' }, 'name#'],
    ['another member with a tag', { 'resource#de': 'x' }, 'resource#de'],
    ['a long name', { 'name#de': 'x'.repeat(129) }, 'name#de'],
    ['an empty name', { 'name#de': '' }, 'name#de'],
    ['a name that turns the text around', { 'name#de': 'a\u202eb' }, 'name#de'],
    ['a name that is a number', { 'name#de': 1 }, 'name#de'],
    ['a name that is null', { 'name#de': null }, 'name#de'],
    ['a language twice', { 'name#de': 'x', 'name#DE': 'y' }, 'once in each language'],
    ['21 languages', languages(19), 'in at most 20 languages'],
    ['a long description', { scopes: [{ name: 'x:1', 'description#de': 'x'.repeat(201) }] }, 'scopes'],
    ['a description with a bad tag', { scopes: [{ name: 'x:1', 'description#_': 'x' }] }, 'scopes'],
    ['a scope whose name has a tag', { scopes: [{ name: 'x:1', 'name#de': 'x' }] }, 'scopes'],
    ['descriptions twice', { scopes: [{ name: 'x:1', 'description#de': '', 'description#De': '' }] }, 'of x:1 once'],
  ])('refuse %s', async (_what, changes, text) => {
    const answer = await manage('/resources', 'POST', buildBody(changes));
    expect([answer.status, answer.json()]).toEqual([
      400,
      { ...answer.json<object>(), detail: expect.stringContaining(text) },
    ]);
  });

  it('are of 20 languages at most after a change too', async () => {
    const resource = await create(languages(18));
    const answer = await manage(`/resources/${resource.id}`, 'PATCH', { 'name#fr': 'Commandes' });
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ field: 'name' }] });
    await change(resource, { 'name#fr': 'Commandes', 'name#de': null });
  });

  describe('on pages', () => {
    let resource: View;
    beforeAll(async () => {
      resource = await create();
      const scope = ['openid', ...resource.scopes.map(({ name }) => name)];
      const common = { scope, resources: [realm.orgUrl, resource.resource], require_consent: true };
      await realm.register({ ...webClient, ...common, authorized_grant_types: ['authorization_code'] });
      const grants = { authorized_grant_types: [deviceGrant] };
      await realm.register({ client_id: 'line', client_secret: 'line-secret', ...common, ...grants });
    });

    const inGerman = ['<strong>Bestellungen</strong>', '<li>Ihre Bestellungen sehen</li>'];
    const inEnglish = ['<strong>Orders</strong>', '<li>see your orders</li>'];
    const expectWords = ({ text }: Answer, words: string[], others: string[]) => {
      for (const word of words) expect(text).toContain(word);
      for (const word of others) expect(text).not.toContain(word);
    };
    const open = async (uiLocales: string, browser = createTestBrowser()) => {
      const asked = { ...codeRequest, scope: resource.scopes.map(({ name }) => name).join(' ') };
      const path = authorizePath({
        ...asked,
        resource: resource.resource,
        ui_locales: uiLocales,
        prompt: 'login consent',
      });
      const url = realm.url + path;
      return { url, page: await browser.submit(await browser.get(url), url, userForm) };
    };

    it('of consent are those of the language of the page, else the ones without a tag', async () => {
      expectWords((await open('de')).page, inGerman, inEnglish);
      expectWords((await open('fr')).page, inEnglish, inGerman);
      expectWords((await open('pt')).page, ['<strong>Pedidos</strong>', inEnglish[1] as string], inGerman);
      expectWords((await open('zh')).page, ['<li>\u66f4\u6539\u8ba2\u5355</li>'], inGerman);
    });

    it('of applications with access are those of each visit', async () => {
      const browser = createTestBrowser();
      const { url, page } = await open('de', browser);
      expect((await browser.submit(page, url, { decision: 'allow' })).status).toBe(303);
      const list = async (tag: string) => (await browser.get(`${realm.url}/oauth/consents?ui_locales=${tag}`)).text;
      expect(await list('de')).toContain('Bestellungen benutzen: Ihre Bestellungen sehen');
      expect(await list('en')).toContain('use Orders: see your orders');
    });

    it('of a device are those of the language of the page', async () => {
      const devices = useDevices(realm);
      const client = { client_id: 'line', client_secret: 'line-secret' };
      const { user_code } = await devices.start(client, { resource: resource.resource });
      const browser = await devices.signIn();
      const query = new URLSearchParams({ user_code, ui_locales: 'de' });
      expectWords(await browser.get(`${devices.page}?${query}`), inGerman, inEnglish);
    });

    it('of consent are asked again where one of them changed while the page was open', async () => {
      const browser = createTestBrowser();
      const { url, page } = await open('en', browser);
      await change(resource, { 'name#nl': 'Bestellingen' });
      const again = await browser.submit(page, url, { decision: 'allow' });
      expect([again.status, again.text.includes('value="allow"')]).toEqual([200, true]);
    });
  });
});

it.each<[string, Record<string, string> | undefined, string]>([
  ['no tags', undefined, 'text'],
  ['the tag of the language', { 'de-AT': 'Topfen', de: 'Quark' }, 'Quark'],
  ['a region of it', { 'DE-at': 'Topfen', fr: 'fromage' }, 'Topfen'],
  ['a language that only begins so', { den: 'x', 'en-de': 'y' }, 'text'],
])('a text on a German page: %s', (_what, tagged, chosen) => expect(chooseText('text', tagged, 'de')).toBe(chosen));
