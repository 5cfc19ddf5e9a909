import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emblemFile } from '@gatehouse/service-kit/html';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { de } from '../../src/pages/messages/de.ts';
import { html, sendPage } from '../../src/pages/page.ts';
import { createPageFrame, pathsOfImages } from '../../src/pages/page-frame.ts';
import { authorizePath, codeRequest } from '../support/browser.ts';
import { type Realm, startRealm, webClient } from '../support/realm.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>';
const darkSvg = svg.replace('0 0 1 1', '0 0 2 2');
/** The header, one entry, and a byte of it. */
const ico = Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0]), Buffer.alloc(17)]);

describe('pages of an organization', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-branding-'));
  let realm: Realm;
  beforeAll(async () => {
    const LOGO_FILE = join(folder, 'logo.svg');
    writeFileSync(LOGO_FILE, svg);
    const LOGO_FILE_DARK = join(folder, 'dark.svg');
    writeFileSync(LOGO_FILE_DARK, darkSvg);
    const FAVICON_FILE = join(folder, 'favicon.ico');
    writeFileSync(FAVICON_FILE, ico);
    realm = await startRealm({
      ...{ LOGO_FILE, LOGO_FILE_DARK, FAVICON_FILE },
      DISPLAY_NAME: 'Books & <Co>',
      ACCENT_COLOR: '#7a0019',
      HELP_URL: 'https://books.example/help?a=1&b=2',
      PRIVACY_URL: 'https://books.example/privacy',
    });
    await realm.register(webClient);
  });
  afterAll(async () => {
    await realm.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    '/',
    '/oauth/logout',
    '/oauth/consents',
    authorizePath(codeRequest),
    authorizePath({ client_id: 'nobody' }),
  ])('show its name, its logo, its colour and its links, and none that it has not: %s', async (path) => {
    const { text } = await realm.send(path);
    expect(text).toMatch(/<p class="realm"><picture>.*<img src="[^"]+" alt="Books &amp; &lt;Co&gt;"><\/picture><\/p>/);
    expect(text).toContain('--accent: #7a0019;');
    expect(text).toContain('<a href="https://books.example/help?a=1&amp;b=2">Help</a>');
    expect(text).toContain('<a href="https://books.example/privacy">Privacy</a>');
    expect(text).not.toContain('Terms of use');
    expect(text).toMatch(/<title>[^<]+ · Books &amp; &lt;Co&gt;<\/title>/);
  });

  it('load another logo where pages are dark, and the icon of the tab', async () => {
    const page = await realm.send('/');
    const [, dark = ''] =
      /<picture><source srcset="([^"]+)" media="\(prefers-color-scheme: dark\)"><img /.exec(page.text) ?? [];
    expect((await realm.send(dark)).text).toBe(darkSvg);
    const [, path = '', type] = /<link rel="icon" href="([^"]+)" type="([^"]+)">/.exec(page.text) ?? [];
    const { status, headers } = await realm.send(path);
    expect([status, headers['content-type'], type]).toEqual([200, 'image/x-icon', 'image/x-icon']);
    expect(headers['content-length']).toBe(String(ico.length));
  });

  it('load the logo from this server alone, where it can run nothing', async () => {
    const page = await realm.send('/');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self';/,
    );
    const [, path = ''] = /<img src="([^"]+)" alt="Books &amp; &lt;Co&gt;">/.exec(page.text) ?? [];
    const logo = await realm.send(path);
    expect([logo.status, logo.text]).toEqual([200, svg]);
    expect(logo.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const { paths } = (await realm.send('/openapi.json')).json<{ paths: Record<string, unknown> }>();
    expect(Object.keys(paths).filter((documented) => documented.includes('assets'))).toEqual([]);
  });
});

it('the pages of an organization that gives three links have all of them, in its language and in this order', async () => {
  const config = {
    authUrl: 'https://auth.example.com',
    ...{ displayName: undefined, logo: undefined, logoDark: undefined, accentColours: undefined },
    favicon: { mediaType: 'image/svg+xml' as const, bytes: Buffer.from(svg) },
    ...{ helpUrl: 'https://a.example/', privacyUrl: 'https://b.example/', termsUrl: 'https://c.example/' },
  };
  const app = Fastify().decorate('pageFrame', createPageFrame(config));
  const messages = de;
  app.get('/', (_request, reply) => sendPage(reply, 200, { title: 'Seite', realm: 'main', body: html``, messages }));
  const { body } = await app.inject('/');
  await app.close();
  const links = [...body.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)].map(([, url, text]) => [url, text]);
  const { help, privacy, terms } = de.frame;
  expect(links).toEqual([
    ['https://a.example/', help],
    ['https://b.example/', privacy],
    ['https://c.example/', terms],
  ]);
});

it.each([
  ['image/png', 'png'],
  ['image/svg+xml', 'svg'],
  ['image/x-icon', 'ico'],
] as const)('the path of an image of type %s ends in .%s, and changes with its bytes', (mediaType, ending) => {
  const images = ['one', 'another'].map((text) => ({ mediaType, bytes: Buffer.from(text) }));
  const paths = images.map((image) => pathsOfImages({ logo: image, logoDark: image, favicon: image }));
  for (const { logo, logoDark, favicon } of paths) {
    expect(logo).toMatch(new RegExp(`^/assets/logo-[0-9a-f]{16}\\.${ending}$`));
    expect(logoDark).toMatch(new RegExp(`^/assets/logo-dark-[0-9a-f]{16}\\.${ending}$`));
    expect(favicon).toMatch(new RegExp(`^/assets/icon-[0-9a-f]{16}\\.${ending}$`));
  }
  expect(paths[0]).not.toEqual(paths[1]);
});

it('pages that are no organization’s have an icon and their plain title', async () => {
  const realm = await startRealm();
  const { text } = await realm.send('/');
  const [, path = ''] = /<link rel="icon" href="([^"]+)" type="image\/svg\+xml">/.exec(text) ?? [];
  const icon = await realm.send(path);
  await realm.close();
  expect([icon.status, icon.text]).toEqual([200, emblemFile]);
  expect(text).toContain('<title>Sign-in service</title>');
  expect(text).not.toContain('<picture>');
});
