import { describe, expect, it } from '@jest/globals';
import { createFieldsChecker } from '../src/check-fields.ts';
import { personalDataNames } from '../src/personal-data.ts';
import { NewUser, UserChanges } from '../src/user.ts';

const checkNewUser = createFieldsChecker(NewUser);
const checkChanges = createFieldsChecker(UserChanges);
const robot = { username: 'robot@example.com', userType: 'Robot' };

/** The fields that a new user, and a change, are refused for. */
function faultsOf(field: string, value: unknown): string[][] {
  const results = [checkNewUser({ ...robot, [field]: value }), checkChanges({ [field]: value })];
  return results.map((result) => (result.ok ? [] : result.errors.map((error) => error.field)));
}

const url = (length: number) => `https://example.com/${'x'.repeat(length - 'https://example.com/'.length)}`;
const lines = '1 Example Way\r\n8001 Zürich\nSwitzerland';
/** As a request would bring it: the member is the object's own. */
const withPrototype: unknown = JSON.parse('{"__proto__":{"locality":"Zurich"}}');

const accepted: [string, unknown[]][] = [
  ['middleName', ['Maria', 'Élan 用户 😀', 'x'.repeat(255), '😀'.repeat(255)]],
  ['nickname', ['Uschi', ' ']],
  ['gender', ['female', 'male', 'non-binary']],
  [
    'website',
    [
      'https://example.com',
      'https://example.com:8443/a/b?c=d&e=%20#f',
      'https://xn--bcher-kva.example/',
      'https://192.0.2.1/',
      "https://example.com/~me/(a)*'b'@c",
      url(2048),
    ],
  ],
  ['profile', ['https://people.example.com/ursula']],
  ['picture', ['https://people.example.com/ursula.png']],
  [
    'birthdate',
    [
      ...[
        '1985-02-28',
        '2000-02-29',
        '2024-02-29',
        '1600-02-29',
        '0001-12-31',
        '9999-12-31',
        '1985-04-30',
        '1985-01-31',
      ],
      ...['0000-02-29', '0000-12-31', '0000-01-01', '1985', '0001', '2000'],
    ],
  ],
  ['phoneNumber', ['+41446681800', '+12', '+123456789012345']],
  ['phoneNumberVerified', [false]],
  ['emailVerified', [true, false]],
  [
    'address',
    [
      { formatted: lines },
      { streetAddress: lines, locality: 'Zürich', region: 'ZH', postalCode: '8001', country: 'Switzerland' },
      { formatted: 'x'.repeat(1024), locality: 'x'.repeat(255) },
    ],
  ],
];

const refused: [string, unknown[]][] = [
  ['middleName', ['', 'line\nbreak', 'a\u0000b', 'a\u0085b', 'half \ud800 pair', 'x'.repeat(256), 7, [], {}]],
  ['nickname', ['', 'tab\t', 'x'.repeat(256), true]],
  ['gender', ['', 1, ['female']]],
  ...['website', 'profile', 'picture'].map((field): [string, unknown[]] => [
    field,
    [
      ...['', 'example.com', 'http://example.com/', 'HTTPS://example.com', 'javascript:alert(1)', 'https:example.com'],
      ...['https://', 'https:///path', 'https://user@example.com/', 'https://user:word@example.com/'],
      ...[
        'https://example.com:99999/',
        'https://1.2.3.999/',
        'https://example.com/a b',
        'https://example.com/"><script>',
      ],
      ...[
        'https://example.com/\n',
        ' https://example.com/',
        'https://exämple.com/',
        'https://example.com\\@evil.example',
      ],
      ...['//example.com', 'data:image/png;base64,AA==', url(2049), 7, {}],
    ],
  ]),
  [
    'birthdate',
    [
      ...['', '1985-02-29', '1900-02-29', '2023-02-29', '1985-04-31', '1985-13-01', '1985-00-10', '1985-01-00'],
      ...['1985-01-32', '0000', '85', '19850228', '1985-2-8', '1985-02', '28.02.1985', '1985-02-28T00:00:00Z'],
      ...[' 1985', '1985\n', '-1985', '10000-01-01', '٢٠٠٠', 1985, {}],
    ],
  ],
  [
    'phoneNumber',
    [
      ...['', '+', '+1', '+0446681800', '0446681800', '0041446681800', '+1234567890123456', '+41 44 668 18 00'],
      ...[
        '+41-446681800',
        '+41446681800;ext=1',
        'tel:+41446681800',
        '+4144668180a',
        '+41446681800\n',
        '+٤١٤٤٦٦٨',
        41446681800,
      ],
    ],
  ],
  ['phoneNumberVerified', [null, 'true', 1, {}]],
  ['emailVerified', [null, 'true', 0, []]],
  [
    'address',
    [
      ...[{}, [], 'Zurich', 7, true, { street: 'x' }, { locality: '' }, { locality: null }, { locality: 'a\nb' }],
      ...[
        { formatted: 'a\rb' },
        { formatted: 'a\u0000b' },
        { formatted: 'x'.repeat(1025) },
        { country: 'x'.repeat(256) },
      ],
      ...[
        { streetAddress: ['x'] },
        { locality: 'Zurich', street_address: 'x' },
        { locality: { toString: 1 } },
        withPrototype,
      ],
    ],
  ],
];

describe('the personal data of a user', () => {
  it.each(accepted)('%s may be %j', (field, values) => {
    for (const value of values) expect([value, ...faultsOf(field, value)]).toEqual([value, [], []]);
  });

  it.each(refused)('%s may not be %j', (field, values) => {
    for (const value of values) expect([value, ...faultsOf(field, value)]).toEqual([value, [field], [field]]);
  });

  it('has calendar dates exactly, in every month of every year', () => {
    const check = createFieldsChecker(UserChanges);
    for (const year of [1, 4, 99, 100, 400, 1582, 1896, 1900, 1999, 2000, 2001, 2004, 2096, 2100, 2400, 9999]) {
      for (let month = 1; month <= 12; month += 1) {
        const date = new Date(0);
        date.setUTCFullYear(year, month, 0);
        const last = date.getUTCDate();
        const write = (day: number) =>
          [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
        expect([write(last), check({ birthdate: write(last) }).ok]).toEqual([write(last), true]);
        expect([write(last + 1), check({ birthdate: write(last + 1) }).ok]).toEqual([write(last + 1), false]);
      }
    }
  });

  it('is removed by null in a change, but for the flags, and not in a new user', () => {
    for (const name of personalDataNames) {
      const isFlag = name === 'phoneNumberVerified';
      expect([name, ...faultsOf(name, null)]).toEqual([name, [name], isFlag ? [name] : []]);
    }
  });

  it('is refused at once where it is long and nearly right', () => {
    const startedAt = performance.now();
    faultsOf('website', `https://${'a.'.repeat(30_000)}`);
    faultsOf('website', `https://${'a-'.repeat(1_000)}!`);
    faultsOf('address', { formatted: `${'\r\n'.repeat(500)}\r` });
    faultsOf('birthdate', '0'.repeat(60_000));
    expect(performance.now() - startedAt).toBeLessThan(200);
  });
});
