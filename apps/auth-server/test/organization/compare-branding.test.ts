import { createLogger } from '@gatehouse/service-kit';
import { buildAccentColours } from '@gatehouse/service-kit/html';
import type { DirectorySettings } from '@gatehouse/shared';
import { type MailServer, readLog, startMailServer } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createCompareBranding } from '../../src/organization/compare-branding.ts';
import { mailEnv } from '../support/mailed-links.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const text = 'org-api has other values: give both services the same';

describe('the name and the look that org-api has for mails', () => {
  const log = createLogger('test', 'warn');
  const read = readLog(log);
  let seen = 0;
  /** What was warned of since the last call. */
  const listWarned = () => {
    const lines = read();
    const added = lines.slice(seen);
    seen = lines.length;
    return added.map(({ msg, variables }) => [msg, variables]);
  };
  const helpUrl = 'https://help.example.com';
  const here = { displayName: 'Example', helpUrl, accentColours: buildAccentColours('#0B5A8F #7cc4f5') };
  const there = { displayName: 'Example', helpUrl, accentColor: '#0b5a8f' };
  const offer = (branding: DirectorySettings['branding'], mails = true): DirectorySettings => ({
    ...{ codeApp: true, passkeys: true, accounts: true, mails },
    ...(branding && { branding }),
  });
  let compare: ReturnType<typeof createCompareBranding>;
  beforeEach(() => {
    compare = createCompareBranding({ config: here, log });
    listWarned();
  });

  it('are silently the same', () => {
    compare(offer(there));
    createCompareBranding({
      config: { displayName: undefined, helpUrl: undefined, accentColours: undefined },
      log,
    })(offer({}));
    expect(listWarned()).toEqual([]);
  });

  it.each<[string, NonNullable<DirectorySettings['branding']>, string[]]>([
    ['another name', { ...there, displayName: 'example' }, ['DISPLAY_NAME']],
    ['another page of help', { ...there, helpUrl: `${helpUrl}/` }, ['HELP_URL']],
    ['another colour', { ...there, accentColor: '#7cc4f5' }, ['ACCENT_COLOR']],
    ['none of them', {}, ['DISPLAY_NAME', 'HELP_URL', 'ACCENT_COLOR']],
  ])('are warned of where there is %s, by the variables alone', (_case, branding, variables) => {
    compare(offer(branding));
    expect(listWarned()).toEqual([[text, variables]]);
  });

  it('are warned of where only org-api has them', () => {
    createCompareBranding({
      config: { displayName: undefined, helpUrl: undefined, accentColours: undefined },
      log,
    })(offer(there));
    expect(listWarned()).toEqual([[text, ['DISPLAY_NAME', 'HELP_URL', 'ACCENT_COLOR']]]);
  });

  it('are warned of once', () => {
    for (let turn = 0; turn < 3; turn += 1) compare(offer({}));
    expect(listWarned()).toHaveLength(1);
  });

  it('are nothing where org-api mails nothing or is of the release before, and are compared once it does', () => {
    compare(offer({}, false));
    compare(offer(undefined));
    expect(listWarned()).toEqual([]);
    compare(offer({}));
    expect(listWarned()).toHaveLength(1);
  });
});

describe.each([
  ['another name than org-api', { DISPLAY_NAME: 'Another Organization' }, [['DISPLAY_NAME']]],
  ['the name of org-api', { DISPLAY_NAME: 'Example Organization' }, []],
])('an auth-server with %s', (_case, env, expected) => {
  const log = createLogger('test', 'warn');
  const read = readLog(log);
  let mails: MailServer;
  let realm: Awaited<ReturnType<typeof startRealmOn>>;
  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn('sqlite', env, { log, orgEnv: mailEnv(mails) });
  });
  afterAll(async () => {
    await realm?.close();
    await mails?.close();
  });

  it('says so in its log once, as far as it differs', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await realm.send('/account/recover')).status).toBe(200);
      realm.advance(61_000);
    }
    const warned = read().filter(({ msg }) => msg === text);
    expect(warned.map(({ variables }) => variables)).toEqual(expected);
  });
});
