import { describe, expect, it } from '@jest/globals';
import { isCommonPassword } from '../src/passwords/common-password.ts';
import { commonPasswordList } from '../src/passwords/common-password-list.ts';
import { demoUsers } from '../src/users/demo-users.ts';

describe('common passwords', () => {
  it('are known in upper and lower case', () => {
    const common = ['password', 'PASSWORD', 'Password1', '12345678', 'qwertyuiop', 'P@ssw0rd', 'iloveyou', 'football1'];
    expect(common.filter((password) => !isCommonPassword(password))).toEqual([]);
  });

  it('are whole passwords, and none of the demo users’', () => {
    const others = [
      'password ',
      'my password is long',
      'toString',
      '',
      ...demoUsers.map(({ password = '' }) => password),
    ];
    expect(others.filter(isCommonPassword)).toEqual([]);
  });

  it('are listed once each, in lower case, where they are long enough to be passwords here', () => {
    const words = commonPasswordList.trim().split(/\s+/);
    expect(words.length).toBeGreaterThan(3_500);
    expect(words).toEqual([...new Set(words.map((word) => word.toLowerCase()))].sort());
    expect(words.filter((word) => word.length < 8)).toEqual([]);
  });
});
