import { directoryPaths } from '@gatehouse/shared';
import { type Altered, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  asksForMore,
  challenge,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  expected,
  holdStatement,
} from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-passkeys';

describe.each(testDialects)('passkeys on %s', (dialect) => {
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let users = 0;
  let user: User;

  beforeAll(async () => {
    organization = await startOrganization(dialect);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(() => organization.close());
  beforeEach(async () => {
    users += 1;
    organization.time.now += 600_000;
    user = await organization.addUser({ username: `holder${users}@example.com`, password });
  });

  type Authenticator = ReturnType<typeof createPasskey>;
  const listMethods = () => directory.post(directoryPaths.methodQueries, { userId: user.id });
  const add = (authenticator: Authenticator, altered?: Altered, more?: object) =>
    directory.addPasskey(user, authenticator, altered, more);
  const addPasskey = async (options?: Parameters<typeof createPasskey>[0]) => {
    const authenticator = createPasskey(options);
    expect(await add(authenticator)).toMatchObject({ outcome: 'done' });
    return authenticator;
  };
  const signIn = (authenticator: Authenticator, altered?: Altered, more?: object) =>
    directory.checkPasskey(authenticator.get({ challenge }, altered), more);
  const afterPassword = () => ({ first: { userId: user.id, passwordChangedAt: user.passwordChangedAt } });
  const checkPassword = () => directory.checkPassword(user, { password, ...asksForMore });
  const asAdministrator = (method: 'DELETE', path: string) => administrator.ofUser(user, method, path);
  const readMethods = () => administrator.readMethods(user);
  const wrong = () => ({ outcome: 'wrong', userId: user.id });

  it('are made, sign in alone, and follow a password, which no longer suffices', async () => {
    const authenticator = createPasskey();
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
      expect(await add(createPasskey(), altered)).toEqual({ outcome: 'wrong' });
      expect((await readMethods()).passkeys).toEqual([]);
    });

    it('for another domain', async () => {
      expect(await add(createPasskey({ rpId: 'evil.example' }))).toEqual({ outcome: 'wrong' });
    });

    it('twice, or for two users', async () => {
      const authenticator = await addPasskey();
      expect(await add(authenticator)).toEqual({ outcome: 'wrong' });
      user = await organization.addUser({ username: `second-holder${users}@example.com`, password });
      expect(await add(authenticator)).toEqual({ outcome: 'wrong' });
      expect((await readMethods()).passkeys).toEqual([]);
    });

    it('for a password of before', async () => {
      expect(await add(createPasskey(), {}, { passwordChangedAt: user.passwordChangedAt - 1 })).toEqual({
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
        const answer = directory.change(user, { add: { passkey: { ...base, credential } } });
        expect(await answer).toEqual({ outcome: 'wrong' });
        expect(await directory.checkPasskey(credential)).toEqual({ outcome: 'wrong' });
      }
    });

    it('beyond twenty', async () => {
      for (let index = 0; index < 20; index += 1) await addPasskey();
      expect(await add(createPasskey())).toEqual({ outcome: 'changed' });
      expect((await readMethods()).passkeys).toHaveLength(20);
    });

    it('as the first, where another one came in between: its recovery codes stay', async () => {
      const other = holdStatement(organization, /INTO passkeys/);
      const first = add(createPasskey());
      await other.reached;
      const gate = holdStatement(organization, /methods_version = methods_version \+ 1/);
      const second = add(createPasskey());
      await gate.reached;
      other.release();
      const { recoveryCodes: [code = ''] = [] } = await first;
      gate.release();
      expect(await second).toEqual({ outcome: 'changed' });
      expect(await directory.checkCode(user, code)).toMatchObject({ outcome: 'verified' });
    });

    it('by a sign-in without a second step, once there is one; nor does it change anything else', async () => {
      await addPasskey();
      const [passkey] = (await readMethods()).passkeys;
      const before = await readMethods();
      const weak = { withoutSecondStep: true };
      expect(await add(createPasskey(), {}, weak)).toEqual({ outcome: 'changed' });
      for (const change of [
        { remove: { passkey: passkey?.id } },
        { remove: { password: true } },
        { rename: { passkey: passkey?.id, name: 'Another' } },
        { recoveryCodes: 'new' },
        { password: { old: password, new: 'another-password-of-passkeys' } },
      ]) {
        expect(await directory.change(user, { ...change, ...weak })).toEqual({ outcome: 'changed' });
      }
      expect(await readMethods()).toEqual(before);
    });

    it('beyond twenty, where the twentieth came in between', async () => {
      for (let index = 0; index < 19; index += 1) await addPasskey();
      const twentieth = holdStatement(organization, /INTO passkeys/);
      const first = add(createPasskey());
      await twentieth.reached;
      const gate = holdStatement(organization, /methods_version = methods_version \+ 1/);
      const second = add(createPasskey());
      await gate.reached;
      twentieth.release();
      expect(await first).toMatchObject({ outcome: 'done' });
      gate.release();
      expect(await second).toEqual({ outcome: 'changed' });
      expect((await readMethods()).passkeys).toHaveLength(20);
    });
  });

  it('of eight that are made at the same moment one comes first, and one set of recovery codes is made', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => add(createPasskey())));
    const done = results.filter(({ outcome }) => outcome === 'done');
    expect(done.filter(({ recoveryCodes }) => recoveryCodes?.length === 10)).toHaveLength(1);
    expect((await readMethods()).passkeys).toHaveLength(done.length);
  });

  describe('do not sign in', () => {
    it.each<[string, Altered]>([
      ['for another challenge', { clientData: { challenge: Buffer.alloc(64, 8).toString('base64url') } }],
      ['at another origin', { clientData: { origin: 'https://evil.example' } }],
      ['in a frame of another site', { clientData: { crossOrigin: true } }],
      ['by the answer of another ceremony', { clientData: { type: 'webauthn.create' } }],
      ['without a user present', { flags: 4 }],
      ['alone, without a verified user', { flags: 1 }],
      ['in a frame whose top is said', { clientData: { crossOrigin: false, topOrigin: 'https://evil.example' } }],
      ['as one that may be backed up, which it was not', { flags: 1 | 4 | 8 }],
      ['as one that is backed up, but may not be', { flags: 1 | 4 | 16 }],
      ['for another user handle', { userHandle: Buffer.alloc(16, 1).toString('base64url') }],
    ])('%s', async (_case, altered) => {
      const authenticator = await addPasskey();
      expect(await signIn(authenticator, altered)).toMatchObject({ outcome: 'wrong' });
      expect(await signIn(authenticator)).toMatchObject({ outcome: 'verified' });
    });

    it('as one that may not be backed up, which it was', async () => {
      const authenticator = await addPasskey({ syncs: true });
      expect(await signIn(authenticator, { flags: 1 | 4 })).toEqual(wrong());
      // That it is not backed up any more is no fault.
      expect(await signIn(authenticator, { flags: 1 | 4 | 8 })).toMatchObject({ outcome: 'verified' });
    });

    it('by another key', async () => {
      const [authenticator, other] = [await addPasskey(), createPasskey()];
      other.create({ challenge, userHandle: '' });
      const answer = {
        ...JSON.parse(other.get({ challenge })),
        id: authenticator.credentialId,
        rawId: authenticator.credentialId,
      };
      expect(await directory.checkPasskey(JSON.stringify(answer))).toEqual(wrong());
    });

    it('where nobody has them', async () => {
      expect(await signIn(createPasskey())).toEqual({ outcome: 'wrong' });
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
    const types = (await administrator.listEvents(user)).map(({ type }) => type);
    expect(types.filter((type) => type === 'passkey.counter_behind')).toHaveLength(3);
    expect(types).toContain('passkey.added');
  });

  it('whose counter comes twice, from the authenticator and its copy, are taken once of forty at two replicas', async () => {
    const replica = await organization.startReplica();
    const atReplica = createDirectoryRequests(organization, replica);
    try {
      const authenticator = await addPasskey({ counts: true });
      const checks = Array.from({ length: 40 }, (_, turn) =>
        (turn % 2 === 0 ? directory : atReplica).checkPasskey(authenticator.get({ challenge }, { signCount: 7 })),
      );
      const outcomes = (await Promise.all(checks)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'verified')).toHaveLength(1);
      expect(new Set(outcomes)).toEqual(new Set(['verified', 'wrong']));
    } finally {
      await replica.close();
    }
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
