import { randomBytes } from 'node:crypto';
import { type Database, openDatabase, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { type Answer, linkOf, type MailServer, type TestBrowser } from '@gatehouse/test-kit';
import { organizationSchema } from '../../../org-api/src/schema/organization-schema.ts';
import { en } from '../../src/pages/messages/en.ts';
import { createBrowserWith, readForms } from './account.ts';
import type { Realm } from './realm.ts';
import { silentLog, waitUntilReady } from './stores.ts';

/** The subject of the mails that lead to a new password. */
export const resetSubject = 'Set a new password';

/** The environment of an org-api that mails to this server. */
export function mailEnv({ url }: MailServer): Record<string, string> {
  return {
    MAIL_URL: url,
    MAIL_FROM: 'no-reply@example.com',
    DISPLAY_NAME: 'Example Organization',
    NOTIFY_NEW_SIGN_IN: 'false',
  };
}

/** A browser in a network of its own, so that no other test uses up what that network may ask for. */
export function createBrowserElsewhere(headers: Record<string, string> = {}): TestBrowser {
  const [first, second, third] = Array.from({ length: 3 }, () => randomBytes(2).toString('hex'));
  return createBrowserWith({ 'x-forwarded-for': `2001:${first}:${second}:${third}::1`, ...headers });
}

/** The database of org-api, beside org-api. */
export async function openOrganizationDatabase(url: string): Promise<Database> {
  const database = openDatabase({
    ...{ url: parseDatabaseUrl(url), ...organizationSchema, migrateOnStart: false, log: silentLog },
  });
  await waitUntilReady(database);
  return database;
}

/** Makes all networks in which users signed in ones that they used for long. */
export async function makeNetworksFamiliar(database: Database): Promise<void> {
  await database.execute('UPDATE known_networks SET known_since = 0');
}

/** People who forgot their passwords, and the mails that they get. */
export function createRecovery(realm: Pick<Realm, 'url' | 'authUrl'>, mails: MailServer) {
  const recoverUrl = `${realm.url}/account/recover`;
  /** Where a link of a mail is, without the proxy that the mail goes through. */
  const locate = (link: string) => link.replace(realm.authUrl, realm.url);

  const ask = async (username: string, browser = createBrowserElsewhere(), query = ''): Promise<Answer> => {
    const page = await browser.get(recoverUrl + query);
    return browser.post(recoverUrl, { ...readForms(page).at(-1)?.fields, username });
  };
  const readLink = async (address: string, subject = resetSubject) =>
    locate(linkOf(await mails.waitFor(address, { subject })));
  return {
    recoverUrl,
    ask,
    readLink,
    /** The link of a mail to somebody who asked for it. */
    async obtainLink(username: string, query = ''): Promise<string> {
      const answer = await ask(username, createBrowserElsewhere(), query);
      if (!answer.text.includes(en.recover.sent)) throw new Error(`${answer.status} ${answer.text}`);
      return readLink(username);
    },
    /** Posts the form of the page of a link. */
    async use(link: string, fields: Record<string, string>, browser = createBrowserElsewhere()): Promise<Answer> {
      const form = readForms(await browser.get(link)).at(-1);
      return browser.post(new URL('/account/link', link).href, { ...form?.fields, ...fields });
    },
  };
}

export type Recovery = ReturnType<typeof createRecovery>;
