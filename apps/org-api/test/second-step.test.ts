import { createEncryption } from '@gatehouse/service-kit';
import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findTimeStep } from '../src/methods/time-code.ts';
import type { User } from '../src/users/user.ts';
import {
  type AdministratorRequests,
  address,
  asksForMore,
  bytesOf,
  codeAt,
  createAdministratorRequests,
  createDirectoryRequests,
  type DirectoryRequests,
  secret,
} from './support/methods.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const password = 'second-step-password';
const minute = 60_000;

describe('a code of an app', () => {
  // RFC 6238 appendix B, the last six digits.
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1234567890, '005924'],
    [20000000000, '353130'],
  ])('of RFC 6238 appendix B is right at %i seconds: %s', (seconds, code) => {
    expect(findTimeStep(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it.each([
    [-61, undefined],
    [-30, 41_152_262],
    [0, 41_152_263],
    [30, 41_152_264],
    [61, undefined],
  ])('that is %i seconds off is of step %s', (off, step) => {
    const now = 1_234_567_890_000;
    expect(findTimeStep(secret, codeAt(now + off * 1000), now)).toBe(step);
  });

  const foreignDigits = ['٢٨٧٠٨٢', '２８７０８２', '28708é', '28708\u0662', '😀7082'];
  it.each(['28708', '2870820', '', 'abcdef', ...foreignDigits])('%j is none', (code) => {
    expect(findTimeStep(secret, code, 59_000)).toBeUndefined();
  });
});

describe.each(testDialects)('the second step on %s', (dialect) => {
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
    organization.time.now += 10 * minute;
    user = await organization.addUser({ username: `user${users}@example.com`, password });
  });

  const checkPassword = (more: object = asksForMore) => directory.checkPassword(user, { password, ...more });
  const setUp = async (more: object = {}) =>
    (await directory.addCodeApp(user, more)) as { outcome: string; recoveryCodes: string[] };
  const checkCode = (code: string, more: object = {}) => directory.checkCode(user, code, more);
  const nextCode = () => {
    organization.time.now += 30_000;
    return codeAt(organization.time.now);
  };
  const readRow = async () => {
    const sql = 'SELECT password_hash, guarded_hash, methods_version FROM users WHERE id = ?';
    const [row] = await organization.deps.database.query<Record<string, unknown>>(sql, [bytesOf(user)]);
    return row;
  };
  const asAdministrator = (method: 'GET' | 'DELETE' | 'PUT', path: string, payload?: object) =>
    administrator.ofUser(user, method, path, payload);

  it('is offered', async () => {
    const off = { registration: false, accountDeletion: false };
    const same = { branding: {}, consoleUrl: expect.stringMatching(/\/console$/) };
    const offered = { codeApp: true, passkeys: true, accounts: true, groups: true, mails: false, ...off, ...same };
    expect(await directory.post(directoryPaths.settings, {})).toEqual(offered);
  });

  describe('is set up', () => {
    it('by the code of an app, with ten recovery codes', async () => {
      expect(await checkPassword()).toEqual({ outcome: 'verified', user: expect.anything() });
      const { outcome, recoveryCodes } = await setUp();
      expect(outcome).toBe('done');
      expect(new Set(recoveryCodes).size).toBe(10);
      for (const code of recoveryCodes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      expect(await checkPassword()).toMatchObject({
        outcome: 'verified',
        user: { id: user.id, secondStep: true },
        secondStep: { methodsVersion: 1 },
      });
    });

    it('and is in the audit trail with the address of the user, but no code', async () => {
      const { recoveryCodes } = await setUp();
      await checkCode(recoveryCodes[3] as string);
      await asAdministrator('DELETE', '/methods/code-app');
      const events = await administrator.listEvents(user);
      expect(events.map(({ type }) => type).sort()).toEqual([
        'code_app.added',
        'code_app.removed',
        'recovery_code.used',
        'recovery_codes.made',
      ]);
      const party = { kind: 'user', id: user.id, name: user.username };
      const used = { actor: party, subject: party, details: { left: 9 }, request: 'request-of-the-user', address };
      expect(events.find(({ type }) => type === 'recovery_code.used')).toMatchObject(used);
      expect(JSON.stringify(events)).not.toContain((recoveryCodes[3] as string).slice(0, 4));
    });

    it('and no code of it is right twice, that of the set-up included', async () => {
      await setUp();
      expect((await checkCode(codeAt(organization.time.now))).outcome).toBe('wrong');
      const code = nextCode();
      expect(await checkCode(code)).toMatchObject({ outcome: 'verified', by: 'code_app', user: { id: user.id } });
      expect((await checkCode(code)).outcome).toBe('wrong');
      expect((await checkCode(codeAt(organization.time.now - 30_000))).outcome).toBe('wrong');
    });

    it('not by a wrong code', async () => {
      const code = codeAt(organization.time.now + 10 * minute);
      expect(await setUp({ add: { codeApp: { secret, code } } })).toEqual({ outcome: 'wrong' });
      expect(await checkPassword()).not.toHaveProperty('secondStep');
    });

    it('not by six digits of another script, which are a wrong code at the second step, too', async () => {
      const foreign = '٢٨٧٠٨٢';
      expect(await setUp({ add: { codeApp: { secret, code: foreign } } })).toEqual({ outcome: 'wrong' });
      await setUp();
      expect(await checkCode(foreign)).toEqual({ outcome: 'wrong' });
    });

    it('not after a change of the password, for a disabled user, or for a Robot', async () => {
      expect(await setUp({ passwordChangedAt: user.passwordChangedAt - 1 })).toEqual({ outcome: 'changed' });
      await organization.deps.users.update(user.id, { enabled: false }, organization.time.now);
      expect(await setUp()).toEqual({ outcome: 'changed' });
      user = await organization.addUser({ username: `robot${users}@example.com`, userType: 'Robot' });
      expect(await setUp()).toEqual({ outcome: 'changed' });
    });

    it('by one of several at the same moment', async () => {
      const outcomes = (await Promise.all(Array.from({ length: 8 }, () => setUp()))).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
      expect(new Set(outcomes)).toEqual(new Set(['done', 'changed']));
    });

    it('anew, in place of the app before: the recovery codes stay', async () => {
      const { recoveryCodes } = await setUp();
      organization.time.now += 30_000;
      expect(await setUp()).toMatchObject({ outcome: 'done', recoveryCodes: [] });
      expect(await checkCode(recoveryCodes[0] as string)).toMatchObject({ outcome: 'verified', by: 'recovery_code' });
    });
  });

  describe('a code', () => {
    it('may have spaces, hyphens and letters of either case', async () => {
      const { recoveryCodes } = await setUp();
      const code = nextCode();
      expect((await checkCode(` ${code.slice(0, 3)} ${code.slice(3)} `)).outcome).toBe('verified');
      const typed = (recoveryCodes[1] as string)
        .toLowerCase()
        .replaceAll('-', ' ')
        .replaceAll('0', 'o')
        .replaceAll('1', 'l');
      expect((await checkCode(typed)).outcome).toBe('verified');
    });

    it('for recovery works once, of several at the same moment too', async () => {
      const [code] = (await setUp()).recoveryCodes as [string];
      const outcomes = (await Promise.all(Array.from({ length: 4 }, () => checkCode(code)))).map(
        ({ outcome }) => outcome,
      );
      expect(outcomes.sort()).toEqual(['verified', 'wrong', 'wrong', 'wrong']);
    });

    it('is not checked after the methods changed, where the password was right before', async () => {
      await setUp();
      expect(await checkCode(nextCode(), { methodsVersion: 0 })).toEqual({ outcome: 'changed' });
      expect(await checkCode(nextCode(), { passwordChangedAt: 1 })).toEqual({ outcome: 'changed' });
      expect((await checkCode(nextCode(), { methodsVersion: 1 })).outcome).toBe('verified');
    });

    it('is right for a disabled user too: the caller decides', async () => {
      await setUp();
      await organization.deps.users.update(user.id, { enabled: false }, organization.time.now);
      expect(await checkCode(nextCode())).toMatchObject({ outcome: 'verified', user: { enabled: false } });
    });

    it('is wrong where the user has none', async () => {
      expect(await checkCode('123456')).toEqual({ outcome: 'wrong' });
      expect(await checkCode('0000-0000-0000-0000')).toEqual({ outcome: 'wrong' });
    });

    it('is refused after five wrong ones, a right one too, for five minutes; recovery codes have a count of their own', async () => {
      const { recoveryCodes } = await setUp();
      for (let wrong = 0; wrong < 5; wrong += 1) expect((await checkCode('000000')).outcome).toBe('wrong');
      const limited = await checkCode(nextCode());
      expect(limited).toEqual({ outcome: 'limited', retryAfter: expect.any(Number) });
      expect(limited.retryAfter).toBeLessThanOrEqual(300);
      expect((await checkCode(recoveryCodes[0] as string)).outcome).toBe('verified');
      organization.time.now += 5 * minute;
      expect((await checkCode(nextCode())).outcome).toBe('verified');
    });

    it('is refused after ten wrong ones in a browser where the user signed in, whatever others do elsewhere', async () => {
      await setUp();
      const knownBrowsers = [{ id: 'browser', userId: user.id, passwordChangedAt: user.passwordChangedAt }];
      for (let wrong = 0; wrong < 6; wrong += 1) await checkCode('000000');
      for (let wrong = 0; wrong < 10; wrong += 1) {
        expect((await checkCode('000000', { knownBrowsers })).outcome).toBe('wrong');
      }
      expect((await checkCode(nextCode(), { knownBrowsers })).outcome).toBe('limited');
    });

    it.each<[string, (turn: number) => string]>([
      ['codes', (turn) => String(100_000 + turn)],
      ['recovery codes', (turn) => `0000-0000-0000-00${turn + 10}`],
    ])('is one of five that are checked, of forty wrong %s at once at two replicas', async (_kind, codeOf) => {
      await setUp();
      const replica = await organization.startReplica();
      const atReplica = createDirectoryRequests(organization, replica);
      try {
        const checks = Array.from({ length: 40 }, (_, turn) =>
          (turn % 2 === 0 ? directory : atReplica).checkCode(user, codeOf(turn)),
        );
        const outcomes = (await Promise.all(checks)).map(({ outcome }) => outcome);
        expect(outcomes.filter((outcome) => outcome === 'wrong').length).toBeLessThanOrEqual(5);
        expect(outcomes.filter((outcome) => outcome !== 'wrong' && outcome !== 'limited')).toEqual([]);
      } finally {
        await replica.close();
      }
    });

    it('is refused after twenty wrong ones in a day', async () => {
      await setUp();
      for (let spans = 0; spans < 4; spans += 1) {
        for (let wrong = 0; wrong < 5; wrong += 1) expect((await checkCode('000000')).outcome).toBe('wrong');
        organization.time.now += 6 * minute;
      }
      const limited = await checkCode(nextCode());
      expect(limited.outcome).toBe('limited');
      expect(limited.retryAfter).toBeGreaterThan(86_000 - 4 * 360);
    });

    it('counts as none after a change of the password', async () => {
      await setUp();
      for (let wrong = 0; wrong < 6; wrong += 1) await checkCode('000000');
      organization.time.now += 1;
      expect((await asAdministrator('PUT', '/password', { password: 'another-long-password' })).statusCode).toBe(204);
      user = (await organization.deps.users.findById(user.id)) as User;
      expect((await checkCode(nextCode())).outcome).toBe('verified');
    });
  });

  describe('a release without second steps', () => {
    it('asks for none and gets `wrong`, also for the right password', async () => {
      await setUp();
      expect(await checkPassword({})).toEqual({ outcome: 'wrong', userId: user.id });
      expect(await checkPassword({ understands: ['something_else'] })).toEqual({ outcome: 'wrong', userId: user.id });
    });

    it('finds no password in the column that it reads', async () => {
      await setUp();
      expect(await readRow()).toEqual({
        password_hash: null,
        guarded_hash: user.passwordHash,
        methods_version: 1,
      });
    });

    it('may write a password, which counts, and is moved at the next check', async () => {
      await setUp();
      const other = await organization.addUser({
        username: `other${users}@example.com`,
        password: 'written-meanwhile',
      });
      await organization.deps.database.execute('UPDATE users SET password_hash = ? WHERE id = ?', [
        other.passwordHash,
        bytesOf(user),
      ]);
      expect(await checkPassword()).toMatchObject({ outcome: 'wrong' });
      expect(await checkPassword({ password: 'written-meanwhile', ...asksForMore })).toMatchObject({
        outcome: 'verified',
        secondStep: { methodsVersion: expect.any(Number) },
      });
      expect(await readRow()).toMatchObject({ password_hash: null, guarded_hash: other.passwordHash });
    });
  });

  it('that was never stored, because the process was killed, asks for nothing, and the password moves back', async () => {
    await organization.deps.database.execute(
      'UPDATE users SET methods_version = 1, guarded_hash = password_hash, password_hash = NULL WHERE id = ?',
      [bytesOf(user)],
    );
    const checked = await checkPassword();
    expect(checked.outcome).toBe('verified');
    expect(checked).not.toHaveProperty('secondStep');
    expect(await readRow()).toMatchObject({ password_hash: user.passwordHash, guarded_hash: null });
  });

  it('keeps its password through a change, and the last administrator counts with it', async () => {
    await setUp();
    expect((await asAdministrator('PUT', '/password', { password: 'another-long-password' })).statusCode).toBe(204);
    expect((await checkPassword()).outcome).toBe('wrong');
    const changed = await checkPassword({ password: 'another-long-password', ...asksForMore });
    expect(changed).toMatchObject({ outcome: 'verified', secondStep: { methodsVersion: expect.any(Number) } });
    expect(await readRow()).toMatchObject({ password_hash: null });
  });

  it('makes no network known before it is done', async () => {
    const isKnown = async () => {
      const sql = 'SELECT COUNT(*) AS networks FROM known_networks';
      const [row] = await organization.deps.database.query<{ networks: number }>(sql, []);
      return Number(row?.networks);
    };
    await setUp();
    const from = { address: '203.0.113.77' };
    const before = await isKnown();
    await checkPassword({ ...asksForMore, ...from });
    expect(await isKnown()).toBe(before);
    await checkCode(nextCode(), from);
    expect(await isKnown()).toBe(before + 1);
  });

  it('has a secret that is stored encrypted for its user, and codes that are digests', async () => {
    const { recoveryCodes } = await setUp();
    const [app] = await organization.deps.database.query<{ sealed_secret: string }>(
      'SELECT sealed_secret FROM code_apps WHERE user_id = ?',
      [bytesOf(user)],
    );
    expect(app?.sealed_secret).not.toContain(secret);
    const { credentialsKey: current } = organization.deps.config;
    const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current });
    expect(encryption.decrypt(app?.sealed_secret ?? '', `code app of ${user.id}`)).toBe(secret);
    expect(() => encryption.decrypt(app?.sealed_secret ?? '', 'code app of another')).toThrow();
    const rows = await organization.deps.database.query<{ digest: Buffer }>('SELECT * FROM recovery_codes', []);
    for (const code of recoveryCodes) {
      for (const { digest } of rows) expect(digest.toString('latin1')).not.toContain(code.replaceAll('-', ''));
    }
  });

  describe('is administered', () => {
    it('as `GET …/methods` shows it, to the user too', async () => {
      expect((await asAdministrator('GET', '/methods')).json()).toEqual({
        password: { changedAt: new Date(user.passwordChangedAt).toISOString() },
        passkeys: [],
        codeApp: null,
        recoveryCodes: null,
        secondStep: false,
      });
      const madeAt = new Date(organization.time.now).toISOString();
      await setUp();
      const code = nextCode();
      await checkCode(code);
      const shown = {
        password: { changedAt: new Date(user.passwordChangedAt).toISOString() },
        passkeys: [],
        codeApp: { createdAt: madeAt, lastUsedAt: new Date(organization.time.now).toISOString() },
        recoveryCodes: { left: 10, createdAt: madeAt },
        secondStep: true,
      };
      const answer = await asAdministrator('GET', '/methods');
      expect([answer.json(), answer.headers['cache-control']]).toEqual([shown, 'no-store']);
      const own = async (claims: { third_party?: boolean }) =>
        organization.app.inject({
          url: `/organization/api/organization/user/userId/${user.username}/methods`,
          headers: bearer(await organization.accessToken(user, claims)),
        });
      expect((await own({})).json()).toEqual(shown);
      expect((await own({ third_party: true })).statusCode).toBe(403);
    });

    it('not by others: 403; nor of nobody: 404; nor of a Robot: 400', async () => {
      const other = await organization.addUser({ username: `third${users}@example.com`, password });
      const get = async (username: string, by: User) =>
        organization.app.inject({
          url: `/organization/api/organization/user/userId/${username}/methods`,
          headers: bearer(await organization.accessToken(by)),
        });
      expect((await get(user.username, other)).statusCode).toBe(403);
      const nobody = { username: 'nobody@example.com' };
      expect((await administrator.ofUser(nobody, 'GET', '/methods')).statusCode).toBe(404);
      const machine = await organization.addUser({ username: `robot${users}@example.com`, userType: 'Robot' });
      const robot = await administrator.ofUser(machine, 'GET', '/methods');
      expect([robot.statusCode, robot.json<{ detail: string }>().detail]).toEqual([400, 'a Robot never signs in']);
    });

    it('by an administrator who removes the app: the password suffices, and what was issued before is void', async () => {
      const { recoveryCodes } = await setUp();
      expect((await asAdministrator('DELETE', '/methods/code-app')).statusCode).toBe(204);
      const checked = await checkPassword();
      expect(checked).not.toHaveProperty('secondStep');
      expect(checked.user).toMatchObject({ secondStep: false, passwordChangedAt: organization.time.now });
      expect(await readRow()).toMatchObject({ password_hash: user.passwordHash, guarded_hash: null });
      user = (await organization.deps.users.findById(user.id)) as User;
      expect((await checkCode(recoveryCodes[0] as string)).outcome).toBe('wrong');
      expect((await asAdministrator('DELETE', '/methods/code-app')).statusCode).toBe(404);
    });

    it('by an administrator who removes the recovery codes: the app stays', async () => {
      await setUp();
      expect((await asAdministrator('DELETE', '/methods/recovery-codes')).statusCode).toBe(204);
      expect((await asAdministrator('DELETE', '/methods/recovery-codes')).statusCode).toBe(404);
      expect(await checkPassword()).toMatchObject({ secondStep: { methodsVersion: expect.any(Number) } });
    });

    it('and goes with the user', async () => {
      await setUp();
      expect((await asAdministrator('DELETE', '')).statusCode).toBe(204);
      for (const table of ['code_apps', 'recovery_codes']) {
        const sql = `SELECT 1 FROM ${table} WHERE user_id = ?`;
        expect(await organization.deps.database.query(sql, [bytesOf(user)])).toEqual([]);
      }
    });
  });
});
