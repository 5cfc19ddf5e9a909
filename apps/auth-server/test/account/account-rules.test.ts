import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill } from '@gatehouse/service-kit/html';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { type Accounts, escaped, readForms, resultOf, useAccounts } from '../support/account.ts';
import { type Realm, startRealm } from '../support/realm.ts';

const { passwordFaults, newPasswordHint } = en.methods;
const breached = 'a password of a breach';

describe('the pages of an account where the organization and the server have rules of their own', () => {
  let realm: Realm;
  let accounts: Accounts;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-breach-'));
    const file = join(folder, 'breached.txt');
    await writeFile(file, `${createHash('sha1').update(breached).digest('hex').toUpperCase()}:3\r\n`);
    const orgEnv = { PASSWORD_MIN_LENGTH: '15', USERS_MAY_CHANGE: '', BREACHED_PASSWORDS_FILE: file };
    realm = await startRealm({ PASSKEYS: 'off' }, { orgEnv });
    accounts = await useAccounts(realm);
  });
  afterAll(async () => {
    await realm.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['fourteen cats', fill(passwordFaults.password_too_short, { length: '15' })],
    [breached, passwordFaults.password_breached],
  ])('take no password that is too short, or known from a breach: %s', async (password, message) => {
    const visitor = await accounts.signIn();
    const page = await visitor.get('/account/password');
    expect(page.text).toContain(fill(newPasswordHint, { length: '15' }));
    const typed = { old_password: visitor.user.password, password };
    expect(resultOf(await visitor.send(page, '/account/password', typed))).toEqual([400, message]);
  });

  it('make no passkey where the server allows none', async () => {
    const visitor = await accounts.signIn();
    const page = await visitor.get('/account/passkeys');
    expect([page.status, readForms(page)]).toEqual([200, []]);
    expect(page.text).toContain(escaped(en.methods.tooManyPasskeys));
    const credential = accounts.createKey().create({ challenge: 'none', userHandle: '' });
    expect(resultOf(await visitor.post('/account/passkeys', { credential }))).toEqual([400, en.passkey.wrong]);
  });

  it('show a profile without a form, and take none, where users change nothing of it', async () => {
    const visitor = await accounts.signIn();
    const page = await visitor.get('/account');
    expect([page.status, readForms(page)]).toEqual([200, []]);
    expect(resultOf(await visitor.post('/account', { nickname: 'Uschi' }))).toEqual([
      400,
      fill(en.profile.refused, { fields: en.profile.fields.nickname }),
    ]);
  });
});
