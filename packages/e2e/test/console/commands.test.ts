import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, registerClient, serviceAccountKind } from '../support/clients.ts';
import { dialogOf, field, useConsole } from '../support/console.ts';
import { runCurl, runShell } from '../support/console-commands.ts';
import { awaitNumbers, makeShown, type Shown } from '../support/console-screens.ts';
import { deviceKind } from '../support/device.ts';
import { logo } from '../support/logo.ts';
import { administrator, plainUser } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { press } from '../support/visits.ts';

type Body = Record<string, unknown>;

const textsOf = (locator: Locator) => locator.allTextContents();
const chosenOf = (page: Page) =>
  page
    .getByRole('checkbox')
    .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')?.slice('Choose '.length)));
const member = (bodies: Body[], list: string, name: string) =>
  bodies.flatMap((body) => (body[list] as Body[]).map((each) => each[name]));

describeWithChromium('the commands that the console shows', () => {
  const world = useConsole();
  let shown: Shown;
  let variables: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    shown = await makeShown(world);
    await awaitNumbers(world);
    folder = await mkdtemp(join(tmpdir(), 'console-commands-'));
    await writeFile(join(folder, 'logo.png'), logo);
    const client = await registerClient(world.gatehouse, passwordKind());
    const [NAME, PASSWORD] = administrator;
    const ADMIN = administrator.join(':');
    const secrets = { CLIENT_SECRET: shown.machine[1], NEW_PASSWORD: 'the-password-of-a-colleague' };
    variables = { ADMIN, NAME, PASSWORD, CLIENT: client.join(':'), ...secrets };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Gives the bodies that the commands of a part of the page answer, each with a status of 2xx. */
  async function runCommands(part: Page | Locator): Promise<Body[]> {
    const code = part.locator('.command .code pre');
    await code.first().waitFor({ state: 'attached' });
    return Promise.all((await textsOf(code)).map(runCommand));
  }
  async function runCommand(command: string): Promise<Body> {
    for (const secret of [variables.PASSWORD, world.token]) expect(command).not.toContain(secret);
    return runCurl(command, { ...variables, TOKEN: world.token }, folder);
  }
  const readJson = async (page: Page) =>
    JSON.parse((await page.locator('main > .code > pre').textContent()) ?? '') as Body;

  async function checkHealth(page: Page, readiness: Body[], configurations: Body[], keys: Body): Promise<void> {
    const facts = await textsOf(page.locator('.card dd'));
    const shownFacts = [...readiness.map(({ status }) => status), ...configurations.map(({ version }) => version)];
    expect(facts).toEqual(expect.arrayContaining(shownFacts));
    const names = (await textsOf(page.locator('.card dt'))).join();
    for (const kid of member([keys], 'keys', 'kid')) expect(names).toContain(String(kid).slice(0, 8));
  }

  const screens: [path: string | (() => string), check: (page: Page, bodies: Body[]) => Promise<void>][] = [
    [
      '/',
      async (page, [signIns, tokens, refusals, clients, findings, ...others]) => {
        for (const [index, statistics] of [signIns, tokens, refusals, clients].entries()) {
          const keys = member([statistics ?? {}], 'series', 'key');
          const links = page.locator('.bars').nth(index).getByRole('listitem').getByRole('link');
          expect([index, await links.count()]).toEqual([index, keys.length]);
        }
        const texts = await textsOf(page.locator('.findings > li p'));
        for (const text of member([findings ?? {}], 'findings', 'text')) {
          expect(texts.filter((each) => each.endsWith(` ${text}`))).toHaveLength(1);
        }
        expect(texts.length).toBe(member([findings ?? {}], 'findings', 'text').length);
        const [readiness, configurations] = [others.slice(0, 2), others.slice(2, 4)];
        const [keys = {}, ...events] = others.slice(4);
        await checkHealth(page, readiness, configurations, keys);
        const types = member(events, 'events', 'type');
        const seen = await textsOf(page.locator('.events > tbody > tr > th > code'));
        expect([events.length, seen.length]).toEqual([2, 10]);
        for (const type of seen) expect(types).toContain(type);
      },
    ],
    [
      '/clients?public=false&sort=-updated_at',
      async (page, bodies) => expect(member(bodies, 'clients', 'client_id')).toEqual(await chosenOf(page)),
    ],
    [
      '/clients?search=shop',
      async (page, bodies) => {
        expect(member(bodies, 'clients', 'client_id')).toEqual(['shop']);
        expect(await chosenOf(page)).toEqual(['shop']);
      },
    ],
    [
      '/clients/shop/settings',
      // The first is of the logo, which is no JSON.
      async (page, [, client, trail]) => {
        expect(await page.locator('h1').textContent()).toBe(client?.client_name);
        const giver = (member([trail ?? {}], 'events', 'actor') as Body[]).at(-1);
        expect(giver).toMatchObject({ kind: 'user', name: administrator[0] });
        const ceiling = page.locator('.facts > div').filter({ hasText: 'Ceiling' });
        expect(await ceiling.getByRole('link').textContent()).toBe(giver?.name);
      },
    ],
    [
      '/clients/night-shift/try',
      async (page, [preview, answer]) => {
        await press(page, 'Preview');
        const claims = page.locator('section', { hasText: 'Access token' }).locator('pre');
        // The token itself is in no page.
        expect(answer).toMatchObject({ token_type: 'Bearer', access_token: expect.any(String) });
        expect(preview).toMatchObject({ issued: true });
        const { access_token } = preview as { access_token: { claims: Body } };
        expect(JSON.parse((await claims.textContent()) ?? '')).toEqual(access_token.claims);
      },
    ],
    [
      '/clients/shop/access',
      async (page, bodies) => {
        const users = ['grants', 'consents'].flatMap((list) =>
          member(
            bodies.filter((body) => list in body),
            list,
            'user',
          ),
        );
        expect(users).toHaveLength(2);
        expect((users as Body[]).map(({ username }) => username)).toEqual(await textsOf(page.locator('.rows a')));
      },
    ],
    ['/clients/shop/json', async (page, [client]) => expect(client).toEqual(await readJson(page))],
    [
      '/clients/shop/events',
      async (page, bodies) => {
        const ids = new Set(
          member(
            bodies.filter((body) => 'events' in body),
            'events',
            'id',
          ),
        );
        expect(ids.size).toBe(await page.locator('.events > tbody > tr').count());
      },
    ],
    [
      '/apis',
      async (page, bodies) => {
        expect(member(bodies, 'resources', 'name')).toEqual(await textsOf(page.locator('tbody th a')));
        const [orders] = await textsOf(page.locator('tbody tr').filter({ hasText: 'Orders' }));
        for (const text of ['Open to applications that register', 'orders.read Read your orders', '600 sec']) {
          expect(orders).toContain(text);
        }
        const isOpen = member(bodies, 'resources', 'dynamic_clients').filter((each) => each === true);
        expect(await page.locator('tbody th .mark').count()).toBe(isOpen.length);
      },
    ],
    [() => `/apis/${shown.apiId}/json`, async (page, [api]) => expect(api).toEqual(await readJson(page))],
    [
      () => `/apis/${shown.apiId}/clients`,
      async (page, [statistics, clients]) => {
        expect(statistics).toMatchObject({ step: 'day', series: [] });
        expect(member([clients ?? {}], 'clients', 'client_name')).toEqual(await textsOf(page.locator('.rows a')));
      },
    ],
    [
      () => `/apis/${shown.orgApiId}/clients`,
      async (page, [statistics]) => {
        const shares = statistics?.series as { key: string }[];
        expect(shares.map(({ key }) => key)).toContain('authorization_code');
        expect(await page.locator('.bars li').count()).toBe(shares.length);
      },
    ],
    [
      '/issuers',
      async (page, bodies) =>
        expect(member(bodies, 'issuers', 'name')).toEqual(await textsOf(page.locator('tbody th'))),
    ],
    [() => `/issuers/${shown.issuerId}/json`, async (page, [issuer]) => expect(issuer).toEqual(await readJson(page))],
    [
      () => `/issuers/${shown.issuerId}/clients`,
      async (page, [statistics, clients]) => {
        expect(statistics).toMatchObject({ step: 'day', series: [] });
        expect(member([clients ?? {}], 'clients', 'client_id')).toEqual(await textsOf(page.locator('.rows a')));
      },
    ],
    [
      () => `/upstreams/${shown.upstream}/events`,
      async (page, [statistics, trail]) => {
        expect(statistics).toMatchObject({ step: 'day', series: [] });
        expect(member([trail ?? {}], 'events', 'type')).toEqual(['upstream.created']);
        expect(await page.locator('.events > tbody > tr').count()).toBe(1);
      },
    ],
    [
      '/upstreams',
      async (page, bodies) =>
        expect(member(bodies, 'upstreams', 'display_name')).toEqual(await textsOf(page.locator('tbody th'))),
    ],
    [
      () => `/upstreams/${shown.upstream}/settings`,
      async (page, bodies) => {
        // The first one checks a secret.
        expect(bodies).toHaveLength(2);
        expect(await field(page, 'client_id').inputValue()).toBe(bodies[1]?.client_id);
      },
    ],
    [
      () => `/upstreams/${shown.upstream}/json`,
      async (page, [upstream]) => expect(upstream).toEqual(await readJson(page)),
    ],
    [
      '/groups',
      async (page, bodies) => expect(member(bodies, 'groups', 'name')).toEqual(await textsOf(page.locator('tbody th'))),
    ],
    [
      () => `/groups/${shown.groupId}/members`,
      async (page, bodies) =>
        expect(member(bodies, 'members', 'username')).toEqual(await textsOf(page.locator('tbody th'))),
    ],
    [
      () => `/groups/${shown.groupId}/uses`,
      async (page, bodies) => {
        const [clients, apis] = [
          member([bodies[0] ?? {}], 'clients', 'client_id'),
          member([bodies[1] ?? {}], 'resources', 'name'),
        ];
        expect([clients, apis]).toEqual([[shown.machine[0]], ['Orders']]);
        expect(await textsOf(page.locator('.rows a'))).toEqual([...clients, ...apis]);
      },
    ],
    [() => `/groups/${shown.groupId}/json`, async (page, [group]) => expect(group).toEqual(await readJson(page))],
    [
      '/users?userType=Person',
      async (page, bodies) => expect(member(bodies, 'users', 'username')).toEqual(await chosenOf(page)),
    ],
    [
      `/users/${encodeURIComponent(plainUser[0])}/profile`,
      async (page, [user]) => expect(await field(page, 'email').inputValue()).toBe(user?.email),
    ],
    [
      `/users/${encodeURIComponent(administrator[0])}/sessions`,
      async (page, bodies) =>
        expect(member(bodies, 'sessions', 'sid').length).toBe(await page.locator('.rows > li').count()),
    ],
    [
      `/users/${encodeURIComponent(plainUser[0])}/methods`,
      async (page, [methods, identities]) => {
        expect(Object.keys(methods ?? {})).toContain('password');
        expect(identities).toEqual({ identities: [] });
        expect(await textsOf(page.locator('.rows strong'))).toEqual(['Password']);
      },
    ],
    [
      `/users/${encodeURIComponent(plainUser[0])}/access`,
      async (page, [grants, consents]) => {
        const clients = [
          member([grants ?? {}], 'grants', 'client_id'),
          member([consents ?? {}], 'consents', 'client_id'),
        ];
        expect(clients).toEqual([['shop'], ['shop']]);
        expect(clients.flat()).toEqual(await textsOf(page.locator('.rows a')));
      },
    ],
    [
      '/clients/night-shift/events',
      async (page, [refusals]) => {
        const reasons = member([refusals ?? {}], 'refusals', 'reason');
        expect(reasons).toHaveLength(1);
        expect(await textsOf(page.locator('.list:not(.events) > tbody th > a'))).toEqual(reasons);
      },
    ],
    [
      `/users/${encodeURIComponent(plainUser[0])}/groups`,
      async (page, bodies) => {
        expect(member(bodies, 'groups', 'name')).toEqual(['staff/it']);
        expect(await textsOf(page.locator('.rows a'))).toEqual(['staff/it']);
      },
    ],
    [
      () => `/refusals?request=${shown.refused}`,
      async (page, bodies) => {
        expect(bodies).toHaveLength(2);
        const reasons = member(bodies, 'refusals', 'reason').sort();
        expect(reasons).toHaveLength(2);
        expect((await textsOf(page.locator('tbody th > a'))).sort()).toEqual(reasons);
      },
    ],
    [
      () => `/refusals/${shown.refused}`,
      async (page, bodies) => {
        const texts = (await textsOf(page.locator('.refusal'))).join();
        for (const name of ['reason', 'advice', 'operation', 'network']) {
          const values = member(bodies, 'refusals', name);
          expect(values).toHaveLength(2);
          for (const value of values) expect(texts).toContain(value);
        }
      },
    ],
    [
      '/keys',
      async (page, bodies) => expect(member(bodies, 'keys', 'kid')).toEqual(await textsOf(page.locator('.rows code'))),
    ],
    [
      '/settings',
      async (page, bodies) => {
        const configurations = bodies.filter((body) => 'variables' in body);
        expect(configurations.map(({ service }) => service)).toEqual(['auth-server', 'org-api']);
        const readiness = bodies.filter((body) => 'checks' in body);
        expect(readiness.map(({ status }) => status)).toEqual(['ok', 'ok']);
        expect((await textsOf(page.locator('.service dd'))).filter((text) => text === 'ok')).toHaveLength(2);
        // The others are the lists of the file to download.
        expect(bodies).toHaveLength(10);
        expect(member(configurations, 'variables', 'name')).toEqual(await textsOf(page.locator('tbody th > code')));
      },
    ],
    [
      '/events?type=client.registered%2Cuser.created',
      async (page, bodies) => {
        expect(bodies).toHaveLength(2);
        const types = member(bodies, 'events', 'type').sort();
        expect(types).toEqual((await textsOf(page.locator('.events th > code'))).sort());
        expect(new Set(types).size).toBe(2);
      },
    ],
    [
      '/registration-tokens?usable=true',
      async (page, bodies) =>
        expect(member(bodies, 'registration_tokens', 'id')).toEqual(await textsOf(page.locator('.rows code'))),
    ],
  ];

  test('answer what each screen shows', async () => {
    const { page, show, settle } = await world.open(administrator);
    for (const [path, check] of screens) {
      await show(typeof path === 'string' ? path : path());
      await settle();
      await check(page, await runCommands(page));
    }
  }, 120_000);

  test('give a program a token, as its code says', async () => {
    const robot = await registerClient(world.gatehouse, serviceAccountKind());
    const device = await registerClient(world.gatehouse, deviceKind());
    const publicDevice = { ...deviceKind(), client_secret: undefined, token_endpoint_auth_method: 'none' };
    await registerClient(world.gatehouse, publicDevice);
    const { page, show, settle } = await world.open(administrator);
    for (const [[id, secret], member] of [
      [shown.machine, 'access_token'],
      [robot, 'access_token'],
      [device, 'user_code'],
      [[publicDevice.client_id, ''], 'user_code'],
    ] as const) {
      await show(`/clients/${id}/integrate`);
      await settle();
      const code = (await page.locator('section.code pre').first().textContent()) ?? '';
      const answer = await runShell(code, { CLIENT_SECRET: secret });
      expect([id, Object.keys(JSON.parse(answer) as Body)]).toEqual([id, expect.arrayContaining([member])]);
    }
  });

  test('call org-api as a Robot, with its own values', async () => {
    const [id, secret] = await registerClient(world.gatehouse, serviceAccountKind());
    const { page, show } = await world.open(administrator);
    await show(`/clients/${id}/integrate`);
    const code = page.locator('section.code pre');
    await code.nth(2).waitFor();
    const answer = await runShell((await code.allTextContents()).join('\n'), { CLIENT_SECRET: secret });
    expect(answer).toMatch(/"access_token":.*\}\s*\{.*"userType":"Robot".*"username":"robot@example\.com"/s);
  });

  test('stand beside the code of each guide that fits, with the values of the client', async () => {
    const [web] = await registerClient(world.gatehouse, passwordKind());
    const [robot] = await registerClient(world.gatehouse, serviceAccountKind());
    const { page, show } = await world.open(administrator);
    const expected = [
      [
        web,
        ['Express', 'Next.js and Auth.js', 'Spring Boot', 'Go', 'Flask', 'PHP', 'ASP.NET Core'].map(
          (name) => `Sign people in with ${name}`,
        ),
      ],
      [shown.machine[0], ['curl', 'Spring Boot', 'Go', 'Python', 'PHP', '.NET']],
      [robot, ['curl', 'Spring Boot', 'Go', 'Python', 'PHP', '.NET']],
    ] as const;
    for (const [clientId, titles] of expected) {
      await show(`/clients/${clientId}/integrate`);
      const choice = page.getByLabel('Code for');
      await choice
        .locator('option')
        .nth(titles.length - 1)
        .waitFor({ state: 'attached' });
      expect(await choice.locator('option').allTextContents()).toEqual(titles);
      for (const title of titles) {
        await choice.selectOption(title);
        const code = (await page.locator('section.code pre').allTextContents()).join('\n');
        expect([title, code]).toEqual([title, expect.stringContaining(clientId)]);
        expect(code).toContain('$CLIENT_SECRET');
        expect(code).toContain(world.gatehouse.authUrl);
        expect(code).not.toMatch(/the-secret-of|localhost:900\d|my-\w+-(app|job)/);
      }
    }
  });

  test('stand beside the code that protects an API, with its values', async () => {
    const { page, show } = await world.open(administrator);
    await show(`/apis/${shown.apiId}/integrate`);
    const choice = page.getByLabel('Code for');
    await choice.locator('option').nth(6).waitFor({ state: 'attached' });
    const titles = await choice.locator('option').allTextContents();
    expect(titles.map((title) => title.split(/[:,]? /)[0])).toEqual([
      ...['Node.js', 'Node.js', 'Python', 'Go', 'Java', 'nginx', 'Apache'],
    ]);
    for (const title of titles) {
      await choice.selectOption(title);
      const code = (await page.locator('section.code pre').allTextContents()).join('\n');
      // The code of Python takes the scope from its caller.
      const scope = title.startsWith('Python') ? [] : ['orders.read'];
      for (const value of [world.gatehouse.authUrl, 'https://orders.example.com/api', ...scope]) {
        expect([title, code]).toEqual([title, expect.stringContaining(value)]);
      }
      expect(code).not.toMatch(/auth\.example\.com|localhost:9000|orders:read/);
    }
  });

  test('get a token first where org-api is asked, and link to the reference', async () => {
    const { page } = await world.open(administrator, '/users');
    await page.getByRole('table').waitFor();
    await page.getByText('The same by curl').click();
    const preparation = (await page.locator('.command > div > pre').last().textContent()) ?? '';
    const token = await runShell(`${preparation}\nprintf %s "$TOKEN"`, variables);
    const url = `${world.gatehouse.baseUrl}/organization/api/organization/user`;
    expect((await call(url, { bearer: token })).status).toBe(200);
    const link = page.getByRole('link', { name: 'listUsers' });
    expect(await link.getAttribute('href')).toBe(`${world.gatehouse.baseUrl}/docs#/users/listUsers`);
    expect(await link.getAttribute('rel')).toBe('noopener');
  });

  test('change what the page would change', async () => {
    const { page, goto, show, settle } = await world.open(administrator, '/clients/shop/settings');
    page.on('dialog', (dialog) => dialog.accept());
    const name = `Zoë's "shop" $HOME \\ & <b>`;
    await field(page, 'client_name').fill(name);
    await field(page, 'access_token_validity').fill('99');
    await press(page, 'Review');
    await dialogOf(page).getByRole('table').waitFor();
    const [changed] = await runCommands(dialogOf(page));
    expect(changed).toMatchObject({ client_name: name, access_token_validity: 99 });
    await page.reload();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await show('/clients/shop/settings');
    await page.getByText('Logo', { exact: true }).click();
    await press(page, 'Take the logo away');
    await runCommands(dialogOf(page));
    await expect(world.askAuthServer('/clients/shop/logo')).rejects.toThrow('404');
    await press(dialogOf(page), 'Cancel');
    await page.getByLabel('A PNG image').setInputFiles(join(folder, 'logo.png'));
    await runCommands(dialogOf(page));
    expect((await world.askAuthServer('/clients/shop/logo')).headers['content-type']).toBe('image/png');
    await press(dialogOf(page), 'Cancel');
    await show('/clients/shop/access');
    for (const [act, none] of [
      ['End', 'No grant is live.'],
      ['Withdraw', 'No consent was given.'],
    ] as const) {
      await press(page, act);
      await runCommands(dialogOf(page));
      await goto('/clients/shop/access');
      await page.getByText(none).waitFor();
    }
    await show('/clients/shop/secrets');
    await settle();
    await page.getByRole('button', { name: 'End the old secret now' }).first().click();
    await runCommands(dialogOf(page));
    await goto('/clients/shop/secrets');
    await page.getByText('None works any more.').waitFor();
    expect(await runCommands(page.getByRole('main').locator('form'))).toEqual([{ matches: false }]);
    await press(page, 'Make a new secret');
    const [made] = await runCommands(dialogOf(page));
    variables.CLIENT_SECRET = String(made?.client_secret);
    await goto('/clients/shop/secrets');
    expect(await runCommands(page.getByRole('main').locator('form'))).toEqual([{ matches: true }]);
  });

  test('make what the page would make, and delete it', async () => {
    const { page, show, goto } = await world.open(administrator, '/clients/new');
    page.on('dialog', (dialog) => dialog.accept());
    await page.getByLabel('Machine').check();
    await field(page, 'client_name').fill('Made by a command');
    const [registered] = await runCommands(page);
    expect(registered).toMatchObject({ client: { client_id: 'made-by-a-command' }, client_secret: expect.any(String) });
    const username = `${uniqueName('colleague')}@example.com`;
    await goto('/users/new');
    await field(page, 'username').fill(username);
    await page.getByLabel('Set a password').check();
    await field(page, 'password').fill('it stands in no command');
    const [user] = await runCommands(page);
    expect(user).toMatchObject({ username, userType: 'Person' });
    await world.open([username, variables.NEW_PASSWORD ?? '']);
    await goto('/clients/made-by-a-command/settings');
    await page.getByText('Actions', { exact: true }).click();
    await press(page, 'Delete');
    await runCommands(dialogOf(page));
    await show('/clients?search=made-by');
    await page.getByText('Nothing fits').waitFor();
  });
});
