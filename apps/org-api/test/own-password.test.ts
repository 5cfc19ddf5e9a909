import { createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import type { User } from '../src/users/user.ts';
import { asksForMore, createDirectoryRequests, createPasskey, type DirectoryRequests } from './support/methods.ts';
import { baseUrl, bearer, type Organization, startOrganization } from './support/organization.ts';

const oldPassword = 'the-password-of-before';
const password = 'the-password-of-today';
const mfa = 'urn:gatehouse:acr:mfa';
const tooLong = 601;
/** RFC 9470 3: what a sign-in must be, by the parameters of the challenge. */
const demands =
  /error="insufficient_user_authentication", error_description="[^"]+", acr_values="urn:gatehouse:acr:mfa", max_age="600"/;

let names = 0;

describe.each(testDialects)('the own password of a user with a second step on %s', (dialect) => {
  let organization: Organization;
  let directory: DirectoryRequests;
  let chief: User;
  let user: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    directory = createDirectoryRequests(organization);
    const roles = ['SystemAdministrator'] as const;
    chief = await organization.addUser({ username: 'chief@example.com', password: oldPassword, roles: [...roles] });
  });
  afterAll(() => organization.close());
  const addUser = async (fields: object = {}) => {
    names += 1;
    const added = await organization.addUser({ username: `own${names}@example.com`, password: oldPassword, ...fields });
    organization.time.now += 60_000;
    return added;
  };
  beforeEach(async () => {
    organization.time.now += 3_600_000;
    user = await addUser();
    expect((await directory.addCodeApp(user)).outcome).toBe('done');
  });

  const urlOf = ({ username }: User) =>
    `/organization/api/organization/user/userId/${encodeURIComponent(username)}/password`;
  const signedIn = (acr: string | undefined, secondsAgo = 0): JWTPayload => ({
    ...(acr !== undefined && { acr }),
    auth_time: organization.seconds() - secondsAgo,
  });
  const put = async (caller: User, claims: JWTPayload, of = caller, payload: object = { password, oldPassword }) =>
    organization.app.inject({
      method: 'PUT',
      url: urlOf(of),
      headers: bearer(await organization.accessToken(caller, claims)),
      payload,
    });
  const isChanged = async (of = user) =>
    (await directory.checkPassword(of, { password, ...asksForMore })).outcome === 'verified';

  it.each([
    [mfa, 0],
    ['phr', 0],
    [mfa, 600],
    ['phr', 600],
  ])('changes by a token of level %s, %i seconds after the sign-in', async (acr, secondsAgo) => {
    expect((await put(user, signedIn(acr, secondsAgo))).statusCode).toBe(204);
    expect(await isChanged()).toBe(true);
    expect(await directory.checkPassword(user, { password })).toMatchObject({ outcome: 'wrong' });
  });

  it.each<[string, () => JWTPayload]>([
    ['no level', () => signedIn(undefined)],
    ['the level password', () => signedIn('urn:gatehouse:acr:password')],
    ['a level of another server', () => signedIn('urn:example:mfa')],
    ['a level that is only almost one', () => signedIn('MFA')],
    ['the level mfa of long ago', () => signedIn(mfa, tooLong)],
    ['the level phr of long ago', () => signedIn('phr', tooLong)],
    ['the level mfa at no time', () => ({ acr: mfa, auth_time: undefined })],
  ])('stays with a token that has %s: 401, which says what is asked', async (_case, claims) => {
    const answer = await put(user, claims());
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      401,
      expect.stringMatching(/^application\/problem\+json/),
    ]);
    const challenge = String(answer.headers['www-authenticate']);
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge).toMatch(demands);
    expect(await isChanged()).toBe(false);
    expect((await directory.checkPassword(user, { password: oldPassword, ...asksForMore })).outcome).toBe('verified');
  });

  it('is asked for however the name is written', async () => {
    const url = urlOf({ ...user, username: user.username.toUpperCase() });
    const headers = bearer(await organization.accessToken(user, signedIn('urn:gatehouse:acr:password')));
    const answer = await organization.app.inject({ method: 'PUT', url, headers, payload: { password, oldPassword } });
    expect(answer.statusCode).toBe(401);
    expect(await isChanged()).toBe(false);
  });

  it('is asked for where the second step is a passkey, with or without a password', async () => {
    const holder = await addUser();
    expect((await directory.addPasskey(holder, createPasskey())).outcome).toBe('done');
    expect((await put(holder, signedIn(undefined))).statusCode).toBe(401);
    expect((await directory.change(holder, { remove: { password: true } })).outcome).toBe('done');
    expect((await put(holder, signedIn(undefined))).statusCode).toBe(401);
  });

  it('is asked for in the scheme of a token that is bound to a key (RFC 9449 7.1)', async () => {
    const key = createClientKey();
    const url = urlOf(user);
    const send = async (claims: JWTPayload) => {
      const accessToken = await organization.accessToken(user, { ...claims, cnf: { jkt: key.jkt } });
      const sendWith = (nonce?: unknown) => {
        const proven = { htm: 'PUT', htu: baseUrl + url, iat: organization.seconds(), accessToken };
        const headers = {
          authorization: `DPoP ${accessToken}`,
          dpop: key.proof({ ...proven, ...(nonce ? { nonce } : {}) }),
        };
        return organization.app.inject({ method: 'PUT', url, headers, payload: { password, oldPassword } });
      };
      return sendWith((await sendWith()).headers['dpop-nonce']);
    };
    const refused = await send(signedIn(undefined));
    expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^DPoP /)]);
    expect(refused.headers['www-authenticate']).toMatch(demands);
    expect((await send(signedIn(mfa))).statusCode).toBe(204);
  });

  it('needs the old password all the same', async () => {
    const wrong = await put(user, signedIn(mfa), user, { password, oldPassword: 'not-the-password' });
    expect([wrong.statusCode, wrong.json()]).toMatchObject([400, { errors: [{ field: 'oldPassword' }] }]);
    expect(await isChanged()).toBe(false);
  });

  it('is set by an administrator with a token of any level', async () => {
    for (const claims of [signedIn(undefined), signedIn('urn:gatehouse:acr:password', 86_400)]) {
      expect((await put(chief, claims, user, { password })).statusCode).toBe(204);
    }
    expect(await isChanged()).toBe(true);
  });

  it('is asked for of an administrator who sets the own one', async () => {
    const roles = ['SystemAdministrator'];
    const administrator = await addUser({ roles });
    expect((await directory.addCodeApp(administrator)).outcome).toBe('done');
    expect((await put(administrator, signedIn(undefined), administrator, { password })).statusCode).toBe(401);
    expect((await put(administrator, signedIn(mfa), administrator, { password })).statusCode).toBe(204);
    expect(await isChanged(administrator)).toBe(true);
  });

  it('is not asked for of a user without one, who changes it with the old password as before', async () => {
    const plain = await addUser();
    expect((await put(plain, signedIn(undefined, 86_400))).statusCode).toBe(204);
    expect(await isChanged(plain)).toBe(true);
  });

  it('is not what a stranger is told of: 403', async () => {
    const stranger = await addUser();
    const answer = await put(stranger, signedIn(undefined), user);
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([403, undefined]);
  });
});
