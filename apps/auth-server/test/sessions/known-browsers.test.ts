import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createKnownBrowsers } from '../../src/sessions/known-browsers.ts';

describe('the cookie of a browser in which users signed in', () => {
  let now = 1_700_000_000_000;
  const key = Buffer.alloc(32, 1);
  const browsers = createKnownBrowsers({ key, clock: () => now });
  const ada = { id: 'ada', passwordChangedAt: 1 };
  beforeEach(() => {
    now = 1_700_000_000_000;
  });

  it('names the user, the time of the password, and an id that a second sign-in keeps', () => {
    const cookie = browsers.remember(undefined, ada);
    const [known] = browsers.read(cookie);
    const id = expect.stringMatching(/^[\w-]{22}$/);
    expect(known).toEqual({ id, userId: 'ada', passwordChangedAt: 1, since: now });
    const again = browsers.read(browsers.remember(cookie, { ...ada, passwordChangedAt: 2 }));
    expect(again).toEqual([{ ...known, passwordChangedAt: 2 }]);
    expect(browsers.read(browsers.remember(undefined, ada))[0]?.id).not.toBe(known?.id);
  });

  it('is good for 180 days from the last sign-in of each user', () => {
    const cookie = browsers.remember(undefined, ada);
    now += 180 * 86_400_000 - 1;
    const both = browsers.remember(cookie, { id: 'bob', passwordChangedAt: 1 });
    expect(browsers.read(both).map(({ userId }) => userId)).toEqual(['bob', 'ada']);
    now += 1;
    expect(browsers.read(both).map(({ userId }) => userId)).toEqual(['bob']);
  });

  it('says since when the user is known there, and later sign-ins do not change it', () => {
    const first = now;
    const cookie = browsers.remember(undefined, ada);
    now += 86_400_000;
    const again = browsers.remember(cookie, ada);
    now += 86_400_000;
    const both = browsers.remember(again, { id: 'bob', passwordChangedAt: 1 });
    expect(browsers.read(browsers.remember(both, ada)).map(({ userId, since }) => [userId, since])).toEqual([
      ['ada', first],
      ['bob', now],
    ]);
  });

  it('begins again with another password', () => {
    const cookie = browsers.remember(undefined, ada);
    now += 86_400_000;
    const [changed] = browsers.read(browsers.remember(cookie, { ...ada, passwordChangedAt: 2 }));
    expect(changed?.since).toBe(now);
  });

  it('begins again once it was not good any more', () => {
    const cookie = browsers.remember(undefined, ada);
    now += 180 * 86_400_000;
    expect(browsers.read(browsers.remember(cookie, ada))).toMatchObject([{ since: now }]);
  });

  it('is one of long ago where a mailed link proved the user there, and stays so', () => {
    const cookie = browsers.remember(undefined, ada);
    const vouched = browsers.remember(cookie, ada, { isVouched: true });
    expect(browsers.read(vouched)).toEqual([{ ...browsers.read(cookie)[0], since: 0 }]);
    expect(browsers.read(browsers.remember(vouched, ada))[0]?.since).toBe(0);
    expect(browsers.read(browsers.remember(vouched, { ...ada, passwordChangedAt: 2 }))[0]?.since).toBe(now);
    expect(browsers.read(browsers.remember(vouched, { id: 'bob', passwordChangedAt: 1 }))[0]?.since).toBe(now);
  });

  it('is one of long ago where the release before wrote it, which did not say since when', () => {
    const expiresAt = now + 86_400_000;
    const cookie = sign([{ id: 'id-of-then', userId: 'ada', passwordChangedAt: 1, expiresAt }], key);
    expect(browsers.read(cookie)).toEqual([{ id: 'id-of-then', userId: 'ada', passwordChangedAt: 1 }]);
    expect(browsers.read(browsers.remember(cookie, ada))[0]).toMatchObject({ id: 'id-of-then', since: 0 });
    expect(browsers.read(browsers.remember(cookie, { ...ada, passwordChangedAt: 2 }))[0]?.since).toBe(now);
  });

  it('keeps the last five users, and stays short enough to be read', () => {
    let cookie: string | undefined;
    for (let i = 0; i < 7; i += 1) {
      cookie = browsers.remember(cookie, { id: `00000000-0000-7000-8000-00000000000${i}`, passwordChangedAt: now });
    }
    expect(browsers.read(cookie).map(({ userId }) => userId.at(-1))).toEqual(['6', '5', '4', '3', '2']);
  });

  it.each([
    ['nothing', () => undefined],
    ['an empty one', () => ''],
    ['one without a signature', (cookie: string) => cookie.split('.')[0]],
    ['one with another signature', (cookie: string) => `${cookie.split('.')[0]}.${'A'.repeat(43)}`],
    [
      'one of another server',
      () => createKnownBrowsers({ key: Buffer.alloc(32, 2), clock: () => now }).remember('', ada),
    ],
    ['one with another user', (cookie: string) => forge(cookie, (content) => content.replace('ada', 'bob'))],
    ['one that is too long', (cookie: string) => `${'A'.repeat(100_000)}${cookie}`],
  ])('is worth nothing where it is %s', (_, change) => {
    const changed = change(browsers.remember(undefined, ada));
    expect(browsers.read(changed)).toEqual([]);
    expect(browsers.read(browsers.remember(changed, ada))).toHaveLength(1);
  });

  it('is read up to 2048 characters', () => {
    const cookies = Array.from({ length: 1_600 }, (_, length) =>
      browsers.remember(undefined, { ...ada, id: 'x'.repeat(length) }),
    );
    const longest = cookies.find(({ length }) => length === 2_048);
    expect(browsers.read(longest)).toHaveLength(1);
    const tooLong = cookies.find(({ length }) => length > 2_048);
    expect([tooLong?.length, browsers.read(tooLong)]).toEqual([2_050, []]);
  });

  it('is read by every replica that has the key', () => {
    const replica = createKnownBrowsers({ key, clock: () => now });
    const cookie = browsers.remember(undefined, ada);
    expect(replica.read(cookie)).toEqual(browsers.read(cookie));
  });
});

function sign(entries: object[], key: Buffer): string {
  const content = Buffer.from(JSON.stringify(entries)).toString('base64url');
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
}

/** Another content under the same signature. */
function forge(cookie: string, change: (content: string) => string): string {
  const [content = '', signature] = cookie.split('.');
  const changed = change(Buffer.from(content, 'base64url').toString());
  return `${Buffer.from(changed).toString('base64url')}.${signature}`;
}
