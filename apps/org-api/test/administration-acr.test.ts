import { randomUUID } from 'node:crypto';
import { levels } from '@gatehouse/shared';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import type { User } from '../src/users/user.ts';
import { codeAt, createDirectoryRequests, secret } from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const [password, mfa, phr] = levels;
const collection = '/organization/api/organization/user';
const nobody = `${collection}/userId/nobody%40example.com`;
const memberOf = ({ username }: Pick<User, 'username'>) => `${collection}/userId/${encodeURIComponent(username)}`;
/** Each operation, with a body, and an answer that says the caller was let in. */
const operations: [string, string, object | undefined, number][] = [
  ['GET', collection, undefined, 200],
  ['POST', collection, {}, 400],
  ['PATCH', nobody, { nickname: 'Uschi' }, 404],
  ['DELETE', nobody, undefined, 404],
  ['PUT', `${nobody}/password`, { password: 'a long enough password' }, 404],
  ['GET', `${nobody}/methods`, undefined, 404],
  ['DELETE', `${nobody}/methods/passkeys/0192f6a4-0000-7000-8000-000000000000`, undefined, 404],
  ['DELETE', `${nobody}/methods/code-app`, undefined, 404],
  ['DELETE', `${nobody}/methods/recovery-codes`, undefined, 404],
  ['DELETE', `${nobody}/methods/password`, undefined, 404],
  ['POST', `${nobody}/methods/reset`, {}, 404],
  ['POST', `${nobody}/invitations`, {}, 404],
  ['DELETE', `${nobody}/invitations`, undefined, 404],
  ['POST', `${nobody}/email-verifications`, {}, 404],
  ['GET', '/organization/api/organization/audit-events', undefined, 200],
  ['GET', '/organization/api/organization/configuration', undefined, 200],
];

describe('ADMINISTRATION_ACR of the organization API', () => {
  let usual: Organization;
  let higher: Organization;

  beforeAll(async () => {
    [usual, higher] = await Promise.all([
      startOrganization('sqlite'),
      startOrganization('sqlite', { administrationAcr: phr }),
    ]);
  });
  afterAll(() => Promise.all([usual.close(), higher.close()]));

  const addUser = (organization: Organization, more: object = {}) =>
    organization.addUser({ username: `${randomUUID()}@example.com`, roles: ['SystemAdministrator'], ...more });
  const addAdministratorWithApp = async (organization: Organization) => {
    const admin = await addUser(organization, { password: 'a long enough password' });
    const { change } = createDirectoryRequests(organization);
    const added = await change(admin, { add: { codeApp: { secret, code: codeAt(organization.time.now) } } });
    expect(added.outcome).toBe('done');
    return admin;
  };
  const send = async (
    organization: Organization,
    user: User,
    acr: string | undefined,
    [method, url, body]: readonly [string, string, (object | undefined)?],
    claims: JWTPayload = {},
  ) => {
    const headers = bearer(await organization.accessToken(user, { ...(acr !== undefined && { acr }), ...claims }));
    return organization.app.inject({
      method: method as 'GET',
      url,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  };
  const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).statusCode;
  const demandOf = async (...request: Parameters<typeof send>) => {
    const { statusCode, headers } = await send(...request);
    const challenge = String(headers['www-authenticate']);
    return [statusCode, /error="(\w+)"/.exec(challenge)?.[1], /acr_values="([^"]*)"/.exec(challenge)?.[1]];
  };
  const refused = (level: string) => [401, 'insufficient_user_authentication', level];

  it.each(operations)('is demanded of a Person at %s %s', async (method, url, body, status) => {
    const admin = await addUser(higher);
    const operation = [method, url, body] as const;
    for (const acr of [undefined, 'nonsense', password, mfa]) {
      expect([acr, ...(await demandOf(higher, admin, acr, operation))]).toEqual([acr, ...refused(phr)]);
    }
    expect(await statusOf(higher, admin, phr, operation)).toBe(status);
  });

  it.each(operations)(
    'is a second step at least for a Person who has one, at %s %s',
    async (method, url, body, status) => {
      const admin = await addAdministratorWithApp(usual);
      const operation = [method, url, body] as const;
      for (const acr of [undefined, password]) {
        expect([acr, ...(await demandOf(usual, admin, acr, operation))]).toEqual([acr, ...refused(mfa)]);
      }
      expect(await statusOf(usual, admin, mfa, operation)).toBe(status);
      expect(await statusOf(usual, await addUser(usual), undefined, operation)).toBe(status);
    },
  );

  it.each(operations)('is not demanded of a Robot at %s %s', async (method, url, body, status) => {
    const robot = await addUser(higher, { userType: 'Robot' });
    expect(await statusOf(higher, robot, undefined, [method, url, body])).toBe(status);
  });

  it.each(operations)('is not told to a user who may not administer, at %s %s', async (method, url, body, _status) => {
    const { statusCode, headers } = await send(higher, await addUser(higher, { roles: [] }), undefined, [
      method,
      url,
      body,
    ]);
    expect([statusCode, String(headers['www-authenticate']).includes('acr_values')]).toEqual([403, false]);
  });

  it('does not concern the details of users', async () => {
    const [admin, user] = [await addUser(higher), await addUser(higher, { roles: [] })];
    for (const { username } of [admin, user]) {
      const url = `${collection}/allDetails/userId/${encodeURIComponent(username)}`;
      expect(await statusOf(higher, admin, undefined, ['GET', url])).toBe(200);
    }
    const withApp = await addAdministratorWithApp(usual);
    const url = `${collection}/allDetails/userId/${encodeURIComponent(withApp.username)}`;
    expect(await statusOf(usual, withApp, password, ['GET', url])).toBe(200);
  });

  it('does not concern what users do for themselves: their methods, and their password', async () => {
    const admin = await addUser(higher);
    expect(await statusOf(higher, admin, undefined, ['GET', `${memberOf(admin)}/methods`])).toBe(200);
    const user = await addUser(higher, { roles: [], password: 'a long enough password' });
    const change = { password: 'another long password', oldPassword: 'a long enough password' };
    expect(await statusOf(higher, user, undefined, ['PUT', `${memberOf(user)}/password`, change])).toBe(204);
  });

  it('changes nothing where it is not met', async () => {
    const [admin, user] = [await addUser(higher), await addUser(higher, { roles: [] })];
    expect(await statusOf(higher, admin, mfa, ['PATCH', memberOf(user), { nickname: 'Uschi' }])).toBe(401);
    expect(await statusOf(higher, admin, mfa, ['DELETE', memberOf(user)])).toBe(401);
    const found = await higher.deps.users.findByUsername(user.username);
    expect(found).toMatchObject({ id: user.id });
    expect(found).not.toHaveProperty('nickname', 'Uschi');
  });
});
