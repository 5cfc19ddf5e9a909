import { randomUUID } from 'node:crypto';
import type { UserDetails } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import type { User } from '../src/users/user.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const collection = '/organization/api/organization/user';
const member = (username: string) => `${collection}/userId/${encodeURIComponent(username)}`;
const details = (username: string) => `${collection}/allDetails/userId/${encodeURIComponent(username)}`;

/** A first-party client sees every member. */
type Shown = UserDetails & { username: string };

/** Every optional member. */
const whole = {
  middleName: 'Maria "Élan"',
  nickname: 'Uschi 😀',
  profile: 'https://people.example.com/ursula',
  picture: 'https://people.example.com/ursula.png',
  website: 'https://ursula.example.com',
  gender: 'female',
  birthdate: '0000-02-29',
  phoneNumber: '+41446681800',
  phoneNumberVerified: true,
  address: { formatted: '1 Example Way\n8001 Zürich', locality: 'Zürich', country: 'Switzerland' },
};
const names = [...Object.keys(whole), 'emailVerified'];

describe.each(testDialects)('the personal data of users on %s', (dialect) => {
  let organization: Organization;
  let admin: User;
  let idpAdmin: User;
  let user: User;
  const newName = () => `${randomUUID()}@example.com`;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    admin = await organization.addUser({ username: 'admin@example.com', roles: ['SystemAdministrator'] });
    idpAdmin = await organization.addUser({ username: 'idp@example.com', roles: ['IdpAdministrator'] });
    user = await organization.addUser({ username: 'user@example.com', ...whole, emailVerified: true });
  });
  afterAll(() => organization.close());

  const send = async (
    caller: User,
    method: 'GET' | 'POST' | 'PATCH',
    url: string,
    body?: unknown,
    claims?: JWTPayload,
  ) =>
    organization.app.inject({
      method,
      url,
      headers: {
        ...bearer(await organization.accessToken(caller, claims)),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  const create = async (body: object) => {
    const response = await send(admin, 'POST', collection, { username: newName(), userType: 'Robot', ...body });
    return { status: response.statusCode, record: response.json<Shown>(), text: response.body };
  };
  const patch = async (username: string, body: unknown) => {
    const response = await send(admin, 'PATCH', member(username), body);
    return { status: response.statusCode, record: response.json<Shown>(), text: response.body };
  };
  const read = async (username: string) => (await send(admin, 'GET', details(username))).json<Shown>();
  /** The personal members of a record. */
  const personalOf = (record: object) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));

  it('of a user for whom nothing is said are emailVerified, which is false', async () => {
    const { status, record } = await create({});
    expect([status, personalOf(record)]).toEqual([201, { emailVerified: false }]);
    expect(personalOf(await read(record.username))).toEqual({ emailVerified: false });
  });

  it('are given back as they were set, in every answer', async () => {
    const { status, record } = await create({ ...whole, emailVerified: true });
    expect([status, personalOf(record)]).toEqual([201, { ...whole, emailVerified: true }]);
    expect(await read(record.username)).toEqual(record);
    const listed = await send(admin, 'GET', `${collection}?search=${encodeURIComponent(record.username)}`);
    expect(listed.json()).toEqual({ users: [record] });
    const own = await send(user, 'GET', details(user.username));
    expect(personalOf(own.json())).toEqual({ ...whole, emailVerified: true });
  });

  it('change one by one: what is left out stays, null removes', async () => {
    const { record } = await create(whole);
    const { username } = record;
    const changes = { nickname: null, gender: 'x', address: { country: 'Österreich' } };
    const { nickname: _removed, ...rest } = whole;
    const after = { ...rest, gender: 'x', address: { country: 'Österreich' }, emailVerified: false };
    const changed = await patch(username, changes);
    expect([changed.status, personalOf(changed.record)]).toEqual([200, after]);
    expect(personalOf((await patch(username, { firstName: 'Ada', enabled: true })).record)).toEqual(after);
    const all = Object.fromEntries(Object.keys(whole).map((name) => [name, null]));
    const { phoneNumberVerified: _flag, ...nothing } = all;
    expect(personalOf((await patch(username, nothing)).record)).toEqual({ emailVerified: false });
    expect((await patch(username, nothing)).status).toBe(200);
  });

  it('are refused with the field that is at fault, and nothing is stored', async () => {
    const { record } = await create({ nickname: 'kept' });
    for (const [field, value] of [
      ['website', 'http://example.com'],
      ['birthdate', '1985-02-29'],
      ['phoneNumber', '044 668 18 00'],
      ['address', {}],
      ['emailVerified', null],
      ['phoneNumberVerified', null],
      ['picture', `https://example.com/${'x'.repeat(2048)}`],
      ['birthDate', '1985'],
    ]) {
      const answer = await patch(record.username, { nickname: 'lost', [String(field)]: value });
      expect([answer.status, answer.record]).toEqual([
        400,
        expect.objectContaining({ errors: [expect.objectContaining({ field })] }),
      ]);
      expect((await create({ [String(field)]: value })).status).toBe(400);
    }
    expect(await read(record.username)).toEqual(record);
  });

  it('of every kind at their longest fit', async () => {
    const wide = '😀'.repeat(255);
    const url = `https://example.com/${'x'.repeat(2028)}`;
    const long = {
      ...{ middleName: wide, nickname: wide, gender: wide, profile: url, picture: url, website: url },
      address: {
        ...{ formatted: '😀'.repeat(1024), streetAddress: '"\n'.repeat(512) },
        ...{ locality: wide, region: wide, postalCode: wide, country: wide },
      },
    };
    const { status, record } = await create(long);
    expect([status, personalOf(record)]).toEqual([201, { ...long, emailVerified: false }]);
    expect(personalOf(await read(record.username))).toEqual({ ...long, emailVerified: false });
  });

  describe('the flags of verification', () => {
    it('are for a SystemAdministrator: others get 403, which names the role', async () => {
      const { record } = await create({ phoneNumber: '+12345' });
      for (const caller of [idpAdmin, user]) {
        for (const change of [{ emailVerified: true }, { phoneNumberVerified: true }]) {
          const answer = await send(caller, 'PATCH', member(record.username), change);
          expect([answer.statusCode, answer.json()]).toEqual([
            403,
            expect.objectContaining({ detail: expect.stringContaining('SystemAdministrator') }),
          ]);
        }
      }
      // So do clients through which nobody may be a SystemAdministrator.
      const ceiling = ['IdpAdministrator'];
      const answer = await send(admin, 'PATCH', member(record.username), { emailVerified: true }, { ceiling });
      expect(answer.statusCode).toBe(403);
      expect((await send(user, 'PATCH', member(user.username), { emailVerified: false })).statusCode).toBe(403);
      expect(await read(record.username)).toEqual(record);
    });

    it.each([
      ['another address', { email: 'other@example.com' }, false],
      ['another case of the address', { email: 'A@example.com' }, false],
      ['another address, said to be verified', { email: 'other@example.com', emailVerified: true }, true],
      ['another address, said not to be', { email: 'other@example.com', emailVerified: false }, false],
      ['the same address', { email: 'a@example.com' }, true],
      ['another member', { nickname: 'x' }, true],
      ['the flag', { emailVerified: false }, false],
    ])('emailVerified after a change of %s', async (_what, change, expected) => {
      const { record } = await create({ email: 'a@example.com', emailVerified: true });
      expect((await patch(record.username, change)).record.emailVerified).toBe(expected);
      expect((await read(record.username)).emailVerified).toBe(expected);
    });

    it.each([
      ['another number', { phoneNumber: '+1999' }, false],
      ['another number, said to be verified', { phoneNumber: '+1999', phoneNumberVerified: true }, true],
      ['the same number', { phoneNumber: '+1234' }, true],
      ['another member', { email: 'x@example.com' }, true],
      ['the flag', { phoneNumberVerified: false }, false],
      ['no number', { phoneNumber: null }, undefined],
      ['no number, said not to be verified', { phoneNumber: null, phoneNumberVerified: false }, undefined],
    ])('phoneNumberVerified after a change to %s', async (_what, change, expected) => {
      const { record } = await create({ phoneNumber: '+1234', phoneNumberVerified: true });
      expect((await patch(record.username, change)).record.phoneNumberVerified).toBe(expected);
      expect((await read(record.username)).phoneNumberVerified).toBe(expected);
    });

    it('does not come back with the former address or number', async () => {
      const before = { email: 'a@example.com', emailVerified: true, phoneNumber: '+1234', phoneNumberVerified: true };
      const { username } = (await create(before)).record;
      await patch(username, { email: 'b@example.com', phoneNumber: '+1999' });
      const { record } = await patch(username, { email: 'a@example.com', phoneNumber: '+1234' });
      expect(record).toMatchObject({ email: 'a@example.com', emailVerified: false, phoneNumberVerified: false });
    });

    it('phoneNumberVerified is false for a number of which nothing is said, and absent without a number', async () => {
      const { username, phoneNumberVerified } = (await create({ phoneNumber: '+1234' })).record;
      expect(phoneNumberVerified).toBe(false);
      expect((await patch(username, { nickname: 'x' })).record.phoneNumberVerified).toBe(false);
      const { record } = await create({ phoneNumberVerified: false });
      expect(record).not.toHaveProperty('phoneNumberVerified');
    });

    it.each<[{ phoneNumberVerified: boolean; phoneNumber?: null }]>([
      [{ phoneNumberVerified: true }],
      [{ phoneNumberVerified: true, phoneNumber: null }],
    ])('true needs a number: %j is a 400', async (change) => {
      const { record } = await create(change.phoneNumber === null ? { phoneNumber: '+1234' } : {});
      const answer = await patch(record.username, change);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('phoneNumberVerified')]);
      expect(await read(record.username)).toEqual(record);
      expect((await create({ phoneNumberVerified: true })).status).toBe(400);
    });

    it('says nothing of an address that the release before stored, which does not know the flag', async () => {
      const { username, id } = (await create({ email: 'a@example.com', emailVerified: true, nickname: 'n' })).record;
      await organization.deps.database.execute('UPDATE users SET email = ? WHERE username_key = ?', [
        'b@example.com',
        username,
      ]);
      expect(await read(username)).toMatchObject({ id, email: 'b@example.com', emailVerified: false, nickname: 'n' });
      expect((await patch(username, { nickname: 'm' })).record.emailVerified).toBe(false);
      expect((await patch(username, { emailVerified: true })).record).toMatchObject({
        email: 'b@example.com',
        emailVerified: true,
      });
    });
  });

  it('keep every one of several changes at the same moment', async () => {
    const { username } = (await create({})).record;
    const changes = [
      ...Object.entries(whole).filter(([name]) => !name.startsWith('phoneNumber')),
      ['phoneNumber', whole.phoneNumber],
      ['emailVerified', true],
      ['firstName', 'Ada'],
    ].map(([name, value]) => ({ [String(name)]: value }));
    const answers = await Promise.all(changes.map((change) => patch(username, change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const expected = Object.assign({ phoneNumberVerified: false }, ...changes);
    expect(await read(username)).toMatchObject(expected);
  });

  it('are named in the audit event of a change, without their values', async () => {
    const { username } = (await create({ birthdate: '1985' })).record;
    await patch(username, { birthdate: '1984-12-31', phoneNumber: '+41446681800', emailVerified: true });
    const url = `/organization/api/organization/audit-events?type=user.changed&subject=${encodeURIComponent(username)}`;
    const response = await send(admin, 'GET', url);
    const { events } = response.json<{ events: { details: unknown }[] }>();
    expect(events.map((event) => event.details)).toEqual([{ fields: ['birthdate', 'phoneNumber', 'emailVerified'] }]);
    expect(response.body).not.toMatch(/1984|4466/);
  });

  describe('in the record that a third-party client sees', () => {
    const account = [
      'createdAt',
      'firstName',
      'lastName',
      'locale',
      'organization',
      'timezone',
      'updatedAt',
      'username',
    ];
    const ofProfile = ['middleName', 'nickname', 'profile', 'picture', 'website', 'gender', 'birthdate'];
    const ofPhone = ['phoneNumber', 'phoneNumberVerified'];

    it.each<[string, string[]]>([
      ['openid', []],
      ['openid profile', [...account, ...ofProfile]],
      ['openid email', ['email', 'emailVerified']],
      ['openid phone', ofPhone],
      ['openid address', ['address']],
      ['openid roles', ['roles']],
      ['phone email address', ['address', 'email', 'emailVerified', ...ofPhone]],
    ])('with scope %s', async (scope, members) => {
      const answer = await send(user, 'GET', details(user.username), undefined, { third_party: true, scope });
      const expected = ['id', 'userType', 'enabled', ...members];
      expect(Object.keys(answer.json()).sort()).toEqual(expected.sort());
    });
  });

  it('reach the auth server by the internal directory, and never with what is stored beside them', async () => {
    const url = '/internal/directory/user-queries';
    const payload = JSON.stringify({ ids: [user.id] });
    const headers = { 'content-type': 'application/json', ...bearer(await organization.serviceToken(url, payload)) };
    const response = await organization.app.inject({ method: 'POST', url, payload, headers });
    expect(response.json()).toMatchObject({ users: [{ ...whole, emailVerified: true }] });
    expect(response.body).not.toMatch(/verifiedEmail|personal/);
  });
});
