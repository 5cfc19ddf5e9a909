import { fill } from '@gatehouse/service-kit/html';
import { quickestDialect, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import {
  type Accounts,
  escaped,
  readEntries,
  readForms,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { type Realm, startRealm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const path = '/account';
const done = [303, path];
const { profile: texts } = en;
const { fields } = texts;
const refusal = (...names: string[]) => [400, fill(texts.refused, { fields: names.join(' and ') })];

/** The values of the form, but for its token. */
async function readValues(visitor: Visitor) {
  const { form_token: _token, ...values } = readForms(await visitor.get(path))[0]?.fields ?? {};
  return values;
}

async function countChanges(visitor: Visitor): Promise<number> {
  const entries = readEntries(await visitor.get('/account/activity'));
  return entries.filter((entry) => entry.includes(en.activity.events['user.profile_changed'])).length;
}

const change = async (visitor: Visitor, changes: Record<string, string>) =>
  resultOf(await visitor.submit(path, path, changes));

describe.each(testDialects)('the profile of a user on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  it('shows name, address, verified or not, organization and roles', async () => {
    const record = {
      firstName: 'Ursula',
      lastName: '<User> & Co',
      organization: 'Library',
      roles: ['DirectoryReader'],
    };
    const visitor = await accounts.signIn({ ...record, email: 'ursula@example.net', emailVerified: true });
    const { text } = await visitor.get(path);
    for (const [name, value] of [
      [texts.username, visitor.user.username],
      [texts.name, escaped('Ursula <User> & Co')],
      [texts.email, `ursula@example.net <span class="badge">${texts.verified}</span>`],
      [texts.organization, 'Library'],
      [texts.roles, 'DirectoryReader'],
    ]) {
      expect(text).toContain(`<dt>${name}</dt><dd>${value}</dd>`);
    }
    expect((await (await accounts.signIn()).get(path)).text).toContain(
      `<span class="badge">${texts.notVerified}</span>`,
    );
  });

  it('takes what the user may change, and applications get it', async () => {
    const visitor = await accounts.signIn();
    expect(await readValues(visitor)).toEqual({ nickname: '', locale: 'en', timezone: 'UTC' });
    const changes = { nickname: 'Uschi 🔑', locale: 'pl', timezone: 'America/Argentina/Buenos_Aires' };
    expect(await change(visitor, changes)).toEqual(done);
    expect(await readValues(visitor)).toEqual(changes);
    const client = await accounts.registerClient();
    const { access_token: bearer } = await accounts.obtainTokens(visitor, client, 'openid profile');
    expect((await realm.send('/oauth/userinfo', { bearer })).json()).toMatchObject({
      ...{ nickname: changes.nickname, locale: changes.locale, zoneinfo: changes.timezone },
    });
    expect(await countChanges(visitor)).toBe(1);
  });

  it('takes one field without the others', async () => {
    const visitor = await accounts.signIn({ nickname: 'Before', timezone: 'Asia/Tokyo' });
    expect(resultOf(await visitor.post(path, { locale: 'de' }))).toEqual(done);
    expect(await readValues(visitor)).toEqual({ nickname: 'Before', locale: 'de', timezone: 'Asia/Tokyo' });
  });

  it('loses what is emptied', async () => {
    const visitor = await accounts.signIn({ nickname: 'Before' });
    expect(await change(visitor, { nickname: '' })).toEqual(done);
    expect(await readValues(visitor)).toMatchObject({ nickname: '' });
  });

  it('stays as it is, without an event, where nothing changes', async () => {
    const visitor = await accounts.signIn({ nickname: 'Before', locale: 'de-CH', timezone: 'Europe/Zurich' });
    const before = await readValues(visitor);
    expect(before).toEqual({ nickname: 'Before', locale: 'de-CH', timezone: 'Europe/Zurich' });
    expect(await change(visitor, {})).toEqual(done);
    expect([await readValues(visitor), await countChanges(visitor)]).toEqual([before, 0]);
  });

  it.each<[string, string]>([
    ['firstName', fields.firstName],
    ['lastName', fields.lastName],
    ['phoneNumber', fields.phoneNumber],
    ['address.locality', fields.address],
    ['email', 'email'],
    ['emailVerified', 'emailVerified'],
    ['roles', 'roles'],
    ['username', 'username'],
    ['password', 'password'],
    ['id', 'id'],
    ['<b>hostile</b>', '<b>hostile</b>'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
  ])('takes no %s: 400 with its name, and nothing changes', async (field, name) => {
    const visitor = await accounts.signIn({ nickname: 'Before' });
    const refused = await visitor.submit(
      path,
      path,
      Object.fromEntries([
        [field, 'Changed'],
        ['nickname', 'Changed'],
      ]),
    );
    expect(resultOf(refused)).toEqual(refusal(name));
    expect(await readValues(visitor)).toMatchObject({ nickname: 'Before' });
    expect(await countChanges(visitor)).toBe(0);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ timezone: 'Mars/Olympus' }, [fields.timezone]],
    [{ timezone: '../etc/passwd' }, [fields.timezone]],
    [{ timezone: '' }, [fields.timezone]],
    [{ locale: 'no language' }, [fields.locale]],
    [{ locale: '' }, [fields.locale]],
    [{ nickname: 'x'.repeat(256) }, [fields.nickname]],
    [{ nickname: 'a\u0000b' }, [fields.nickname]],
    [{ nickname: 'x'.repeat(256), timezone: 'Mars/Olympus' }, [fields.nickname, fields.timezone]],
  ])('takes no bad value (%#)', async (bad, names) => {
    const visitor = await accounts.signIn({ nickname: 'Before' });
    const before = await readValues(visitor);
    const refused = await visitor.submit(path, path, { nickname: 'Typed', ...bad });
    expect(resultOf(refused)).toEqual(refusal(...names));
    // What was typed is there to be corrected.
    expect(readForms(refused)[0]?.fields.nickname).toBe(bad.nickname ?? 'Typed');
    expect(refused.text.includes('name="nickname" type="text" maxlength="2048" aria-describedby="fault"')).toBe(
      bad.nickname !== undefined,
    );
    expect([await readValues(visitor), await countChanges(visitor)]).toEqual([before, 0]);
  });

  it('takes no value that is as long as a form may be, which is more than the organization reads', async () => {
    const visitor = await accounts.signIn({ nickname: 'Before' });
    const long = 'x'.repeat(65_400);
    expect(resultOf(await visitor.post(path, { nickname: long }))).toEqual(refusal(fields.nickname));
    expect(await readValues(visitor)).toMatchObject({ nickname: 'Before' });
  });

  it.each(['en-a', 'abcd', 'de-x'])(
    'is there also with the language tag %s, which no program knows',
    async (locale) => {
      const visitor = await accounts.signIn();
      expect([303, 400]).toContain((await visitor.post(path, { locale })).status);
      await accounts.organization.change(visitor.user.username, { locale });
      expect((await visitor.get(path)).status).toBe(200);
    },
  );

  it('takes each language and each time zone that it offers', async () => {
    const { text } = await (await accounts.signIn()).get(path);
    const offered = [...text.matchAll(/<option value="([^"]*)"/g)].map(([, value = '']) => value);
    const visitor = await accounts.signIn();
    for (const locale of offered.slice(0, 10)) expect(await change(visitor, { locale })).toEqual(done);
    for (const timezone of [offered.at(10), offered.at(11), offered.at(-1)]) {
      expect(await change(visitor, { timezone: timezone as string })).toEqual(done);
    }
    expect(offered.length).toBeGreaterThan(400);
  });

  it('shows what was typed as text', async () => {
    const nickname = '"><script>alert(1)</script>\u202e';
    const visitor = await accounts.signIn();
    expect(await change(visitor, { nickname })).toEqual(done);
    const { text } = await visitor.get(path);
    expect(text).toContain(`value="${escaped(nickname)}"`);
    expect(text).not.toContain('<script');
  });

  it('is misled by no field that comes twice', async () => {
    const visitor = await accounts.signIn();
    const cookie = Object.entries(visitor.browser.cookies()).map(([name, value]) => `${name}=${value}`);
    const twice: [string, string][] = ['a', 'b'].map((value) => ['nickname', value]);
    const form = [['form_token', await visitor.readToken()] as [string, string], ...twice];
    const answer = await realm.send(path, { form, headers: { cookie: cookie.join('; ') } });
    expect(resultOf(answer)).toEqual([400, "send each parameter once; repeated: 'nickname'."]);
    expect(await readValues(visitor)).toMatchObject({ nickname: '' });
  });

  it('is changed by no session whose password is that of before', async () => {
    const visitor = await accounts.signIn();
    const page = await visitor.get(path);
    await accounts.organization.setPassword(visitor.user.username, 'another long enough password');
    expect((await visitor.send(page, path, { nickname: 'Late' })).status).toBe(403);
  });
});

describe('the profile of a user who may change all of it', () => {
  let realm: Realm;
  let accounts: Accounts;
  const text = {
    ...{ firstName: 'Ursula', middleName: 'Maria', lastName: 'User', nickname: 'Uschi' },
    ...{ profile: 'https://people.example.com/ursula', picture: 'https://people.example.com/ursula.png' },
    ...{
      website: 'https://ursula.example.com',
      gender: 'female',
      birthdate: '1985-02-28',
      phoneNumber: '+41446681800',
    },
    ...{ 'address.streetAddress': '1 Example Way', 'address.postalCode': '8001', 'address.locality': 'Zurich' },
    ...{ 'address.region': 'ZH', 'address.country': 'Switzerland', locale: 'de', timezone: 'Europe/Zurich' },
  };

  beforeAll(async () => {
    const names = Object.keys(text).filter((name) => !name.includes('.'));
    realm = await startRealm({}, { orgEnv: { USERS_MAY_CHANGE: [...names, 'address'].join(' ') } });
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  it(`takes each field (on ${quickestDialect})`, async () => {
    const visitor = await accounts.signIn();
    expect(Object.keys(await readValues(visitor)).sort()).toEqual(Object.keys(text).sort());
    expect(await change(visitor, text)).toEqual(done);
    expect(await readValues(visitor)).toEqual(text);
    expect(await change(visitor, {})).toEqual(done);
    expect(await countChanges(visitor)).toBe(1);
  });

  it('loses each field that is emptied, the address with its last part', async () => {
    const visitor = await accounts.signIn();
    await change(visitor, text);
    const { locale, timezone, ...others } = text;
    const { 'address.locality': locality, ...parts } = others;
    const empty = (values: object) => Object.fromEntries(Object.keys(values).map((name) => [name, '']));
    expect(await change(visitor, empty(parts))).toEqual(done);
    expect(await readValues(visitor)).toEqual({ ...empty(parts), locale, timezone, 'address.locality': locality });
    expect(await change(visitor, { 'address.locality': '' })).toEqual(done);
    expect(await readValues(visitor)).toEqual({ ...empty(others), locale, timezone });
  });

  it.each<[string, string, string]>([
    ['picture', 'http://people.example.com/ursula.png', fields.picture],
    ['website', 'javascript:alert(1)', fields.website],
    ['birthdate', '1985-02-30', fields.birthdate],
    ['phoneNumber', '044 668 18 00', fields.phoneNumber],
    ['address.country', 'x'.repeat(256), fields.address],
    ['address.planet', 'Mars', fields.address],
    ['address.__proto__', 'x', fields.address],
  ])('takes no bad %s', async (field, value, name) => {
    const visitor = await accounts.signIn();
    await change(visitor, text);
    expect(await change(visitor, Object.fromEntries([[field, value]]))).toEqual(refusal(name));
    expect(await readValues(visitor)).toEqual(text);
  });

  it.each([
    ['on one label', { formatted: '1 Example Way\n8001 Zurich' }],
    ['on one label beside its parts', { formatted: '1 Example Way\n8001 Zurich', locality: 'Zurich' }],
    ['of several lines', { streetAddress: '1 Example Way\nP.O. Box 3', locality: 'Zurich' }],
  ])('keeps an address %s where another field changes', async (_case, address) => {
    const visitor = await accounts.signIn({ address });
    expect(await change(visitor, { nickname: 'Uschi' })).toEqual(done);
    const client = await accounts.registerClient({ scope: ['openid', 'address'] });
    const { access_token: bearer } = await accounts.obtainTokens(visitor, client, 'openid address');
    const { address: opened } = (await realm.send('/oauth/userinfo', { bearer })).json<{ address?: object }>();
    const { formatted, streetAddress: street_address, locality } = address as Record<string, string>;
    const expected = Object.entries({ formatted, street_address, locality }).filter(([, value]) => value !== undefined);
    expect({ address: opened }).toMatchObject({ address: Object.fromEntries(expected) });
  });
});
