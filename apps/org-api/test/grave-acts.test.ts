import { randomUUID } from 'node:crypto';
import { levels } from '@gatehouse/shared';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import type { User } from '../src/users/user.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const [, mfa] = levels;
const collection = '/organization/api/organization/user';
const nobody = `${collection}/userId/nobody%40example.com`;
/** Each operation, with a body, and an answer that says the caller was let in. */
const grave: [string, string, object | undefined, number][] = [
  ['POST', collection, {}, 400],
  ['PATCH', nobody, { enabled: false }, 404],
  ['PATCH', nobody, { nickname: 'Uschi', roles: [] }, 404],
  ['PATCH', nobody, { nonsense: true }, 400],
  ['DELETE', nobody, undefined, 404],
  ['PUT', `${nobody}/password`, { password: 'a long enough password' }, 404],
  ['DELETE', `${nobody}/methods/passkeys/0192f6a4-0000-7000-8000-000000000000`, undefined, 404],
  ['DELETE', `${nobody}/methods/code-app`, undefined, 404],
  ['DELETE', `${nobody}/methods/recovery-codes`, undefined, 404],
  ['DELETE', `${nobody}/methods/password`, undefined, 404],
  ['POST', `${nobody}/methods/reset`, {}, 404],
  ['DELETE', `${nobody}/identities/0192f6a4-0000-7000-8000-000000000000`, undefined, 404],
  ['POST', `${nobody}/invitations`, {}, 404],
  ['DELETE', `${nobody}/invitations`, undefined, 404],
  ['POST', `${nobody}/email-verifications`, {}, 404],
];
const mild: typeof grave = [
  ['GET', collection, undefined, 200],
  ['GET', `${nobody}/methods`, undefined, 404],
  ['GET', `${nobody}/identities`, undefined, 404],
  ['GET', '/organization/api/organization/audit-events', undefined, 200],
  ['GET', '/organization/api/organization/configuration', undefined, 200],
  ['PATCH', nobody, { nickname: 'Uschi', locale: 'de', timezone: 'Europe/Berlin' }, 404],
  ['PATCH', nobody, {}, 404],
];

describe('a grave act at the organization API', () => {
  let organization: Organization;
  let higher: Organization;

  beforeAll(async () => {
    [organization, higher] = await Promise.all([
      startOrganization('sqlite'),
      startOrganization('sqlite', { administrationAcr: mfa }),
    ]);
  });
  afterAll(() => Promise.all([organization.close(), higher.close()]));

  const addAdministrator = (at = organization, more: object = {}) =>
    at.addUser({ username: `${randomUUID()}@example.com`, roles: ['SystemAdministrator'], ...more });
  const now = (at = organization) => Math.floor(at.time.now / 1000);
  const send = async (
    user: User,
    [method, url, body]: readonly [string, string, (object | undefined)?, number?],
    claims: JWTPayload,
    at = organization,
  ) =>
    at.app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...bearer(await at.accessToken(user, claims)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).statusCode;
  const limit = { administration_max_age: 900 };

  it.each(grave)('takes a sign-in that is no older than the claim of the token says, at %s %s %j', async (...act) => {
    const admin = await addAdministrator();
    for (const stale of [{ auth_time: now() - 901 }, { auth_time: undefined }]) {
      const { statusCode, headers } = await send(admin, act, { ...limit, ...stale });
      const challenge = String(headers['www-authenticate']);
      expect([statusCode, challenge.includes('acr_values')]).toEqual([401, false]);
      expect(challenge).toContain('error="insufficient_user_authentication"');
      expect(challenge).toContain('max_age="900"');
    }
    expect(await statusOf(admin, act, { ...limit, auth_time: now() - 899 })).toBe(act[3]);
  });

  it.each(grave)('is judged by nothing where the token has no such claim, at %s %s %j', async (...act) => {
    expect(await statusOf(await addAdministrator(), act, { auth_time: now() - 100_000 })).toBe(act[3]);
  });

  it.each(mild)('is not %s %s %j', async (...act) => {
    expect(await statusOf(await addAdministrator(), act, { ...limit, auth_time: now() - 901 })).toBe(act[3]);
  });

  it('names the level that administration asks for, too', async () => {
    const admin = await addAdministrator(higher);
    const act = ['DELETE', nobody] as const;
    const stale = await send(admin, act, { ...limit, acr: mfa, auth_time: now(higher) - 901 }, higher);
    expect([stale.statusCode, stale.headers['www-authenticate']]).toEqual([
      401,
      expect.stringMatching(/acr_values="urn:gatehouse:acr:mfa", max_age="900"/),
    ]);
  });

  it('takes no fresh sign-in of a Robot, which has one secret', async () => {
    const robot = await addAdministrator(organization, { userType: 'Robot' });
    expect(await statusOf(robot, ['DELETE', nobody], limit)).toBe(404);
  });

  it('is told after 403 and before the faults of the body', async () => {
    const user = await addAdministrator(organization, { roles: [] });
    const stale = { ...limit, auth_time: now() - 901 };
    expect(await statusOf(user, ['POST', collection, { nonsense: true }], stale)).toBe(403);
    expect(await statusOf(await addAdministrator(), ['POST', collection, { nonsense: true }], stale)).toBe(401);
  });

  it('is none of what users do for themselves', async () => {
    const user = await addAdministrator(organization, { roles: [], password: 'a long enough password' });
    const url = `${collection}/userId/${encodeURIComponent(user.username)}/password`;
    const change = { password: 'another long password', oldPassword: 'a long enough password' };
    expect(await statusOf(user, ['PUT', url, change], { ...limit, auth_time: now() - 901 })).toBe(204);
  });

  it('opens nothing by a token whose limit cannot be read', async () => {
    const claims = { administration_max_age: '900', auth_time: now() };
    expect(await statusOf(await addAdministrator(), ['GET', collection], claims)).toBe(401);
  });
});
