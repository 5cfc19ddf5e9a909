import { directoryPaths } from '@gatehouse/shared';
import { type Altered, createAuthenticator, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const address = '192.0.2.1';
const password = 'a-password-of-passkeys';
const origin = 'https://auth.example.com';
const rpId = 'auth.example.com';
const challenge = Buffer.alloc(64, 7).toString('base64url');

type Answer = Record<string, unknown> & { outcome?: string; user?: { id: string }; recoveryCodes?: string[] };

describe.each(testDialects)('passkeys on %s', (dialect) => {
  let organization: Organization;
  let users = 0;
  let user: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
  });
  afterAll(() => organization.close());
  beforeEach(async () => {
    users += 1;
    organization.time.now += 600_000;
    user = await organization.addUser({ username: `holder${users}@example.com`, password });
  });

  const post = async (url: string, body: object) => {
    const payload = JSON.stringify(body);
    const token = await organization.serviceToken(url, payload);
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    const response = await organization.app.inject({ method: 'POST', url, payload, headers });
    return response.json<Answer>();
  };
  const request = { address, requestId: 'request-of-the-user' };
  const expected = { challenge, origin, rpId };
  const proven = () => ({ userId: user.id, passwordChangedAt: user.passwordChangedAt, ...request });
  const listMethods = () => post(directoryPaths.methodQueries, { userId: user.id });
  const create = (options: Partial<Parameters<typeof createAuthenticator>[0]> = {}) =>
    createAuthenticator({ rpId, origin, ...options });
  type Authenticator = ReturnType<typeof create>;
  const add = async (authenticator: Authenticator, altered?: Altered, more: object = {}) => {
    const { userHandle } = (await listMethods()) as unknown as { userHandle: string };
    const credential = authenticator.create({ challenge, userHandle }, altered);
    const passkey = { ...expected, credential, name: 'Chrome on Linux' };
    return post(directoryPaths.methodChanges, { ...proven(), add: { passkey }, ...more });
  };
  const addPasskey = async (options: Parameters<typeof create>[0] = {}) => {
    const authenticator = create(options);
    expect(await add(authenticator)).toMatchObject({ outcome: 'done' });
    return authenticator;
  };
  const check = (credential: string, more: object = {}) =>
    post(directoryPaths.passkeyChecks, { ...expected, ...request, credential, ...more });
  const signIn = (authenticator: Authenticator, altered?: Altered, more?: object) =>
    check(authenticator.get({ challenge }, altered), more);
  const afterPassword = () => ({ first: { userId: user.id, passwordChangedAt: user.passwordChangedAt } });
  const checkPassword = () =>
    post(directoryPaths.passwordChecks, { username: user.username, password, address, understands: ['second_step'] });
  const asAdministrator = async (method: 'GET' | 'DELETE', path: string) => {
    const username = `passkey-administrator${users}@example.com`;
    const administrator =
      (await organization.deps.users.findByUsername(username)) ??
      (await organization.addUser({ username, password, roles: ['SystemAdministrator'] }));
    return organization.app.inject({
      method,
      url: `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}${path}`,
      headers: bearer(await organization.accessToken(administrator)),
    });
  };
  const readMethods = async () => (await asAdministrator('GET', '/methods')).json<{ passkeys: { id: string }[] }>();
  const wrong = () => ({ outcome: 'wrong', userId: user.id });

  it('are made, sign in alone, and follow a password, which no longer suffices', async () => {
    const authenticator = create();
    const added = await add(authenticator);
    expect(added).toMatchObject({ outcome: 'done', userVerified: true, user: { id: user.id, secondStep: true } });
    expect(new Set(added.recoveryCodes).size).toBe(10);
    expect(await signIn(authenticator)).toMatchObject({
      outcome: 'verified',
      userVerified: true,
      user: { id: user.id },
    });
    expect(await checkPassword()).toMatchObject({ outcome: 'verified', secondStep: { methodsVersion: 1 } });
    expect(await signIn(authenticator, {}, afterPassword())).toMatchObject({ outcome: 'verified' });
    expect(await listMethods()).toMatchObject({
      codeApp: false,
      passkeys: [{ id: authenticator.credentialId, transports: ['internal'] }],
      mayAddPasskey: true,
    });
  });

  it('are listed for administrators and the user, without a key', async () => {
    await addPasskey({ syncs: true });
    const { passkeys, ...others } = await readMethods();
    expect(passkeys).toEqual([
      {
        id: expect.any(String),
        name: 'Chrome on Linux',
        createdAt: new Date(organization.time.now).toISOString(),
        lastUsedAt: null,
        ...{ backupEligible: true, backedUp: true, userVerified: true },
        transports: ['internal'],
        aaguid: '00000000-0000-0000-0000-000000000000',
      },
    ]);
    expect(others).toMatchObject({ codeApp: null, secondStep: true, recoveryCodes: { left: 10 } });
  });

  describe('are not made', () => {
    it.each<[string, Altered]>([
      ['for another challenge', { clientData: { challenge: Buffer.alloc(64, 8).toString('base64url') } }],
      ['at another origin', { clientData: { origin: 'https://auth.example.com.evil.example' } }],
      ['in a frame of another site', { clientData: { crossOrigin: true } }],
      ['in a frame whose top is said', { clientData: { crossOrigin: false, topOrigin: 'https://evil.example' } }],
      ['of the answer of another ceremony', { clientData: { type: 'webauthn.get' } }],
      ['without a user present', { flags: 4 }],
      ['that are backed up, but may not be', { flags: 1 | 4 | 16 }],
    ])('%s', async (_case, altered) => {
      expect(await add(create(), altered)).toEqual({ outcome: 'wrong' });
      expect((await readMethods()).passkeys).toEqual([]);
    });

    it('for another domain', async () => {
      expect(await add(create({ rpId: 'evil.example' }))).toEqual({ outcome: 'wrong' });
    });

    it('twice, or for two users', async () => {
      const authenticator = await addPasskey();
      expect(await add(authenticator)).toEqual({ outcome: 'wrong' });
      user = await organization.addUser({ username: `second-holder${users}@example.com`, password });
      expect(await add(authenticator)).toEqual({ outcome: 'wrong' });
      expect((await readMethods()).passkeys).toEqual([]);
    });

    it('for a password of before', async () => {
      expect(await add(create(), {}, { passwordChangedAt: user.passwordChangedAt - 1 })).toEqual({
        outcome: 'changed',
      });
    });

    it('of what is no credential', async () => {
      const base = { ...expected, name: 'x' };
      for (const credential of [
        '',
        '{',
        '[]',
        '{"id":"a","response":{}}',
        '{"id":"a","response":{"clientDataJSON":"e30"}}',
      ]) {
        const change = { ...proven(), add: { passkey: { ...base, credential } } };
        expect(await post(directoryPaths.methodChanges, change)).toEqual({ outcome: 'wrong' });
        expect(await check(credential)).toEqual({ outcome: 'wrong' });
      }
    });

    it('beyond twenty', async () => {
      for (let index = 0; index < 20; index += 1) await addPasskey();
      expect(await add(create())).toEqual({ outcome: 'changed' });
      expect((await readMethods()).passkeys).toHaveLength(20);
    });
  });

  it('of eight that are made at the same moment one comes first, and one set of recovery codes is made', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => add(create())));
    const done = results.filter(({ outcome }) => outcome === 'done');
    expect(done).toHaveLength(1);
    expect(done[0]?.recoveryCodes).toHaveLength(10);
    expect((await readMethods()).passkeys).toHaveLength(1);
  });

  describe('do not sign in', () => {
    it.each<[string, Altered]>([
      ['for another challenge', { clientData: { challenge: Buffer.alloc(64, 8).toString('base64url') } }],
      ['at another origin', { clientData: { origin: 'https://evil.example' } }],
      ['in a frame of another site', { clientData: { crossOrigin: true } }],
      ['by the answer of another ceremony', { clientData: { type: 'webauthn.create' } }],
      ['without a user present', { flags: 4 }],
      ['alone, without a verified user', { flags: 1 }],
      ['as one that may be backed up, which it was not', { flags: 1 | 4 | 8 }],
      ['for another user handle', { userHandle: Buffer.alloc(16, 1).toString('base64url') }],
    ])('%s', async (_case, altered) => {
      const authenticator = await addPasskey();
      expect(await signIn(authenticator, altered)).toMatchObject({ outcome: 'wrong' });
      expect(await signIn(authenticator)).toMatchObject({ outcome: 'verified' });
    });

    it('by another key', async () => {
      const [authenticator, other] = [await addPasskey(), create()];
      other.create({ challenge, userHandle: '' });
      const answer = {
        ...JSON.parse(other.get({ challenge })),
        id: authenticator.credentialId,
        rawId: authenticator.credentialId,
      };
      expect(await check(JSON.stringify(answer))).toEqual(wrong());
    });

    it('where nobody has them', async () => {
      expect(await signIn(create())).toEqual({ outcome: 'wrong' });
    });

    it('after the password of another user', async () => {
      const authenticator = await addPasskey();
      const other = await organization.addUser({ username: `other-holder${users}@example.com`, password });
      const first = { userId: other.id, passwordChangedAt: other.passwordChangedAt };
      expect(await signIn(authenticator, {}, { first })).toEqual(wrong());
    });

    it('after a password that changed, or methods that did', async () => {
      const authenticator = await addPasskey();
      const { first } = afterPassword();
      const changed = { outcome: 'changed' };
      expect(await signIn(authenticator, {}, { first: { ...first, passwordChangedAt: 1 } })).toEqual(changed);
      expect(await signIn(authenticator, {}, { first: { ...first, methodsVersion: 0 } })).toEqual(changed);
      expect(await signIn(authenticator, {}, { first: { ...first, methodsVersion: 1 } })).toMatchObject({
        outcome: 'verified',
      });
    });

    it('alone, a user who has a password, where that is asked for', async () => {
      expect(await signIn(await addPasskey(), {}, { onlyWithoutPassword: true })).toEqual(wrong());
    });
  });

  it('that did not verify their user are a second step, and sign in alone once they did', async () => {
    const authenticator = await addPasskey({ verifies: false });
    const verifying = { flags: 1 | 4 };
    expect(await signIn(authenticator, verifying)).toEqual(wrong());
    expect(await signIn(authenticator, {}, afterPassword())).toMatchObject({
      outcome: 'verified',
      userVerified: false,
    });
    expect(await signIn(authenticator, verifying)).toEqual(wrong());
    expect(await signIn(authenticator, verifying, afterPassword())).toMatchObject({
      outcome: 'verified',
      userVerified: true,
    });
    expect(await signIn(authenticator, verifying)).toMatchObject({ outcome: 'verified' });
  });

  it('whose counter is behind are refused, with an event, and go on where it is not', async () => {
    const authenticator = await addPasskey({ counts: true });
    expect(await signIn(authenticator, { signCount: 5 })).toMatchObject({ outcome: 'verified' });
    for (const signCount of [5, 4, 0]) expect(await signIn(authenticator, { signCount })).toEqual(wrong());
    expect(await signIn(authenticator, { signCount: 6 })).toMatchObject({ outcome: 'verified' });
    const url = `/organization/api/organization/audit-events?subject=${encodeURIComponent(user.username)}`;
    const auditor = await organization.addUser({
      username: `auditor${users}@example.com`,
      roles: ['SystemAdministrator'],
    });
    const answer = await organization.app.inject({ url, headers: bearer(await organization.accessToken(auditor)) });
    const types = answer.json<{ events: { type: string }[] }>().events.map(({ type }) => type);
    expect(types.filter((type) => type === 'passkey.counter_behind')).toHaveLength(3);
    expect(types).toContain('passkey.added');
  });

  it('that are on several devices may count as they like', async () => {
    const authenticator = await addPasskey({ syncs: true });
    for (const signCount of [9, 3, 0])
      expect(await signIn(authenticator, { signCount })).toMatchObject({ outcome: 'verified' });
  });

  describe('are removed by an administrator', () => {
    it('which ends sessions and tokens; with the last the password suffices again, and the browser is told', async () => {
      const authenticator = await addPasskey();
      const [passkey] = (await readMethods()).passkeys;
      expect((await asAdministrator('DELETE', `/methods/passkeys/${passkey?.id}`)).statusCode).toBe(204);
      const { outcome, user: checked, secondStep } = await checkPassword();
      expect({ outcome, secondStep }).toEqual({ outcome: 'verified', secondStep: undefined });
      expect(checked).toMatchObject({ passwordChangedAt: organization.time.now, secondStep: false });
      expect(await readMethods()).toMatchObject({ passkeys: [], recoveryCodes: null, secondStep: false });
      expect(await signIn(authenticator)).toEqual({ outcome: 'wrong', deletedId: authenticator.credentialId });
      expect((await asAdministrator('DELETE', `/methods/passkeys/${passkey?.id}`)).statusCode).toBe(404);
    });

    it('one of two, and the other goes on', async () => {
      const [kept] = [await addPasskey(), await addPasskey()];
      const [, second] = (await readMethods()).passkeys;
      expect((await asAdministrator('DELETE', `/methods/passkeys/${second?.id}`)).statusCode).toBe(204);
      expect(await readMethods()).toMatchObject({ secondStep: true, recoveryCodes: { left: 10 } });
      expect(await signIn(kept)).toMatchObject({ outcome: 'verified' });
    });

    it('and go with a user who is deleted', async () => {
      const authenticator = await addPasskey();
      expect((await asAdministrator('DELETE', '')).statusCode).toBe(204);
      expect(await signIn(authenticator)).toEqual({ outcome: 'wrong', deletedId: authenticator.credentialId });
    });
  });
});
