import {
  type Authenticator,
  createAuthenticator,
  createTestBrowser,
  showCode,
  type TestBrowser,
} from '@gatehouse/test-kit';
import type { Ingredients, PageForm, Person } from './ingredients.ts';
import { keep, keepForm } from './learn.ts';
import { readForms } from './read-forms.ts';

/** The password of everybody who has one, until a request changes it. */
export const everybodysPassword = 'a password of a victim';

/** A role whose users have a second step wherever they sign in. */
export const strictRole = 'DirectoryReader';

interface Needs {
  authUrl: string;
  /** Where users sign in: an address of each place. */
  places: readonly string[];
  name(what: string): string;
  /** Gives the id. */
  createUser(username: string, fields: object): Promise<string>;
}

type Prepared = Pick<Ingredients, 'people' | 'authenticators' | 'forms' | 'found'>;

/**
 * Creates people with a password alone, with a code app and with a passkey, who are signed in and begin to sign in elsewhere, and some
 * who are invited.
 */
export async function preparePeople(needs: Needs, prepared: Prepared): Promise<void> {
  const { name, createUser } = needs;
  // One after the other: each takes slow hashes, of which few wait at a time.
  const kinds = [signInAlone, setCodeAppUp, makePasskey].flatMap((kind) => [kind, kind, kind]);
  for (const [index, make] of kinds.entries()) {
    const username = `${name(`person-${index}`)}@example.com`;
    const id = await createUser(username, { userType: 'Person', password: everybodysPassword });
    const person = { id, username, passwordChangedAt: 0 };
    const browser = createTestBrowser();
    await make(needs, person, { browser, prepared });
    keep(prepared, 'cookie', readCookie(browser));
    prepared.people.push(person);
  }
  for (const index of [1, 2]) {
    const username = `${name(`strict-${index}`)}@example.com`;
    await createUser(username, { userType: 'Person', password: everybodysPassword, roles: [strictRole] });
    await beginSignIns(needs, username, prepared);
  }
  for (const index of [1, 2, 3]) {
    const username = `${name(`invited-${index}`)}@example.com`;
    const id = await createUser(username, { userType: 'Person', invite: true, deliver: 'link' });
    prepared.people.push({ id, username, passwordChangedAt: 0 });
  }
}

/** The cookies of a browser, as it sends them. */
export function readCookie(browser: TestBrowser): string {
  return Object.entries(browser.cookies())
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
}

interface At {
  browser: TestBrowser;
  prepared: Prepared;
}

async function signInAlone({ authUrl }: Needs, { username }: Person, { browser }: At): Promise<void> {
  const url = `${authUrl}/account`;
  await browser.submit(await browser.get(url), url, { username, password: everybodysPassword });
}

async function setCodeAppUp(needs: Needs, person: Person, at: At): Promise<void> {
  await signInAlone(needs, person, at);
  const { fields } = await openForm(needs, '/account/code-app', at);
  const { secret = '' } = fields;
  await post(needs, '/account/code-app', { ...fields, code: showCode(secret) }, at);
  person.secret = secret;
  await beginSignIns(needs, person.username, at.prepared);
}

async function makePasskey(needs: Needs, person: Person, at: At): Promise<void> {
  await signInAlone(needs, person, at);
  const { fields, passkey } = await openForm(needs, '/account/passkeys', at);
  const authenticator = createFor(needs.authUrl);
  const credential = authenticator.create({ challenge: '', userHandle: '', ...passkey });
  await post(needs, '/account/passkeys', { ...fields, credential, name: 'A passkey' }, at);
  at.prepared.authenticators.push(authenticator);
  await beginSignIns(needs, person.username, at.prepared);
}

/** Keeps the form of the step that follows a right password, at each place. */
async function beginSignIns({ places }: Needs, username: string, prepared: Prepared): Promise<void> {
  for (const url of places) {
    const browser = createTestBrowser();
    const page = await browser.submit(await browser.get(url), url, { username, password: everybodysPassword });
    for (const form of readForms(page.text, new URL(url).pathname, readCookie(browser))) keepForm(prepared, form);
  }
}

function createFor(authUrl: string): Authenticator {
  const { hostname: rpId, origin } = new URL(authUrl);
  return createAuthenticator({ rpId, origin });
}

async function openForm({ authUrl }: Needs, path: string, { browser }: At): Promise<PageForm> {
  const page = await browser.get(authUrl + path);
  const form = readForms(page.text, path, readCookie(browser)).find((each) => each.path === path);
  if (form === undefined) throw new Error(`no form at ${path}: ${page.status} ${page.text}`);
  return form;
}

async function post({ authUrl }: Needs, path: string, fields: Record<string, string>, { browser, prepared }: At) {
  const page = await browser.post(authUrl + path, fields);
  const codes = [...page.text.matchAll(/<code>((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})<\/code>/g)];
  if (codes.length === 0) throw new Error(`no recovery codes at ${path}: ${page.status} ${page.text}`);
  for (const [, code = ''] of codes) keep(prepared, 'recovery_code', code);
}
