import {
  call,
  type Gatehouse,
  linkOf,
  type MailServer,
  quickestDialect,
  showCode,
  startGatehouse,
  startMailServer,
} from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { registerWith } from './journeys/support/registration.ts';
import { buildAuthorizeUrl, createPkce } from './support/authorization.ts';
import { findViolations } from './support/axe.ts';
import { describeWithChromium, launchChromium, startVisit, takeScreenshot, type Visit } from './support/chromium.ts';
import { type ClientApp, startClientApp } from './support/client-app.ts';
import { passwordKind, registerClient } from './support/clients.ts';
import { measureSidewaysScroll } from './support/page-measures.ts';
import { getAdministratorToken } from './support/tokens.ts';
import { createUserAdministration } from './support/users.ts';
import { waitFor } from './support/wait.ts';

const languages = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh'];
const widths = [320, 375, 1280];
const looks = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  forced: { colorScheme: 'light', forcedColors: 'active' },
} as const;

/** A look at a width. */
interface View {
  look: keyof typeof looks;
  width: number;
}
const views: View[] = (Object.keys(looks) as View['look'][]).flatMap((look) =>
  widths.map((width) => ({ look, width })),
);
const nameOf = ({ look, width }: View) => `${look} ${width}`;

/**
 * Each page is checked once in each language. A fault of a look or a width belongs to a page or to a language, not to a page
 * in one language alone: the views take turns, so that each page and each language meets every one.
 */
function chooseView(page: number, language: number): View {
  return views[(page + language) % views.length] as View;
}

/** The pages of the account, for whoever has just signed in. */
const accountPages = [
  ...['profile', 'methods', 'passkeys', 'code-app', 'recovery-codes'],
  ...['password', 'email', 'sessions', 'applications', 'activity', 'delete'],
];

type Way = [name: string, go: (page: Page, language: string) => Promise<unknown>];

/** As long as names may be, without a place to break the line. */
const longestName = 'W'.repeat(128);
const scope = ['openid', 'profile', 'email', 'phone', 'address', 'roles', 'offline_access'];
const env = {
  DISPLAY_NAME: 'W'.repeat(128),
  HELP_URL: 'https://www.example.com/help',
  PRIVACY_URL: 'https://www.example.com/privacy',
  TERMS_URL: 'https://www.example.com/terms',
  DYNAMIC_REGISTRATION: 'open',
};
const longPassword = 'a long enough password';
/** As long as a host may be. */
const unvouchedUri = `https://${`${'w'.repeat(60)}.`.repeat(4)}w.example/`;

describeWithChromium('pages by WCAG 2.2 AA', () => {
  let gatehouse: Gatehouse;
  let mails: MailServer;
  let app: ClientApp;
  let browser: Browser;
  let clientId: string;
  let unvouchedId: string;
  /** The link of a user for each language. */
  const invitations = new Map<string, string>();
  const visits: Visit[] = [];

  beforeAll(async () => {
    mails = await startMailServer();
    const ofOrgApi = {
      ...{ MAIL_URL: mails.url, MAIL_FROM: 'no-reply@example.com', NOTIFY_NEW_SIGN_IN: 'false' },
      ...{ REGISTRATION: 'open', ACCOUNT_DELETION: 'on' },
    };
    [gatehouse, app, browser] = await Promise.all([
      startGatehouse({ dialect: quickestDialect, env: { 'auth-server': env, 'org-api': ofOrgApi } }),
      startClientApp(),
      launchChromium(),
    ]);
    [clientId] = await registerWith(gatehouse, {
      ...{ require_consent: true, client_name: longestName, redirect_uri: app.redirectUri, scope },
      client_uri: 'https://www.example.com/app',
      policy_uri: 'https://www.example.com/app/privacy',
      tos_uri: 'https://www.example.com/app/terms',
    });
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    const { create } = createUserAdministration(gatehouse, token);
    const user = { userType: 'Person', password: longPassword, emailVerified: true };
    await Promise.all(languages.map((language) => create({ ...user, username: `second.${language}@example.com` })));
    const invited = { userType: 'Person', invite: true, deliver: 'link' };
    for (const language of languages) {
      const answer = await create({ ...invited, username: `invited.${language}@example.com` });
      invitations.set(language, answer.json<{ invitation: { link: string } }>().invitation.link);
    }
    const json = { redirect_uris: [unvouchedUri], client_name: longestName };
    const registered = await call(`${gatehouse.authUrl}/oauth/register`, { json });
    unvouchedId = registered.json<{ client_id: string }>().client_id;
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), app?.stop(), gatehouse?.stop()]);
    await mails?.close();
  });
  afterEach(async () => {
    const ended = visits.splice(0);
    await Promise.all(ended.map((visit) => visit.close()));
    expect(ended.flatMap((visit) => visit.findProblems())).toEqual([]);
  });

  async function openPage(locale = 'en'): Promise<Page> {
    const visit = await startVisit(browser, { locale, origins: [gatehouse.authUrl, gatehouse.baseUrl, app.origin] });
    visits.push(visit);
    return visit.page;
  }

  /** The link of the newest mail to an address that has one; each is given once. */
  const findLink = async (address: string, language: string): Promise<string> => {
    const mail = await waitFor(
      async () =>
        mails.mails.findLast(({ to, text }) => to.includes(address) && text.includes('?token=') && !read.has(text)),
      (found) => found !== undefined,
    );
    read.add(mail?.text ?? '');
    return `${linkOf(mail ?? { text: '' })}&ui_locales=${language}`;
  };
  const read = new Set<string>();

  const buildUrl = (language: string, parameters: Record<string, string> = {}) =>
    buildAuthorizeUrl(gatehouse, {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: app.redirectUri,
      scope: scope.join(' '),
      code_challenge: createPkce().challenge,
      code_challenge_method: 'S256',
      ui_locales: language,
      prompt: 'login consent',
      ...parameters,
    });

  /** Signs the user in who sets a second step up in this language. */
  const signIn = async (page: Page, language: string) => {
    await page.locator('#username').fill(`second.${language}@example.com`);
    await page.locator('#password').fill(longPassword);
    await page.locator('button[type=submit]:not([name])').click();
  };
  const sendCode = async (page: Page, code: string) => {
    await page.locator('#code').fill(code);
    await page.locator('button[type=submit]:not([name])').click();
  };

  /** Posts the form of a page by its address, which chooses the language. */
  const submit = (page: Page, language: string) =>
    page
      .locator('main form')
      .evaluate((form: HTMLFormElement, query) => form.setAttribute('action', `?${query}`), `ui_locales=${language}`)
      .then(() => page.locator('main form button[type=submit]').click());

  /** How to get to each page. The ways follow each other in one browser. */
  const ways: Way[] = [
    ['start', (page, language) => page.goto(`${gatehouse.authUrl}/?ui_locales=${language}`)],
    ['start of org-api', (page, language) => page.goto(`${gatehouse.baseUrl}/?ui_locales=${language}`)],
    ['nothing of org-api', (page, language) => page.goto(`${gatehouse.baseUrl}/nothing?ui_locales=${language}`)],
    ['form address', (page, language) => page.goto(`${gatehouse.authUrl}/oauth/sign-in?ui_locales=${language}`)],
    ['not signed in', (page, language) => page.goto(`${gatehouse.authUrl}/oauth/consents?ui_locales=${language}`)],
    [
      'sign-in for consents',
      (page, language) => page.goto(`${gatehouse.authUrl}/oauth/consents-sign-in?ui_locales=${language}`),
    ],
    [
      'wrong address',
      (page, language) => page.goto(buildUrl(language, { redirect_uri: `https://x/${'y'.repeat(300)}` })),
    ],
    [
      'leaving',
      (page, language) => page.goto(buildUrl(language, { client_id: unvouchedId, redirect_uri: unvouchedUri })),
    ],
    [
      'sign-in to an application that registered itself',
      (page, language) =>
        page.goto(buildUrl(language, { client_id: unvouchedId, redirect_uri: unvouchedUri, scope: 'openid' })),
    ],
    ['sign-in', (page, language) => page.goto(buildUrl(language, { login_hint: 'W'.repeat(255) }))],
    [
      'wrong password',
      async (page, language) => {
        await page.locator('#username').fill(`nobody.${language}@example.com`);
        await page.locator('#password').fill('wrong-password');
        await page.locator('button[type=submit]:not([name])').click();
        await page.locator('[role=alert]').waitFor();
      },
    ],
    [
      'consent',
      async (page) => {
        await page.locator('#username').fill('user@example.com');
        await page.locator('#password').fill('user-password');
        await page.locator('button[type=submit]:not([name])').click();
        await page.locator('button[value=allow]').waitFor();
      },
    ],
    [
      'consents',
      async (page, language) => {
        await page.locator('button[value=allow]').click();
        await page.waitForURL(`${app.redirectUri}?*`);
        await page.goto(`${gatehouse.authUrl}/oauth/consents?ui_locales=${language}`);
      },
    ],
    ...accountPages.map((name): Way => {
      const path = name === 'profile' ? '' : `/${name}`;
      return [
        `account ${name}`,
        (page, language) => page.goto(`${gatehouse.authUrl}/account${path}?ui_locales=${language}`),
      ];
    }),
    [
      'new password that is too short',
      async (page, language) => {
        await page.goto(`${gatehouse.authUrl}/account/password?ui_locales=${language}`);
        await page.locator('#old_password').fill('user-password');
        await page.locator('#password').fill('short');
        await submit(page, language);
        await page.locator('[role=alert]').waitFor();
      },
    ],
    ['code of a device', (page, language) => page.goto(`${gatehouse.authUrl}/oauth/device?ui_locales=${language}`)],
    [
      'unknown code of a device',
      async (page) => {
        await page.locator('[name=user_code]').fill('BCDF-GHJK');
        await page.locator('button[type=submit]:not([value=cancel])').first().click();
        await page.locator('[role=alert]').waitFor();
      },
    ],
    [
      'mailed link before a set-up',
      async (page, language) => {
        await page.goto(buildUrl(language, { acr_values: 'urn:gatehouse:acr:mfa' }));
        await signIn(page, language);
        await page.locator('button[value=link]').waitFor();
      },
    ],
    [
      'mailed link before a set-up on its way',
      async (page) => {
        await page.locator('button[value=link]').click();
        await page.locator('main [role=status]').waitFor();
      },
    ],
    [
      'mailed link to a set-up',
      async (page, language) => {
        await page.goto(await findLink(`second.${language}@example.com`, language));
        await page.locator('form[action$="/account/link"] button').waitFor();
      },
    ],
    [
      'set-up of a code app',
      async (page, language) => {
        await page.locator('form[action$="/account/link"] button').click();
        // The request says prompt=login.
        await signIn(page, language);
        await page.locator('.qr').waitFor();
      },
    ],
    [
      'wrong code of a code app',
      async (page) => {
        await sendCode(page, '000000');
        await page.locator('[role=alert]').waitFor();
      },
    ],
    [
      'recovery codes',
      async (page) => {
        await sendCode(page, showCode(await page.locator('[name=secret]').inputValue()));
        await page.locator('.recovery-codes').waitFor();
      },
    ],
    [
      'second step',
      async (page, language) => {
        await page.goto(buildUrl(language));
        await signIn(page, language);
        await page.locator('[name=pending]').waitFor({ state: 'attached' });
      },
    ],
    [
      'wrong code of the second step',
      async (page) => {
        await sendCode(page, '000000');
        await page.locator('[role=alert]').waitFor();
      },
    ],
    ['sign out', (page, language) => page.goto(`${gatehouse.authUrl}/oauth/logout?ui_locales=${language}`)],
    [
      'signed out',
      async (page, language) => {
        await page.locator('form button').click();
        await page.goto(`${gatehouse.authUrl}/oauth/logout?ui_locales=${language}`);
      },
    ],
    [
      'forgotten password',
      (page, language) => page.goto(`${gatehouse.authUrl}/account/recover?ui_locales=${language}`),
    ],
    [
      'forgotten password of nobody',
      async (page, language) => {
        await page.locator('#username').fill(' ');
        await submit(page, language);
        await page.locator('[role=alert]').waitFor();
      },
    ],
    [
      'mailed link on its way',
      async (page, language) => {
        await page.locator('#username').fill(`second.${language}@example.com`);
        await submit(page, language);
        await page.locator('main [role=status]').waitFor();
      },
    ],
    [
      'mailed link',
      async (page, language) => {
        await page.goto(await findLink(`second.${language}@example.com`, language));
        await page.locator('[autocomplete=new-password]').waitFor();
      },
    ],
    [
      'invitation',
      async (page, language) => {
        await page.goto(`${invitations.get(language)}&ui_locales=${language}`);
        await page.locator('[autocomplete=new-password]').waitFor();
      },
    ],
    ['registration', (page, language) => page.goto(`${gatehouse.authUrl}/account/register?ui_locales=${language}`)],
    [
      'mailed link to a registration on its way',
      async (page, language) => {
        await page.locator('#email').fill(`new.${language}@example.com`);
        await submit(page, language);
        await page.locator('main [role=status]').waitFor();
      },
    ],
    [
      'mailed link to a registration',
      async (page, language) => {
        await page.goto(await findLink(`new.${language}@example.com`, language));
        await page.locator('[name=firstName]').waitFor();
      },
    ],
    [
      'mailed link that is gone',
      (page, language) => page.goto(`${gatehouse.authUrl}/account/link?token=gone&ui_locales=${language}`),
    ],
  ];

  it('are seen, each page and each language, in every look at every width', () => {
    const all = views.map(nameOf).sort();
    for (const [index] of ways.entries()) {
      const seen = languages.map((_, language) => nameOf(chooseView(index, language)));
      expect([...new Set(seen)].sort()).toEqual(all);
    }
    for (const [index] of languages.entries()) {
      const seen = ways.map((_, way) => nameOf(chooseView(way, index)));
      expect([...new Set(seen)].sort()).toEqual(all);
    }
  });

  it.each(languages)(
    'are good in %s, in every width and look, with the longest names',
    async (language) => {
      const page = await openPage(language);
      for (const [index, [way, go]] of ways.entries()) {
        const { look, width } = chooseView(index, languages.indexOf(language));
        await page.emulateMedia(looks[look]);
        await go(page, language);
        expect([way, await page.locator('html').getAttribute('lang')]).toEqual([way, language]);
        // A word may be too long in one language, on one page, at one width: each of the three is looked at.
        for (const each of [...widths.filter((other) => other !== width), width]) {
          await page.setViewportSize({ width: each, height: 720 });
          expect([way, look, each, await measureSidewaysScroll(page)]).toEqual([way, look, each, 0]);
        }
        expect([way, look, width, await findViolations(page)]).toEqual([way, look, width, []]);
        await takeScreenshot(page, `${way.replaceAll(' ', '-')}-${language}-${look}-${width}`);
      }
    },
    120_000,
  );

  it('keep a border of buttons in forced colours', async () => {
    const page = await openPage();
    await page.emulateMedia(looks.forced);
    await page.goto(buildUrl('en'));
    const borders = await page
      .locator('button:visible')
      .evaluateAll((buttons) => buttons.map((button) => getComputedStyle(button).borderTopWidth));
    expect(borders).toEqual(['1px', '1px', '1px', '1px']);
  });

  it('show the password when they are told to, and hide it again before it is sent', async () => {
    const page = await openPage();
    await page.goto(buildUrl('en'));
    const field = page.locator('#password');
    await field.fill('user-password');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await field.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    expect(await field.getAttribute('type')).toBe('password');
  });

  it('hint at Caps Lock while it is on', async () => {
    const page = await openPage();
    await page.goto(buildUrl('en'));
    const hint = page.locator('#caps-lock');
    const press = (isOn: boolean) =>
      page
        .locator('#password')
        .evaluate(
          (field, modifierCapsLock) =>
            field.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', modifierCapsLock })),
          isOn,
        );
    await press(true);
    expect(await hint.textContent()).toBe('Caps Lock is on.');
    await press(false);
    expect(await hint.textContent()).toBe('');
  });

  it('have a password field without a button where there are no scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(buildUrl('en'));
    expect(await page.getByRole('button').allTextContents()).toEqual(['Sign in', 'Cancel']);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${app.redirectUri}?error=access_denied*`);
    await context.close();
  });
});
