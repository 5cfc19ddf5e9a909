import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { call, type Gatehouse, quickestDialect, repositoryRoot, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, startVisit, submitSignIn, type Visit } from './support/chromium.ts';
import { guides, isFile, needsPerson, parseSteps, readGuide } from './support/guide.ts';
import { type Play, playGuide } from './support/guide-play.ts';
import { plainUser } from './support/people.ts';
import {
  describeWithRegistry,
  findOutOfReach,
  testWithGo,
  testWithMaven,
  testWithPython,
} from './support/registries.ts';

const withPerson = guides.filter(needsPerson);
const outOfReach = findOutOfReach();
const followed = withPerson.filter((guide) => !outOfReach.includes(guide));
if (outOfReach.length > 0) process.stderr.write(`not followed, for lack of their tools: ${outOfReach.join(', ')}\n`);
/** Milliseconds: Next.js compiles a page when it is first asked for. */
const patience = 60_000;
jest.setTimeout(2 * patience);
const examples = join(repositoryRoot, 'examples');

describe.each(withPerson)('%s', (guide) => {
  test('shows the very files of the example that it names', () => {
    const text = readGuide(guide);
    const [, name = ''] = /\]\(\.\.\/\.\.\/examples\/([\w-]+)\)/.exec(text) ?? [];
    const shown = parseSteps(text).filter(isFile);
    const files = readdirSync(join(examples, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(examples, name), join(entry.parentPath, entry.name)));
    expect(shown.map(({ path }) => path).sort()).toEqual(files.sort());
    for (const { path, text: code } of shown) expect(code).toBe(readFileSync(join(examples, name, path), 'utf8'));
  });
});

describeWithRegistry('guides, followed from an empty folder, with a person at the browser', () => {
  let gatehouse: Gatehouse;
  let browser: Browser;
  const plays = new Map<string, Promise<Play>>();
  const visits: Visit[] = [];

  beforeAll(async () => {
    [gatehouse, browser] = await Promise.all([startGatehouse({ dialect: quickestDialect }), launchChromium()]);
    // All at once: each mostly waits for packages. A test awaits its own, and fails as that one did.
    for (const guide of followed) plays.set(guide, playGuide(guide, gatehouse));
    await Promise.allSettled(plays.values());
  }, 420_000);
  afterEach(async () => {
    await Promise.all(visits.splice(0).map((visit) => visit.close()));
  });
  afterAll(async () => {
    const started = await Promise.allSettled(plays.values());
    await Promise.all(started.map((play) => (play.status === 'fulfilled' ? play.value.stop() : undefined)));
    await Promise.all([browser?.close(), gatehouse?.stop()]);
  }, 30_000);

  async function follow(guide: string): Promise<Play> {
    const play = await plays.get(guide);
    if (play === undefined) throw new Error(`there is no guide ${guide}`);
    return play;
  }
  async function open(address: string): Promise<Page> {
    const visit = await startVisit(browser, { origins: [] });
    visits.push(visit);
    visit.page.setDefaultTimeout(patience);
    await visit.page.goto(address);
    return visit.page;
  }
  const seeGreeting = (page: Page) => page.getByRole('heading', { name: 'Hello, Ursula User' }).waitFor();

  test('express.md: signs in, shows name and e-mail address, and signs out at Gatehouse too', async () => {
    const { origin } = await follow('express.md');
    const page = await open(origin);
    await page.getByRole('link', { name: 'My account' }).click();
    await submitSignIn(page);
    await seeGreeting(page);
    await page.getByText(plainUser[0]).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'My account' }).click();
    await page.getByLabel('Password').waitFor();
  });

  test('next-auth-js.md: signs in, shows name and e-mail address, and signs out at Gatehouse too', async () => {
    const { origin } = await follow('next-auth-js.md');
    const page = await open(origin);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await submitSignIn(page);
    await seeGreeting(page);
    await page.getByText(plainUser[0]).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    // Gatehouse asks: the application sends no hint of who it is about.
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Password').waitFor();
  });

  const withMachine = [
    ['spring.md', testWithMaven],
    ['go.md', testWithGo],
    ['python.md', testWithPython],
    ['php.md', test],
    ['dotnet.md', test],
  ] as const;
  describe.each(withMachine.filter(([guide]) => followed.includes(guide)))('%s', (guide, testWithTools) => {
    testWithTools("signs in, calls an API with the user's token, and signs out at Gatehouse too", async () => {
      const { origin } = await follow(guide);
      const page = await open(origin);
      await page.getByRole('link', { name: 'My account' }).click();
      await submitSignIn(page);
      await seeGreeting(page);
      await page.getByText(plainUser[0], { exact: true }).waitFor();
      const details = JSON.parse((await page.locator('pre').textContent()) ?? '');
      expect(details).toMatchObject({ username: plainUser[0], userType: 'Person' });
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'My account' }).click();
      await page.getByLabel('Password').waitFor();
    });

    testWithTools('gets a token for a machine, which calls an API with it', async () => {
      await (await follow(guide)).goOn();
    });
  });

  test('single-page-application.md: signs in, calls an API, says that the user cancelled, and signs out', async () => {
    const { origin } = await follow('single-page-application.md');
    const page = await open(origin);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('the user cancelled the sign-in').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await submitSignIn(page);
    await seeGreeting(page);
    const details = JSON.parse((await page.locator('pre:not(:empty)').textContent()) ?? '');
    expect(details).toMatchObject({ username: plainUser[0], userType: 'Person' });
    await page.reload();
    await seeGreeting(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Password').waitFor();
  });

  test('native-application.md: opens the browser, gets the answer at a port of its own, and ends', async () => {
    const play = await follow('native-application.md');
    const address = /go to (\S+)/.exec(play.output())?.[1] ?? '';
    expect(await play.readOpened()).toBe(address);
    const page = await open(address);
    await submitSignIn(page);
    await page.getByText('Go back to the program.').waitFor();
    expect(await play.ended).toBe(0);
    expect(play.output()).toContain(`Hello, Ursula User. Your e-mail address is ${plainUser[0]}.`);
  });

  testWithPython(
    'no-name-or-email.md: userinfo alone has the claims, until the client is registered for more',
    async () => {
      const play = await follow('no-name-or-email.md');
      const claims = { name: 'Ursula User', email: plainUser[0] };
      const see = async () => {
        const page = await open(play.origin);
        await submitSignIn(page);
        await page.waitForURL(`${play.origin}/`);
        return JSON.parse(await page.locator('body').innerText());
      };
      const before = await see();
      expect(before).toMatchObject({ id_token: { iss: gatehouse.authUrl }, userinfo: claims });
      expect(Object.keys(before.id_token)).not.toEqual(expect.arrayContaining(['name']));
      expect(Object.keys(before.id_token)).not.toEqual(expect.arrayContaining(['email']));
      await play.goOn();
      expect(await see()).toMatchObject({ id_token: claims, userinfo: claims });
    },
  );

  test.each([
    [
      'express.md',
      'The address to return to (redirect_uri) is not the one this application registered.',
      { client_id: 'my-express-app', redirect_uri: 'http://localhost:1/callback' },
    ],
    [
      'express.md',
      'the scope must be part of what this client may request',
      { client_id: 'my-express-app', scope: 'openid roles' },
    ],
    ['native-application.md', 'must send code_challenge (PKCE, S256)', { client_id: 'my-native-app' }],
    [
      'native-application.md',
      'interaction_required',
      { client_id: 'my-native-app', prompt: 'none', code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' },
    ],
  ])('%s: Gatehouse says "%s"', async (guide, words, parameters) => {
    const { origin } = await follow(guide);
    const redirectUri = guide === 'native-application.md' ? 'http://127.0.0.1/callback' : `${origin}/callback`;
    const query = new URLSearchParams({
      response_type: 'code',
      scope: 'openid',
      redirect_uri: redirectUri,
      ...parameters,
    });
    const { text, headers } = await call(`${gatehouse.authUrl}/oauth/authorize?${query}`);
    const sent = new URLSearchParams(new URL(String(headers.location ?? origin)).search);
    expect([text, ...sent.values()].join('\n')).toContain(words);
    expect(readGuide(guide)).toContain(words);
  });
});
