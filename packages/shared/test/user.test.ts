import { describe, expect, it } from '@jest/globals';
import { createFieldsChecker } from '../src/check-fields.ts';
import { foldName as foldUsername } from '../src/fold-name.ts';
import {
  mayAdministerClients,
  mayReadDirectory,
  NewUser,
  PasswordChange,
  roles,
  UserChanges,
  usernamePattern,
} from '../src/user.ts';

const checkNewUser = createFieldsChecker(NewUser);
const checkChanges = createFieldsChecker(UserChanges);
const checkPasswordChange = createFieldsChecker(PasswordChange);

function faultyFields(result: ReturnType<typeof checkNewUser | typeof checkChanges | typeof checkPasswordChange>) {
  return result.ok ? [] : result.errors.map(({ field }) => field);
}

describe('comparing usernames', () => {
  it.each([
    ['USER@EXAMPLE.COM', 'user@example.com'],
    ['ÄRGER@example.com', 'ärger@example.com'],
    ['e\u0301lan@example.com', '\u00e9lan@example.com'],
    ['E\u0301LAN@example.com', '\u00e9lan@example.com'],
    ['J\u030c@example.com', '\u01f0@example.com'],
    ['\u0130@example.com', 'i\u0307@example.com'],
    ['\u212a@example.com', 'k@example.com'],
  ])('takes %j and %j for one', (one, other) => {
    expect(foldUsername(one)).toBe(foldUsername(other));
  });

  it.each([
    ['user@example.com', 'user@example.org'],
    ['usér@example.com', 'user@example.com'],
    ['u\u0455er@example.com', 'user@example.com'],
    ['ａ@example.com', 'a@example.com'],
    ['user@example.com', 'user@example.com '],
  ])('keeps %j and %j apart', (one, other) => {
    expect(foldUsername(one)).not.toBe(foldUsername(other));
  });

  it.each(['J\u030c@x', '\u0130@x', 'T\u0308@x', '\u1e9e@x'])('folds %j once and for all', (username) => {
    expect(foldUsername(foldUsername(username))).toBe(foldUsername(username));
  });
});

describe('username', () => {
  const isUsername = (text: string) => new RegExp(usernamePattern, 'u').test(text);

  it.each([
    'user@example.com',
    'a@b',
    'first.last+tag@sub.example.com',
    'p@C.c',
    "o'neil@example.com",
    'a/b?c#d%25;e@example.com',
    'пользователь@пример.рф',
    '😀@example.com',
  ])('may be %j', (username) => {
    expect(isUsername(username)).toBe(true);
    expect(faultyFields(checkNewUser({ username, userType: 'Robot' }))).toEqual([]);
  });

  it.each([
    '',
    'user',
    '@example.com',
    'user@',
    'a@b@c',
    'us er@example.com',
    'user@example.com ',
    'user@example.com\n',
    'a:b@example.com',
    'a\u00a0b@example.com',
    'a\u2028b@example.com',
    'a\ufeffb@example.com',
    'a\u0000b@example.com',
    'a\u0085b@example.com',
    'a\ud800b@example.com',
  ])('may not be %j', (username) => {
    expect(isUsername(username)).toBe(false);
    expect(faultyFields(checkNewUser({ username, userType: 'Robot' }))).toEqual(['username']);
  });

  it('has at most 255 characters, counted as such and not as bytes', () => {
    const ofLength = (length: number) => `${'😀'.repeat(length - 2)}@b`;
    expect(faultyFields(checkNewUser({ username: ofLength(255), userType: 'Robot' }))).toEqual([]);
    expect(faultyFields(checkNewUser({ username: ofLength(256), userType: 'Robot' }))).toEqual(['username']);
  });
});

describe('new user', () => {
  const person = { username: 'user@example.com', userType: 'Person', password: 'user-password' };

  it.each([
    ['userType', 'person'],
    ['userType', null],
    ['password', 'seven77'],
    ['password', 'x'.repeat(1025)],
    ['password', 12345678],
    ['firstName', 'x'.repeat(256)],
    ['firstName', 'line\nbreak'],
    ['lastName', 'half \ud800 pair'],
    ['email', 'nobody'],
    ['enabled', 'true'],
    ['enabled', 1],
    ['roles', ['Root']],
    ['roles', ['DirectoryReader', 'DirectoryReader']],
    ['roles', 'SystemAdministrator'],
    ['organization', 7],
    ['locale', 'e'],
    ['locale', 'en_US'],
    ['timezone', 'Mars Base'],
    ['timezone', ''],
  ])('is refused with %s %j', (field, value) => {
    expect(faultyFields(checkNewUser({ ...person, [field]: value }))).toEqual([field]);
  });

  it.each([
    ['roles', []],
    ['roles', [...roles]],
    ['locale', 'zh-Hant-TW'],
    ['timezone', 'America/Argentina/Buenos_Aires'],
    ['firstName', ''],
    ['enabled', false],
  ])('is accepted with %s %j', (field, value) => {
    expect(faultyFields(checkNewUser({ ...person, [field]: value }))).toEqual([]);
  });

  it.each(['id', 'passwordHash', 'createdAt'])('may not set %s', (field) => {
    expect(faultyFields(checkNewUser({ ...person, [field]: 'x' }))).toEqual([field]);
  });
});

describe('changes to a user', () => {
  it('may be none at all', () => {
    expect(checkChanges({})).toEqual({ ok: true, value: {} });
  });

  it.each(['username', 'userType', 'password', 'passwordHash', 'id'])('may not touch %s', (field) => {
    expect(faultyFields(checkChanges({ [field]: 'x' }))).toEqual([field]);
  });

  it('never repeat a password in a fault', () => {
    const result = checkPasswordChange({ password: 'hush', oldPassword: '', 'x-hush': 1 });
    expect(faultyFields(result)).toEqual(['x-hush', 'password', 'oldPassword']);
    expect(JSON.stringify(result).match(/hush/g)).toHaveLength(1);
  });
});

describe('roles', () => {
  it('let SystemAdministrator and IdpAdministrator administer clients, and no other', () => {
    expect(roles.filter((role) => mayAdministerClients([role]))).toEqual(['SystemAdministrator', 'IdpAdministrator']);
    expect(mayAdministerClients([])).toBe(false);
  });

  it('each let its holder read the directory', () => {
    expect(roles.every((role) => mayReadDirectory([role]))).toBe(true);
    expect(mayReadDirectory([])).toBe(false);
  });
});
