import { setTimeout as sleep } from 'node:timers/promises';
import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization, tokenOf } from './support/mails.ts';
import {
  type AdministratorRequests,
  type Answer,
  asksForMore,
  bytesOf,
  challenge,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  holdStatement,
} from './support/methods.ts';
import { authUrl, bearer, type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-resets';
const newPassword = 'another-password-of-resets';
const resetNotice = 'Your ways to sign in were reset';
const day = 24 * 3_600_000;
const noMethods = { password: null, passkeys: [], codeApp: null, recoveryCodes: null, secondStep: false };

let names = 0;
const nextName = () => {
  names += 1;
  return `locked-out${names}@example.com`;
};

interface Reset {
  invitation: { expiresAt: string; link?: string } | null;
}

/** The token in the link that an administrator got. */
const tokenIn = (reset: Reset) => tokenOf({ text: `\n${reset.invitation?.link ?? ''}\n` });

describe.each(testDialects)('a reset of all methods on %s', (dialect) => {
  let mailed: Awaited<ReturnType<typeof startMailedOrganization>>;
  let organization: Organization;
  let replica: Awaited<ReturnType<Organization['startReplica']>>;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let chief: User;
  let user: User;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect);
    ({ organization } = mailed);
    replica = await organization.startReplica();
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
    chief = await organization.addUser({ username: 'chief@example.com', password, roles: ['SystemAdministrator'] });
  });
  afterAll(async () => {
    await replica.close();
    await mailed.close();
  });
  beforeEach(async () => {
    organization.time.now += day;
    user = await organization.addUser({ username: nextName(), password, emailVerified: true });
    // Nothing happens in the millisecond in which the user was made.
    organization.time.now += 60_000;
  });

  const readUser = async () => (await organization.deps.users.findById(user.id)) as User;
  const reset = (fields: object = {}) => administrator.ofUser(user, 'POST', '/methods/reset', fields);
  const resetWith = async (fields: object): Promise<Reset> => {
    const answer = await reset(fields);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<Reset>();
  };
  const readMethods = () => administrator.readMethods(user);
  const readHashes = async () => {
    const sql = 'SELECT password_hash, guarded_hash FROM users WHERE id = ?';
    return (await organization.deps.database.query<object>(sql, [bytesOf(user)]))[0];
  };
  const countRows = async (table: 'passkeys' | 'code_apps' | 'recovery_codes') => {
    const sql = `SELECT COUNT(*) AS found FROM ${table} WHERE user_id = ?`;
    return Number((await organization.deps.database.query<{ found: number }>(sql, [bytesOf(user)]))[0]?.found);
  };
  const countAll = async () => [
    await countRows('passkeys'),
    await countRows('code_apps'),
    await countRows('recovery_codes'),
  ];
  const addPasskey = async () => {
    const passkey = createPasskey();
    expect(await directory.addPasskey(user, passkey)).toMatchObject({ outcome: 'done' });
    return passkey;
  };
  const addCodeApp = async () => {
    const { outcome, recoveryCodes = [] } = await directory.addCodeApp(user);
    expect(outcome).toBe('done');
    return recoveryCodes;
  };
  const addAll = async () => ({ recoveryCodes: await addCodeApp(), passkey: await addPasskey() });
  const checkPassword = (text = password, more: object = asksForMore) =>
    directory.checkPassword(user, { password: text, ...more });
  const signIn = async (passkey: ReturnType<typeof createPasskey>) =>
    (await directory.checkPasskey(passkey.get({ challenge }))).outcome;
  const use = (token: string, fields?: object) =>
    directory.post(directoryPaths.linkUses, {
      ...{ token, address: '192.0.2.9', requestId: 'request-of-the-user' },
      ...(fields && { fields }),
    });
  const listEvents = () => administrator.listEvents(user);
  /** The newest first. */
  const listTypes = async () => (await listEvents()).map(({ type }) => type);
  /** Sends a reset to one of the two replicas. */
  const resetAt = async ({ app }: Pick<Organization, 'app'>, fields: object) =>
    app.inject({
      method: 'POST',
      url: `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/methods/reset`,
      headers: bearer(await organization.accessToken(chief)),
      payload: fields,
    });

  describe('that leaves the password', () => {
    it('takes all passkeys, the code app and the recovery codes, and the old password suffices again', async () => {
      const { passkey, recoveryCodes } = await addAll();
      const another = await addPasskey();
      expect(await resetWith({})).toEqual({ invitation: null });
      expect(await countAll()).toEqual([0, 0, 0]);
      expect(await readMethods()).toEqual({ ...noMethods, password: { changedAt: expect.any(String) } });
      expect(await readHashes()).toEqual({ password_hash: user.passwordHash, guarded_hash: null });
      expect([await signIn(passkey), await signIn(another)]).toEqual(['wrong', 'wrong']);
      const checked = await checkPassword();
      expect(checked).toMatchObject({ outcome: 'verified', user: { id: user.id } });
      expect(checked.secondStep).toBeUndefined();
      // An auth-server of the release before, which knows no second step.
      expect((await checkPassword(password, {})).outcome).toBe('verified');
      user = await readUser();
      const [code = ''] = recoveryCodes;
      organization.time.now += 60_000;
      expect((await directory.checkCode(user, code)).outcome).toBe('wrong');
      expect((await directory.checkCode(user, codeAt(organization.time.now))).outcome).toBe('wrong');
    });

    it.each([{}, { password: false }, { password: false, deliver: 'link' }, { deliver: 'mail' }])(
      'invites nobody: %j',
      async (fields) => {
        await addPasskey();
        expect(await resetWith(fields)).toEqual({ invitation: null });
        expect(await listTypes()).not.toContain('user.invited');
        const subjects = (await mailed.takeMails(user.email)).map(({ subject }) => subject);
        expect(subjects).toContain(resetNotice);
        expect(subjects).not.toContain('You are invited');
      },
    );

    it('invites a user who signed in by a passkey alone', async () => {
      await addPasskey();
      expect(await directory.change(user, { remove: { password: true } })).toMatchObject({ outcome: 'done' });
      const answered = await resetWith({ deliver: 'link' });
      expect(await readMethods()).toEqual(noMethods);
      expect(await readHashes()).toEqual({ password_hash: null, guarded_hash: null });
      expect((await use(tokenIn(answered), { password: newPassword })).outcome).toBe('done');
      expect((await checkPassword(newPassword)).outcome).toBe('verified');
    });

    it('leaves a user without a second step the password, and ends the sessions', async () => {
      expect(await resetWith({})).toEqual({ invitation: null });
      expect((await checkPassword()).outcome).toBe('verified');
      expect((await readUser()).passwordChangedAt).toBe(organization.time.now);
    });
  });

  describe('that takes the password too', () => {
    it('leaves no method, and invites by a link that the administrator gets', async () => {
      const { passkey } = await addAll();
      const answered = await resetWith({ password: true, deliver: 'link' });
      expect(answered).toEqual({
        invitation: {
          expiresAt: new Date(organization.time.now + 7 * day).toISOString(),
          link: expect.stringContaining(`${authUrl}/account/link?token=`),
        },
      });
      expect(await readMethods()).toEqual(noMethods);
      expect(await countAll()).toEqual([0, 0, 0]);
      expect(await readHashes()).toEqual({ password_hash: null, guarded_hash: null });
      for (const text of [password, '']) expect((await checkPassword(text)).outcome).toBe('wrong');
      expect(await signIn(passkey)).toBe('wrong');
      const token = tokenIn(answered);
      expect(await use(token)).toMatchObject({ outcome: 'open', purpose: 'invitation', userId: user.id });
      expect(await use(token, { password: newPassword })).toMatchObject({ outcome: 'done' });
      expect((await checkPassword(newPassword)).outcome).toBe('verified');
      expect(await use(token)).toEqual({ outcome: 'gone' });
      expect(JSON.stringify(await listEvents())).not.toContain(token);
    });

    it('mails the invitation to the address of the user', async () => {
      await addPasskey();
      await mailed.takeMails(user.email);
      const answered = await resetWith({ password: true });
      expect(answered).toEqual({ invitation: { expiresAt: expect.any(String) } });
      const mails = await mailed.takeMails(user.email);
      expect(mails.map(({ subject }) => subject).sort()).toEqual(['You are invited', resetNotice]);
      expect(await use(tokenOf(mails.find(({ subject }) => subject !== resetNotice)))).toMatchObject({
        outcome: 'open',
        purpose: 'invitation',
      });
    });

    it('takes that of a user who has nothing else', async () => {
      const answered = await resetWith({ password: true, deliver: 'link' });
      expect(await readMethods()).toEqual(noMethods);
      expect((await use(tokenIn(answered))).outcome).toBe('open');
    });

    it('again replaces the link of before', async () => {
      const before = tokenIn(await resetWith({ password: true, deliver: 'link' }));
      organization.time.now += 60_000;
      const after = tokenIn(await resetWith({ password: true, deliver: 'link' }));
      expect([(await use(before)).outcome, (await use(after)).outcome]).toEqual(['gone', 'open']);
    });

    it('of a disabled user gives a link that works once the user is enabled', async () => {
      await administrator.ofUser(user, 'PATCH', '', { enabled: false });
      const token = tokenIn(await resetWith({ password: true, deliver: 'link' }));
      expect((await use(token)).outcome).toBe('gone');
      await administrator.ofUser(user, 'PATCH', '', { enabled: true });
      expect((await use(token)).outcome).toBe('open');
    });
  });

  it('voids the access tokens and mailed links of before', async () => {
    user = await organization.addUser({ username: nextName(), password });
    organization.time.now += 1;
    const token = await organization.accessToken(user);
    const path = `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/methods`;
    const read = async () => (await organization.app.inject({ url: path, headers: bearer(token) })).statusCode;
    expect(await read()).toBe(200);
    const { id: userId, passwordChangedAt } = user;
    await directory.post(directoryPaths.linkRequests, {
      ...{ language: 'en', requestId: 'request-of-the-user', address: '192.0.2.9' },
      signedIn: { userId, passwordChangedAt },
    });
    const [mail] = await mailed.takeMails(user.email);
    const link = tokenOf(mail);
    expect((await use(link)).outcome).toBe('open');
    await resetWith({});
    expect([await read(), (await use(link)).outcome]).toEqual([401, 'gone']);
  });

  it('voids a half-done sign-in, whose second step is none any more', async () => {
    const { recoveryCodes } = await addAll();
    const { methodsVersion } = (await checkPassword()).secondStep as { methodsVersion: number };
    await resetWith({});
    const checked = await directory.checkCode(user, recoveryCodes[0] as string, { methodsVersion });
    expect(checked.outcome).toBe('changed');
  });

  it.each([
    [{}, false],
    [{ password: true, deliver: 'link' }, true],
  ])('is in the audit trail, with who did it: %j', async (fields, takesPassword) => {
    await addPasskey();
    await resetWith(fields);
    const about = {
      actor: { kind: 'user', name: 'administrator@example.com' },
      subject: { kind: 'user', id: user.id, name: user.username },
    };
    const events = await listEvents();
    const ofReset = events.slice(0, takesPassword ? 2 : 1).reverse();
    expect(ofReset[0]).toMatchObject({ ...about, type: 'methods.reset', details: { password: takesPassword } });
    expect(ofReset.slice(1)).toMatchObject(takesPassword ? [{ ...about, type: 'user.invited' }] : []);
    expect(events.filter(({ type }) => type === 'methods.reset')).toHaveLength(1);
  });

  it('is told to the user at a verified address, and to no other', async () => {
    await resetWith({});
    const [notice, ...more] = await mailed.takeMails(user.email);
    expect([notice?.subject, more]).toEqual([resetNotice, []]);
    expect(notice?.text).not.toContain('administrator@example.com');
    user = await organization.addUser({ username: nextName(), password });
    organization.time.now += 1;
    await resetWith({});
    expect(await mailed.takeMails(user.email)).toEqual([]);
  });

  describe('is refused', () => {
    const resetAs = async (caller: User, named: string, fields: object = {}) => {
      const answer = await organization.app.inject({
        method: 'POST',
        url: `/organization/api/organization/user/userId/${encodeURIComponent(named)}/methods/reset`,
        headers: bearer(await organization.accessToken(caller)),
        payload: fields,
      });
      return [answer.statusCode, answer.json<{ detail?: string }>().detail];
    };

    it('to an administrator of the own methods, however the name is written: 403', async () => {
      const text = 'another administrator resets your methods';
      for (const named of [chief.username, 'Chief@Example.com']) {
        expect(await resetAs(chief, named)).toEqual([403, text]);
        expect(await resetAs(chief, named, { password: true })).toEqual([403, text]);
      }
      expect((await organization.deps.users.findById(chief.id))?.passwordHash).toBe(chief.passwordHash);
    });

    it('to callers who are no SystemAdministrator, of anybody and of themselves: 403', async () => {
      const idp = await organization.addUser({ username: nextName(), password, roles: ['IdpAdministrator'] });
      for (const caller of [idp, user]) {
        for (const named of [user.username, caller.username, 'nobody@example.com']) {
          expect((await resetAs(caller, named, { password: true }))[0]).toBe(403);
        }
      }
      expect(await readUser()).toEqual(user);
    });

    it('without a token: 401', async () => {
      const url = `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/methods/reset`;
      const answer = await organization.app.inject({ method: 'POST', url, payload: { password: true } });
      expect(answer.statusCode).toBe(401);
      expect(await readUser()).toEqual(user);
    });

    it('of a Robot: 400, and of nobody: 404', async () => {
      const robot = await organization.addUser({ username: nextName(), userType: 'Robot' });
      const answer = await administrator.ofUser(robot, 'POST', '/methods/reset', { password: true });
      expect([answer.statusCode, answer.json<Answer>()]).toEqual([
        400,
        expect.objectContaining({ detail: 'a Robot never signs in' }),
      ]);
      const nobody = { username: 'nobody@example.com' };
      expect((await administrator.ofUser(nobody, 'POST', '/methods/reset', {})).statusCode).toBe(404);
    });

    it.each([{ password: 'yes' }, { deliver: 'pigeon' }, { passkeys: true }, { password: null }])(
      'with a body that says %j: 400',
      async (fields) => {
        const before = await readUser();
        expect((await reset(fields)).statusCode).toBe(400);
        expect(await readUser()).toEqual(before);
      },
    );

    it('without a body: 400', async () => {
      const answer = await administrator.ofUser(user, 'POST', '/methods/reset');
      expect(answer.statusCode).toBe(400);
      expect(await readUser()).toEqual(user);
    });
  });

  describe('at the same moment as another change', () => {
    it.each([
      ['a passkey', /INTO passkeys/],
      ['a code app', /(UPDATE|INTO) code_apps/],
    ])('leaves nothing of %s that was on its way', async (kind, isMeant) => {
      const held = holdStatement(organization, isMeant);
      const adding = kind === 'a passkey' ? directory.addPasskey(user, createPasskey()) : directory.addCodeApp(user);
      await held.reached;
      organization.time.now += 1;
      const answered = (await resetAt(replica, {})).json<Reset>();
      held.release();
      expect([answered, (await adding).outcome]).toEqual([{ invitation: null }, 'wrong']);
      expect(await countAll()).toEqual([0, 0, 0]);
      expect(await readHashes()).toEqual({ password_hash: user.passwordHash, guarded_hash: null });
      expect((await checkPassword(password, {})).outcome).toBe('verified');
    });

    it.each([
      ['the first method', () => directory.addPasskey(user, createPasskey())],
      ['new ones', () => directory.change(user, { recoveryCodes: 'new' })],
    ])('leaves no recovery codes of %s that were on their way', async (kind, make) => {
      if (kind === 'new ones') await addCodeApp();
      const held = holdStatement(organization, /INTO recovery_codes/);
      const making = make();
      await held.reached;
      organization.time.now += 1;
      expect((await resetAt(replica, {})).statusCode).toBe(200);
      held.release();
      await making;
      expect(await countAll()).toEqual([0, 0, 0]);
      expect(await readMethods()).toMatchObject({ recoveryCodes: null, secondStep: false });
    });

    it('says so where another removal came between: 409, and the next one takes what is left', async () => {
      await addAll();
      const held = holdStatement(organization, /DELETE FROM passkeys/);
      const first = resetAt(organization, { password: true, deliver: 'link' });
      await held.reached;
      organization.time.now += 1;
      const url = `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/methods/code-app`;
      const headers = bearer(await organization.accessToken(chief));
      expect((await replica.app.inject({ method: 'DELETE', url, headers })).statusCode).toBe(204);
      held.release();
      expect((await first).statusCode).toBe(409);
      expect(await countRows('passkeys')).toBe(1);
      const answered = await resetWith({ password: true, deliver: 'link' });
      expect(await countAll()).toEqual([0, 0, 0]);
      expect((await use(tokenIn(answered))).outcome).toBe('open');
    });

    it('by forty at two replicas, some with the password: what one that succeeded was to take is gone', async () => {
      await addAll();
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          await sleep(index / 3);
          const takesPassword = index % 4 === 0;
          const fields = takesPassword ? { password: true, deliver: 'link' } : {};
          const { statusCode } = await resetAt(Math.floor(index / 2) % 2 === 0 ? organization : replica, fields);
          return { statusCode, takesPassword };
        }),
      );
      const done = answers.filter(({ statusCode }) => statusCode === 200);
      expect(done.length).toBeGreaterThan(0);
      expect(answers.filter(({ statusCode }) => ![200, 409].includes(statusCode))).toEqual([]);
      expect(await countAll()).toEqual([0, 0, 0]);
      const isTaken = done.some(({ takesPassword }) => takesPassword);
      expect(await readHashes()).toEqual({ password_hash: isTaken ? null : user.passwordHash, guarded_hash: null });
      expect((await listTypes()).filter((type) => type === 'methods.reset')).toHaveLength(done.length);
    });

    it.each([[{}], [{ password: true, deliver: 'link' }]])(
      'among forty at two replicas who add passkeys and a code app, leaves none of them: %j',
      async (fields) => {
        const replicas = [directory, createDirectoryRequests(organization, replica)];
        const changes = Array.from({ length: 40 }, async (_, index) => {
          await sleep(index / 2);
          const to = replicas[Math.floor(index / 2) % 2] as DirectoryRequests;
          const { outcome } = await (index % 5 === 0 ? to.addCodeApp(user) : to.addPasskey(user, createPasskey()));
          return outcome;
        });
        await sleep(10);
        organization.time.now += 1;
        let status = 0;
        do ({ statusCode: status } = await resetAt(replica, fields));
        while (status === 409);
        expect(status).toBe(200);
        const outcomes = await Promise.all(changes);
        expect(outcomes.filter((outcome) => !['done', 'wrong', 'changed'].includes(String(outcome)))).toEqual([]);
        expect(await countAll()).toEqual([0, 0, 0]);
        const kept = 'password' in fields ? null : user.passwordHash;
        expect(await readHashes()).toEqual({ password_hash: kept, guarded_hash: null });
      },
    );
  });
});

describe('a reset of all methods where no mails are sent', () => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await startOrganization('sqlite');
  });
  afterAll(() => organization.close());

  it('gives the administrator the link, however it is to go out', async () => {
    const administrator = await createAdministratorRequests(organization);
    const user = await organization.addUser({ username: nextName(), password });
    for (const fields of [{ password: true }, { password: true, deliver: 'mail' }]) {
      organization.time.now += 1;
      const answer = await administrator.ofUser(user, 'POST', '/methods/reset', fields);
      expect(answer.json<Reset>().invitation?.link).toContain(`${authUrl}/account/link?token=`);
    }
  });
});
