import { createMetrics } from '@gatehouse/service-kit/metrics';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildApp } from '../src/app.ts';
import { notFoundMessages } from '../src/discovery/not-found-messages.ts';
import { startMessages } from '../src/discovery/start-messages.ts';
import { authUrl, type Organization, startOrganization } from './support/organization.ts';

const baseUrl = 'https://example.com/org';
let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization('sqlite', { baseUrl });
});
afterAll(() => organization.close());

it('GET / is a page that says what this is, with links that lead on', async () => {
  const { statusCode, headers, body } = await organization.app.inject({ url: '/', headers: { accept: 'text/html' } });
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(body).toContain('<link rel="icon" href="data:image/svg+xml,');
  expect(headers['content-security-policy']).toContain('; img-src data:;');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
  expect([...body.matchAll(/<a href="([^"]+)"/g)].map(([, address]) => address)).toEqual([
    `${authUrl}/`,
    `${baseUrl}/docs`,
    'https://example.com/.well-known/oauth-protected-resource/org',
  ]);
});

it('GET / is JSON for Accept: application/json', async () => {
  const answer = await organization.app.inject({ url: '/', headers: { accept: 'application/json' } });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(answer.json()).toEqual({
    resource: baseUrl,
    authorization_server: authUrl,
    documentation: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    metadata: 'https://example.com/.well-known/oauth-protected-resource/org',
  });
});

it.each<Record<string, string>>([{}, { accept: '*/*' }, { accept: 'text/html, application/json' }])(
  'GET / is the page for whoever takes both, or does not say: %j',
  async (headers) => {
    const answer = await organization.app.inject({ url: '/', headers });
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  },
);

it('GET / speaks the language of its reader: ten languages, by ui_locales, then by Accept-Language', async () => {
  const readPage = async (query: string, accepted: string) => {
    const headers = { accept: 'text/html', 'accept-language': accepted };
    const { body, headers: answered } = await organization.app.inject({ url: `/${query}`, headers });
    expect(answered.vary).toBe('Accept, Accept-Language');
    return body;
  };
  for (const [language, { title, purpose, developers, reference, metadata }] of Object.entries(startMessages)) {
    const page = await readPage('', `${language}-XX, en;q=0.5`);
    expect(page).toContain(`<html lang="${language}">`);
    for (const text of [title, developers, reference, metadata, ...purpose.split('{issuer}')]) {
      expect([language, page]).toEqual([language, expect.stringContaining(text.trim())]);
    }
  }
  expect(await readPage('?ui_locales=sv%20ja', 'de')).toContain('<html lang="ja">');
  expect(await readPage('', 'sv')).toContain('<html lang="en">');
});

it('org-api is ready while it reaches its database, and says so', async () => {
  const { app, deps } = organization;
  const answer = await app.inject('/health/ready');
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok', checks: { database: 'ok' } }]);
  const database = { ...deps.database, check: () => Promise.reject(new Error('is away')) };
  const cutOff = await buildApp({ ...deps, metrics: createMetrics(), database });
  const refused = await cutOff.inject('/health/ready');
  expect([refused.statusCode, refused.json()]).toEqual([
    503,
    { status: 'unavailable', checks: { database: 'is away' } },
  ]);
  const live = await app.inject('/health/live');
  const mediaTypes = [answer, refused, live].map(({ headers }) => headers['content-type']);
  expect(new Set(mediaTypes)).toEqual(new Set(['application/json; charset=utf-8']));
  await cutOff.close();
});

it.each(Object.entries(notFoundMessages))(
  'what is not there is a page for a browser, in its language: %s',
  async (language, texts) => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': language };
    for (const method of ['GET', 'POST'] as const) {
      const {
        statusCode,
        headers: answered,
        body,
      } = await organization.app.inject({ method, url: '/nowhere', headers });
      expect([statusCode, answered['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answered['cache-control']).toBe('no-store');
      expect(answered['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
      expect(body).toContain(`<html lang="${language}">`);
      for (const text of Object.values(texts)) expect(body).toContain(text.replaceAll("'", '&#39;'));
      expect(body).toContain(`<a href="${baseUrl}/">`);
      expect(body).toContain(`<code>${String(answered['x-request-id'])}</code>`);
    }
  },
);

it('what is not there is a 404 with a problem document (RFC 9457)', async () => {
  const answer = await organization.app.inject('/nowhere');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([
    404,
    expect.stringMatching(/^application\/problem\+json/),
  ]);
  const detail = 'no such path; /docs lists all paths';
  expect(answer.json()).toMatchObject({ title: 'Not Found', status: 404, detail });
});

it('a name and a password are a 401 that says to get an access token', async () => {
  const headers = { authorization: `Basic ${Buffer.from('admin@example.com:hush').toString('base64')}` };
  const url = '/organization/api/organization/user';
  const [basic, none] = await Promise.all([{ url, headers }, { url }].map((each) => organization.app.inject(each)));
  expect(basic?.json()).toMatchObject({
    status: 401,
    detail: expect.stringMatching(/^this API takes no name and password: get an access token/),
  });
  expect(none?.json()).toMatchObject({ status: 401, detail: expect.stringMatching(/^an access token is required/) });
  expect(basic?.headers['www-authenticate']).toBe(none?.headers['www-authenticate']);
});

it('the start page has the languages of auth-server, and none is English under another name', () => {
  expect(Object.keys(startMessages)).toEqual(['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh']);
  for (const name of ['title', 'purpose', 'developers', 'reference', 'metadata'] as const) {
    const purposes = Object.values(startMessages).map((messages) => messages[name]);
    expect([name, purposes.filter((text) => text === startMessages.en[name])]).toEqual([
      name,
      [startMessages.en[name]],
    ]);
  }
  for (const { purpose } of Object.values(startMessages)) expect(purpose.split('{issuer}')).toHaveLength(2);
});
