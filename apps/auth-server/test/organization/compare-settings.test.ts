import { createLogger } from '@gatehouse/service-kit';
import { buildAccentColours } from '@gatehouse/service-kit/html';
import type { DirectorySettings } from '@gatehouse/shared';
import { type MailServer, readLog, startMailServer } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createCompareSettings } from '../../src/organization/compare-settings.ts';
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
  const consoleUrl = 'https://console.example.com';
  const here = { consoleUrl, displayName: 'Example', helpUrl, accentColours: buildAccentColours('#0B5A8F #7cc4f5') };
  const there = { displayName: 'Example', helpUrl, accentColor: '#0b5a8f' };
  const offer = (branding: DirectorySettings['branding'], mails = true): DirectorySettings => ({
    ...{ codeApp: true, passkeys: true, accounts: true, mails },
    ...(branding && { branding }),
  });
  let compare: ReturnType<typeof createCompareSettings>;
  beforeEach(() => {
    compare = createCompareSettings({ config: here, log });
    listWarned();
  });

  it('are silently the same', () => {
    compare(offer(there));
    createCompareSettings({
      config: { displayName: undefined, helpUrl: undefined, accentColours: undefined, consoleUrl: undefined },
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
    createCompareSettings({
      config: { displayName: undefined, helpUrl: undefined, accentColours: undefined, consoleUrl: undefined },
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

  it.each<[string, string | undefined, string | undefined, unknown[]]>([
    ['the same', consoleUrl, consoleUrl, []],
    ['another one', consoleUrl, 'https://other.example.com', [[text, ['CONSOLE_URL']]]],
    ['none at org-api', consoleUrl, 'off', [[text, ['CONSOLE_URL']]]],
    ['one at org-api alone', undefined, consoleUrl, [[text, ['CONSOLE_URL']]]],
    ['none at both', undefined, 'off', []],
    ['an org-api of the release before', consoleUrl, undefined, []],
  ])('stand next to the console, of which is warned once: %s', (_case, ofAuthServer, ofOrgApi, expected) => {
    const compareConsole = createCompareSettings({ config: { ...here, consoleUrl: ofAuthServer }, log });
    for (let turn = 0; turn < 3; turn += 1) {
      compareConsole({ ...offer(there, turn > 0), ...(ofOrgApi !== undefined && { consoleUrl: ofOrgApi }) });
    }
    expect(listWarned()).toEqual(expected);
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
